/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * conn - connect all QPs of two ends, by a method of the table
 *
 * Whatever the method, the ends exchange one "endpoints" message each way with
 * all QPs in it; so the number of round trips on the side channel does not
 * depend on the number of QPs. "manual" needs nothing more; "cm" then lets
 * rdma_cm connect the same QPs with attributes that the kernel chose.
 */
#ifndef RB_CONN_H
#define RB_CONN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "verbs/datagram.h"
#include "verbs/qp.h"

struct rb_dev;
struct rb_oob;
struct rb_pool;
struct rb_conn_method;

#define RB_QPS_MAX (1u << 20)

/* The memory of one end that the other may write: QP i's is at i * stride. */
struct rb_region {
	uint64_t addr;
	uint64_t stride;
	uint32_t rkey;
};

struct rb_conn_peer {
	uint32_t *qpn, *psn; /* of each QP; owned */
	uint32_t *rkeys; /* the same; NULL: region.rkey is of all memory */
	uint32_t *target, *srqn; /* XRC: the QPs that receive, and what they lead to;
				  * NULL where the peer only sends */
	uint16_t lid;
	struct rb_region region;
	uint16_t cm_port;  /* where the server's CM listens */
	uint64_t cm_token; /* what its requests must carry */
};

struct rb_conn {
	const struct rb_conn_method *method;
	struct rb_oob *oob;
	const struct rb_dev *dev;
	enum ibv_qp_type type;
	unsigned int access;
	struct rb_qp *qps;
	uint32_t nqps;
	struct rb_path path;
	bool pkey_given; /* path.pkey_index is the user's */
	const struct rb_gid_table *local_gids, *peer_gids; /* server: to resolve
							    * the client's choice */
	struct rb_region region; /* ours */
	const struct rb_pool *pool; /* its memory regions, where they are several */
	const uint32_t *srqn; /* XRC: ours of each QP; NULL where this end only sends */
	bool sends; /* XRC: there are QPs that send */
	struct ibv_pd *pd;
	bool client;
	/* UD: the client's datagrams go to a group, to which all of the server's
	 * QPs listen; what the server sends goes to the client */
	bool multicast;
	union ibv_gid group; /* server: the client's word */
	struct rb_conn_peer peer;
	struct ibv_ah *ah; /* UD: where this end's datagrams go; peer.qpn too */
	struct rb_membership member;
	struct rb_cm *cm; /* of the method "cm" */
};

/* What a method does besides the exchange; none is NULL. */
struct rb_conn_method {
	const char *name;
	/* server, with the client's endpoints, before its own are sent */
	int (*prepare)(struct rb_conn *conn, json_t *endpoints);
	/* server, after its endpoints were sent */
	int (*serve)(struct rb_conn *conn);
	/* client, with the server's endpoints */
	int (*connect)(struct rb_conn *conn);
	void (*close)(struct rb_conn *conn);
};

extern const struct rb_conn_method rb_conn_manual;
extern const struct rb_conn_method rb_conn_cm;

/*
 * Connect: the client sends its endpoints with the path that it chose, the
 * server answers. conn's fields up to client are set by the caller (the
 * server's path comes from the client, but for what stands in options that both
 * ends know; its entry of the P_Key table is the one with the client's key).
 * 0 or a negative errno (reported).
 */
int rb_conn_open(struct rb_conn *conn);

/*
 * UD: make the address handle for what this end sends: to @to, or by the path
 * (NULL). 0 or a negative errno (reported).
 */
int rb_conn_aim(struct rb_conn *conn, struct ibv_ah_attr *to);

/*
 * UD: listen to conn->group with all QPs, and aim at the client. 0 or a negative
 * errno (reported).
 */
int rb_conn_listen(struct rb_conn *conn, const char *netdev);

/* The key of the peer's memory of QP @qp. */
static inline uint32_t rb_conn_rkey(const struct rb_conn *conn, uint32_t qp)
{
	return conn->peer.rkeys ? conn->peer.rkeys[qp] :
				  conn->peer.region.rkey;
}

/* Undo what the method holds and free the peer's data; safe twice. */
void rb_conn_close(struct rb_conn *conn);

#endif
