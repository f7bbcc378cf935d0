/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plan_names - the words of the plan's grammar. */

#include "plan_names.h"

#include <errno.h>
#include <strings.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#define END { NULL, 0 }

const struct plan_name plan_call_names[] = {
#define X(call, control) { #call, CALL_##call },
	FAKE_CALLS(X)
#undef X
	{ "ibv_create_qp_ex", CALL_ibv_create_qp },
	{ "ibv_create_cq_ex", CALL_ibv_create_cq },
	{ "ibv_query_device_ex", CALL_ibv_query_device },
	{ "ibv_reg_mr_iova2", CALL_ibv_reg_mr },
	{ "post_send", CALL_ibv_post_send },
	{ "post_recv", CALL_ibv_post_recv },
	{ "poll_cq", CALL_ibv_poll_cq },
	{ "control", PLAN_CONTROL },
	END
};

#define E(name) { #name, name }

const struct plan_name plan_errno_names[] = {
	E(EPERM), E(ENOENT), E(EINTR), E(EIO), E(ENXIO), E(EBADF), E(EAGAIN),
	E(ENOMEM), E(EACCES), E(EFAULT), E(EBUSY), E(EEXIST), E(ENODEV),
	E(EINVAL), E(ENFILE), E(EMFILE), E(ENOSPC), E(EMSGSIZE),
	E(EPROTONOSUPPORT), E(EOPNOTSUPP), E(EADDRINUSE), E(EADDRNOTAVAIL),
	E(ENETDOWN), E(ENETUNREACH), E(ECONNRESET), E(ENOBUFS), E(EISCONN),
	E(ENOTCONN), E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN),
	E(EHOSTUNREACH), E(ENOSYS), E(ENODATA), E(EPROTO), E(EOVERFLOW),
	E(EREMOTEIO), E(ENOTRECOVERABLE),
	END
};

const struct plan_name plan_status_names[] = {
	{ "LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR },
	{ "LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR },
	{ "LOC_EEC_OP_ERR", IBV_WC_LOC_EEC_OP_ERR },
	{ "LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR },
	{ "WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR },
	{ "MW_BIND_ERR", IBV_WC_MW_BIND_ERR },
	{ "BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR },
	{ "LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR },
	{ "REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR },
	{ "REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR },
	{ "REM_OP_ERR", IBV_WC_REM_OP_ERR },
	{ "RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR },
	{ "RETRY_EXC", IBV_WC_RETRY_EXC_ERR },
	{ "RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "RNR_RETRY_EXC", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR },
	{ "FATAL_ERR", IBV_WC_FATAL_ERR },
	{ "RESP_TIMEOUT_ERR", IBV_WC_RESP_TIMEOUT_ERR },
	{ "GENERAL_ERR", IBV_WC_GENERAL_ERR },
	END
};

const struct plan_name plan_event_names[] = {
	{ "CQ_ERR", IBV_EVENT_CQ_ERR },
	{ "QP_FATAL", IBV_EVENT_QP_FATAL },
	{ "QP_REQ_ERR", IBV_EVENT_QP_REQ_ERR },
	{ "QP_ACCESS_ERR", IBV_EVENT_QP_ACCESS_ERR },
	{ "COMM_EST", IBV_EVENT_COMM_EST },
	{ "SQ_DRAINED", IBV_EVENT_SQ_DRAINED },
	{ "PATH_MIG", IBV_EVENT_PATH_MIG },
	{ "PATH_MIG_ERR", IBV_EVENT_PATH_MIG_ERR },
	{ "DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL },
	{ "PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE },
	{ "PORT_ERR", IBV_EVENT_PORT_ERR },
	{ "LID_CHANGE", IBV_EVENT_LID_CHANGE },
	{ "PKEY_CHANGE", IBV_EVENT_PKEY_CHANGE },
	{ "SM_CHANGE", IBV_EVENT_SM_CHANGE },
	{ "SRQ_ERR", IBV_EVENT_SRQ_ERR },
	{ "SRQ_LIMIT_REACHED", IBV_EVENT_SRQ_LIMIT_REACHED },
	{ "QP_LAST_WQE_REACHED", IBV_EVENT_QP_LAST_WQE_REACHED },
	{ "CLIENT_REREGISTER", IBV_EVENT_CLIENT_REREGISTER },
	{ "GID_CHANGE", IBV_EVENT_GID_CHANGE },
	END
};

const struct plan_name plan_cm_names[] = {
	{ "ADDR_ERROR", RDMA_CM_EVENT_ADDR_ERROR },
	{ "ROUTE_ERROR", RDMA_CM_EVENT_ROUTE_ERROR },
	{ "CONNECT_ERROR", RDMA_CM_EVENT_CONNECT_ERROR },
	{ "UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE },
	{ "REJECTED", RDMA_CM_EVENT_REJECTED },
	{ "MULTICAST_ERROR", RDMA_CM_EVENT_MULTICAST_ERROR },
	{ "DEVICE_REMOVAL", RDMA_CM_EVENT_DEVICE_REMOVAL },
	END
};

const struct plan_name plan_gid_names[] = {
	{ "all", GID_ALL }, { "v1only", GID_V1ONLY }, { "v2only", GID_V2ONLY },
	{ "linklocal", GID_LINKLOCAL }, { "none", GID_NONE }, END
};

const struct plan_name plan_cycles_names[] = {
	{ "none", CYCLES_NONE }, { "user", CYCLES_USER }, { "all", CYCLES_ALL },
	END
};

const struct plan_name plan_port_names[] = { { "active", 0 }, { "down", 1 }, END };
const struct plan_name plan_netdev_names[] = { { "lo", 0 }, { "none", 1 }, END };
const struct plan_name plan_link_names[] = {
	{ "ethernet", 0 }, { "infiniband", 1 }, END
};
const struct plan_name plan_atomic_names[] = {
	{ "none", IBV_ATOMIC_NONE }, { "hca", IBV_ATOMIC_HCA },
	{ "glob", IBV_ATOMIC_GLOB }, END
};
const struct plan_name plan_transport_names[] = {
	{ "ib", IBV_TRANSPORT_IB }, { "iwarp", IBV_TRANSPORT_IWARP }, END
};
const struct plan_name plan_mtu_names[] = {
	{ "256", IBV_MTU_256 }, { "512", IBV_MTU_512 },
	{ "1024", IBV_MTU_1024 }, { "2048", IBV_MTU_2048 },
	{ "4096", IBV_MTU_4096 }, END
};
/* active_speed in the low byte, active_width above it */
const struct plan_name plan_speed_names[] = {
	{ "10", 0x0104 }, { "25", 0x0120 }, { "40", 0x0204 }, { "50", 0x0140 },
	{ "56", 0x0210 }, { "100", 0x0220 }, { "200", 0x0240 },
	{ "400", 0x0280 }, END
};

int plan_lookup(const struct plan_name *table, const char *name)
{
	for (; table->name; table++)
		if (name && !strcasecmp(table->name, name))
			return table->value;
	return -1;
}
