/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * firmware - what mlx5 writes about itself in codes: plain look-up tables
 */
#include "diag/firmware.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <string.h>

#include "base/base.h"

/* clang-format off */
static const struct rb_code_name command_status[] = {
	{ 0x01, EIO, "internal error" },
	{ 0x02, EINVAL, "bad operation" },
	{ 0x03, EINVAL, "bad parameter" },
	{ 0x04, EIO, "bad system state" },
	{ 0x05, EINVAL, "bad resource" },
	{ 0x06, EBUSY, "resource busy" },
	{ 0x08, ENOMEM, "limits exceeded" },
	{ 0x09, EINVAL, "bad resource state" },
	{ 0x0a, EINVAL, "bad index" },
	{ 0x0f, EAGAIN, "no resources" },
	{ 0x10, EINVAL, "bad QP state" },
	{ 0x30, EINVAL, "bad packet" },
	{ 0x40, EINVAL, "bad size of outstanding CQEs" },
	{ 0x50, EIO, "bad input length" },
	{ 0x51, EIO, "bad output length" },
};

static const struct rb_code_name syndromes[] = {
	{ 0x01, IBV_WC_LOC_LEN_ERR, "LOCAL_LENGTH_ERR" },
	{ 0x02, IBV_WC_LOC_QP_OP_ERR, "LOCAL_QP_OP_ERR" },
	{ 0x04, IBV_WC_LOC_PROT_ERR, "LOCAL_PROT_ERR" },
	{ 0x05, IBV_WC_WR_FLUSH_ERR, "WR_FLUSH_ERR" },
	{ 0x06, IBV_WC_MW_BIND_ERR, "MW_BIND_ERR" },
	{ 0x10, IBV_WC_BAD_RESP_ERR, "BAD_RESP_ERR" },
	{ 0x11, IBV_WC_LOC_ACCESS_ERR, "LOCAL_ACCESS_ERR" },
	{ 0x12, IBV_WC_REM_INV_REQ_ERR, "REMOTE_INVAL_REQ_ERR" },
	{ 0x13, IBV_WC_REM_ACCESS_ERR, "REMOTE_ACCESS_ERR" },
	{ 0x14, IBV_WC_REM_OP_ERR, "REMOTE_OP_ERR" },
	{ 0x15, IBV_WC_RETRY_EXC_ERR, "TRANSPORT_RETRY_EXC_ERR" },
	{ 0x16, IBV_WC_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR" },
	{ 0x22, IBV_WC_REM_ABORT_ERR, "REMOTE_ABORTED_ERR" },
};

static const struct rb_code_name opcodes[] = {
	{ 0x00, 0, "NOP" },	   { 0x08, 0, "RDMA_WRITE" },
	{ 0x09, 0, "RDMA_WRITE_IMM" }, { 0x0a, 0, "SEND" },
	{ 0x0b, 0, "SEND_IMM" },   { 0x0e, 0, "TSO" },
	{ 0x10, 0, "RDMA_READ" },  { 0x11, 0, "ATOMIC_CS" },
	{ 0x12, 0, "ATOMIC_FA" },  { 0x14, 0, "MASKED_CS" },
	{ 0x15, 0, "MASKED_FA" },  { 0x25, 0, "UMR" },
	{ 0x2f, 0, "MMO" },
};

/* Undocumented: as reports and the commits of kernel fixes have them. */
static const struct rb_code_name hw_syndromes[] = {
	{ 0x01, 0, "control segment wrong: index or opcode do not fit (likely)" },
	{ 0x1f, 0, "key of the address vector or of DC access (likely)" },
	{ 0x60, 0, "inline L2 header missing or shorter than the minimum inline (confirmed)" },
	{ 0x86, 0, "size of a UMR not aligned to 64 bytes (confirmed)" },
	{ 0x92, 0, "index of the key not found (likely)" },
	{ 0x93, 0, "the key is of another PD: PD violation (likely)" },
	{ 0x95, 0, "inbound READ refused because of its rkey: not in this PD or device (likely)" },
	{ 0x9d, 0, "address not translatable or out of bounds (likely)" },
};

static const struct rb_code_name health[] = {
	{ 0x1, 0, "firmware internal error" },
	{ 0x7, 0, "irisc not responding" },
	{ 0x8, 0, "unrecoverable hardware error" },
	{ 0x9, 0, "firmware CRC error" },
	{ 0xa, 0, "PCI error when fetching ICM" },
	{ 0xb, 0, "hardware fatal error" },
	{ 0xc, 0, "asynchronous event queue overrun" },
	{ 0xd, 0, "event queue error" },
	{ 0xe, 0, "invalid event queue" },
	{ 0xf, 0, "FFSER error" },
	{ 0x10, 0, "high temperature" },
};

static const struct rb_mlx5_command commands[] = {
	{ "CREATE_MKEY", 0x18af6, "the firmware's table of memory keys is exhausted: not a matter of memlock",
	  RB_CAUSES({ "registrations leak, or a registration cache is huge: the adapter is out of mkeys (memory keys)", RB_SURE_CONFIRMED, "MKEY-LIMIT", "openucx/ucx#6264" }) },
	{ "RTR2RTS_QP", 0x4bb88f, "the modify to RTS failed; if the program ignores it, the connection fails later with 9 / 0x8a",
	  RB_CAUSES({ "attributes left from RTR are illegal (rd_atomic, timeout): check the return value of ibv_modify_qp", RB_SURE_LIKELY, NULL, "charmplusplus/charm#2532" }) },
	{ "CREATE_QP", 0x2c4154, "a limit of the firmware",
	  RB_CAUSES({ "old firmware; UCX_IB_MLX5_DEVX_OBJECTS=\"\" avoids it", RB_SURE_LIKELY, NULL, "openucx/ucx#10451" }) },
	{ "ALLOW_OTHER_VHCA_ACCESS", 0x88f347, "a bond device lacks the capability",
	  RB_CAUSES({ "not supported on bond devices", RB_SURE_LIKELY, NULL, "openucx/ucx pull 8687" }) },
};
/* clang-format on */

static const struct rb_code_name *find(const struct rb_code_name *rows,
				       size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

#define FIND(rows, code) find(rows, RB_ARRAY_SIZE(rows), code)

const struct rb_code_name *rb_mlx5_command_status(uint32_t status)
{
	return FIND(command_status, status);
}

const struct rb_code_name *rb_mlx5_syndrome(uint32_t syndrome)
{
	return FIND(syndromes, syndrome);
}

const struct rb_code_name *rb_mlx5_opcode(uint32_t opcode)
{
	return FIND(opcodes, opcode);
}

const struct rb_code_name *rb_mlx5_hw_syndrome(uint32_t syndrome)
{
	return FIND(hw_syndromes, syndrome);
}

const struct rb_code_name *rb_mlx5_health(uint32_t syndrome)
{
	return FIND(health, syndrome);
}

const struct rb_mlx5_command *rb_mlx5_command(const char *command,
					      uint32_t syndrome)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(commands); i++)
		if (commands[i].syndrome == syndrome &&
		    !strcmp(commands[i].command, command))
			return &commands[i];
	return NULL;
}
