/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qptext - a move of a queue pair in words, for traces
 */
#include "verbs/qptext.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

const char *rb_qp_state_name(enum ibv_qp_state state)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS",
					     "SQD",   "SQE",  "ERR" };

	return state < RB_ARRAY_SIZE(names) ? names[state] : "?";
}

const char *rb_qp_type_name(enum ibv_qp_type type)
{
	switch ((int)type) {
	case IBV_QPT_RC:
		return "RC";
	case IBV_QPT_UC:
		return "UC";
	case IBV_QPT_UD:
		return "UD";
	case IBV_QPT_XRC_SEND:
		return "XRC_SEND";
	case IBV_QPT_XRC_RECV:
		return "XRC_RECV";
	default:
		return "?";
	}
}

RB_PRINTF(2, 3)
static void add(char text[static RB_QP_TEXT], const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + n, RB_QP_TEXT - n, fmt, args);
	va_end(args);
}

static const struct {
	unsigned int bit;
	const char *name;
} access_rows[] = {
	{ IBV_ACCESS_LOCAL_WRITE, "LOCAL_WRITE" },
	{ IBV_ACCESS_REMOTE_WRITE, "REMOTE_WRITE" },
	{ IBV_ACCESS_REMOTE_READ, "REMOTE_READ" },
	{ IBV_ACCESS_REMOTE_ATOMIC, "REMOTE_ATOMIC" },
	{ IBV_ACCESS_MW_BIND, "MW_BIND" },
	{ IBV_ACCESS_ZERO_BASED, "ZERO_BASED" },
	{ IBV_ACCESS_ON_DEMAND, "ON_DEMAND" },
	{ IBV_ACCESS_HUGETLB, "HUGETLB" },
	{ IBV_ACCESS_RELAXED_ORDERING, "RELAXED_ORDERING" },
};

const char *rb_access_text(unsigned int access, char text[static RB_QP_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < RB_ARRAY_SIZE(access_rows); i++) {
		if (access & access_rows[i].bit)
			add(text, "%s%s", *text ? "|" : "",
			    access_rows[i].name);
		access &= ~access_rows[i].bit;
	}
	if (access || !*text)
		add(text, "%s%#x", *text ? "|" : "", access);
	return text;
}

static void put_state(const struct ibv_qp_attr *attr, char *text)
{
	add(text, "%s", rb_qp_state_name(attr->qp_state));
}

static void put_access(const struct ibv_qp_attr *attr, char *text)
{
	char names[RB_QP_TEXT];

	add(text, "%s", rb_access_text(attr->qp_access_flags, names));
}

static void put_mtu(const struct ibv_qp_attr *attr, char *text)
{
	/* codes from 1, 256 bytes, each twice the one before */
	add(text, "%u", 128u << attr->path_mtu);
}

static void put_address(const struct ibv_qp_attr *attr, char *text)
{
	const struct ibv_ah_attr *ah = &attr->ah_attr;
	char gid[INET6_ADDRSTRLEN] = "?";

	inet_ntop(AF_INET6, ah->grh.dgid.raw, gid, sizeof(gid));
	add(text, "(");
	if (ah->is_global)
		add(text, "dgid %s sgid_index %u hop_limit %u tclass %u ", gid,
		    ah->grh.sgid_index, ah->grh.hop_limit,
		    ah->grh.traffic_class);
	add(text, "dlid %u sl %u port %u)", ah->dlid, ah->sl, ah->port_num);
}

/* A bit of the mask: how its value is put, or (put NULL) the number's place. */
struct row {
	int bit;
	const char *name;
	void (*put)(const struct ibv_qp_attr *attr, char *text);
	size_t offset, size;
	bool hex;
};

#define NUMBER(field, in_hex)                                                  \
	NULL, offsetof(struct ibv_qp_attr, field),                             \
		sizeof(((struct ibv_qp_attr *)0)->field), in_hex

static const struct row rows[] = {
	/* clang-format off */
	{ IBV_QP_STATE, "STATE", put_state, 0, 0, false },
	{ IBV_QP_CUR_STATE, "CUR_STATE", NUMBER(cur_qp_state, false) },
	{ IBV_QP_ACCESS_FLAGS, "ACCESS_FLAGS", put_access, 0, 0, false },
	{ IBV_QP_PKEY_INDEX, "PKEY_INDEX", NUMBER(pkey_index, false) },
	{ IBV_QP_PORT, "PORT", NUMBER(port_num, false) },
	{ IBV_QP_QKEY, "QKEY", NUMBER(qkey, true) },
	{ IBV_QP_AV, "AV", put_address, 0, 0, false },
	{ IBV_QP_PATH_MTU, "PATH_MTU", put_mtu, 0, 0, false },
	{ IBV_QP_DEST_QPN, "DEST_QPN", NUMBER(dest_qp_num, true) },
	{ IBV_QP_RQ_PSN, "RQ_PSN", NUMBER(rq_psn, true) },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC", NUMBER(max_dest_rd_atomic, false) },
	{ IBV_QP_MIN_RNR_TIMER, "MIN_RNR_TIMER", NUMBER(min_rnr_timer, false) },
	{ IBV_QP_SQ_PSN, "SQ_PSN", NUMBER(sq_psn, true) },
	{ IBV_QP_TIMEOUT, "TIMEOUT", NUMBER(timeout, false) },
	{ IBV_QP_RETRY_CNT, "RETRY_CNT", NUMBER(retry_cnt, false) },
	{ IBV_QP_RNR_RETRY, "RNR_RETRY", NUMBER(rnr_retry, false) },
	{ IBV_QP_MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC", NUMBER(max_rd_atomic, false) },
	/* clang-format on */
};

static void put_number(const struct row *row, const struct ibv_qp_attr *attr,
		       char *text)
{
	const char *at = (const char *)attr + row->offset;
	uint32_t value = row->size == 1 ? *(const uint8_t *)at :
			 row->size == 2 ? *(const uint16_t *)at :
					  *(const uint32_t *)at;

	add(text, row->hex ? "0x%06x" : "%u", value);
}

const char *rb_qp_attr_text(const struct ibv_qp_attr *attr, int mask,
			    char text[static RB_QP_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		if (!(mask & rows[i].bit))
			continue;
		add(text, "%s%s=", *text ? " " : "", rows[i].name);
		if (rows[i].put)
			rows[i].put(attr, text);
		else
			put_number(&rows[i], attr, text);
		mask &= ~rows[i].bit;
	}
	if (mask)
		add(text, " mask %#x", (unsigned int)mask);
	return text;
}
