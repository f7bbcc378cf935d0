/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signature - which counters must have moved for a completion's status: a plain
 * look-up table
 */
#include "diag/signature.h"

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/base.h"

/* clang-format off */
static const struct rb_signature rows[] = {
	{ IBV_WC_REM_INV_REQ_ERR, "req_remote_invalid_request remote_invalid_req_err", NULL,
	  "the error may be of another port" },
	{ IBV_WC_REM_ACCESS_ERR, "req_remote_access_errors remote_access_err", "rx_write_requests rx_read_requests rx_atomic_requests",
	  "the requests did not reach this port: look at the right port and host" },
	{ IBV_WC_RETRY_EXC_ERR, "local_ack_timeout_err roce_adp_retrans req_transport_retries_exceeded completer_retry_err retry_exceeded_err to_retransmits max_retry_exceeded", NULL,
	  "no timeout was counted: the error does not come from this port" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, "rnr_nak_retry_err req_rnr_retries_exceeded rcvd_rnr_err retry_rnr_exceeded_err rnr_naks_rcvd", "out_of_buffer send_rnr_err rx_out_of_buffer",
	  "min_rnr_timer, the SRQ's limit, or another host" },
};
/* clang-format on */

const struct rb_signature *rb_signature(int status)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].status == status)
			return &rows[i];
	return NULL;
}

double rb_retry_us(unsigned int timeout, unsigned int retry_cnt)
{
	if (!timeout || timeout > 31)
		return 0;
	return 4.096 * (double)(UINT64_C(1) << timeout) *
	       (double)(retry_cnt + 1);
}

double rb_rnr_timer_us(unsigned int value)
{
	/* InfiniBand specification, table 45, in units of 10 us */
	static const uint16_t units[32] = {
		0,    1,    2,	  3,	4,    6,    8,	  12,
		16,   24,   32,	  48,	64,   96,   128,  192,
		256,  384,  512,  768,	1024, 1536, 2048, 3072,
		4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	return (value & 31) ? units[value & 31] * 10.0 : 655360.0;
}
