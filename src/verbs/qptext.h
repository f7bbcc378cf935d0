/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qptext - a move of a queue pair in words, for traces
 */
#ifndef RB_QPTEXT_H
#define RB_QPTEXT_H

#include <infiniband/verbs.h>

#define RB_QP_TEXT 400

/* "RC"; "?" for what is no type that is known here. */
const char *rb_qp_type_name(enum ibv_qp_type type);

/* "RTS"; "?" for what is no state. */
const char *rb_qp_state_name(enum ibv_qp_state state);

/*
 * The attributes that @mask sets, by the names of ibv_modify_qp(3) without
 * "IBV_QP_": "STATE=RTR AV=(sgid_index 1 dgid ...) PATH_MTU=1024 ...".
 */
const char *rb_qp_attr_text(const struct ibv_qp_attr *attr, int mask,
			    char text[static RB_QP_TEXT]);

/* "LOCAL_WRITE|REMOTE_READ", of enum ibv_access_flags; "0" for none. */
const char *rb_access_text(unsigned int access, char text[static RB_QP_TEXT]);

#endif
