/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * conn - exchange the endpoints of all QPs, and connect by hand ("manual")
 */
#include "peer/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "peer/oob.h"
#include "peer/pkey.h"
#include "verbs/dev.h"
#include "verbs/mem.h"

static json_t *qps_json(const struct rb_conn *conn)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < conn->nqps; i++)
		json_array_append_new(
			list, json_pack("[I,I]",
					(json_int_t)conn->qps[i].qp->qp_num,
					(json_int_t)conn->qps[i].psn));
	return list;
}

/* The key of each QP's memory, where each has a region of its own. */
static void add_rkeys(const struct rb_conn *conn, json_t *memory)
{
	json_t *list;

	if (!conn->pool || conn->pool->nmrs < 2)
		return;
	list = json_array();
	for (uint32_t i = 0; i < conn->nqps; i++)
		json_array_append_new(list,
				      json_integer(rb_pool_mr(conn->pool, i)->rkey));
	json_object_set_new(memory, "rkeys", list);
}

static struct ibv_qp *target_of(const struct rb_conn *conn, uint32_t i)
{
	const struct rb_qp *qp = &conn->qps[i];

	return qp->target ? qp->target : qp->qp;
}

/* XRC, of an end that receives: who does it, and into what. */
static json_t *xrc_json(const struct rb_conn *conn)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < conn->nqps; i++)
		json_array_append_new(
			list,
			json_pack("[I,I]",
				  (json_int_t)target_of(conn, i)->qp_num,
				  (json_int_t)conn->srqn[i]));
	return list;
}

/* The client's choice of what both ends' datagrams carry. */
static json_t *datagrams_json(const struct rb_conn *conn)
{
	json_t *o = json_pack("{s:I}", "qkey", (json_int_t)conn->path.qkey);
	char text[RB_GID_TEXT];

	if (conn->multicast)
		json_object_set_new(o, "group",
				    json_string(rb_gid_text(&conn->group,
							    text)));
	return o;
}

static json_t *endpoints_json(const struct rb_conn *conn)
{
	json_t *frame = json_pack(
		"{s:s, s:i, s:{s:I, s:I, s:I}, s:o}", "type", "endpoints",
		"lid", (int)conn->dev->port_attr.lid, "memory", "address",
		(json_int_t)conn->region.addr, "stride",
		(json_int_t)conn->region.stride, "rkey",
		(json_int_t)conn->region.rkey, "qps", qps_json(conn));

	add_rkeys(conn, json_object_get(frame, "memory"));
	if (conn->srqn)
		json_object_set_new(frame, "xrc", xrc_json(conn));
	/* the client decides for both; GID indexes are of each one's own table */
	if (conn->client)
		json_object_set_new(
			frame, "path",
			json_pack("{s:i, s:i, s:b, s:i, s:i}", "mtu",
				  (int)conn->path.mtu, "rd_atomic",
				  (int)conn->path.rd_atomic, "global",
				  (int)conn->path.global, "gid_index",
				  (int)conn->path.gids.local.index,
				  "peer_gid_index",
				  (int)conn->path.gids.peer.index));
	if (conn->client && conn->type == IBV_QPT_UD)
		json_object_set_new(frame, "datagrams", datagrams_json(conn));
	return frame;
}

/* Two numbers of 24 bits, as QP numbers and PSNs are (IBTA 9.2). */
static bool take_pair(const json_t *pair, uint32_t *a, uint32_t *b)
{
	json_int_t x, y;

	if (json_unpack((json_t *)(uintptr_t)pair, "[I,I]", &x, &y) || x < 0 ||
	    x > RB_PSN_MASK || y < 0 || y > RB_PSN_MASK)
		return false;
	*a = (uint32_t)x;
	*b = (uint32_t)y;
	return true;
}

static int load_qps(struct rb_conn *conn, const json_t *list)
{
	struct rb_conn_peer *peer = &conn->peer;

	if (json_array_size(list) != conn->nqps)
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "the peer has %zu queue pairs, not %u",
			       json_array_size(list), conn->nqps);
	peer->qpn = calloc(conn->nqps, sizeof(*peer->qpn));
	peer->psn = calloc(conn->nqps, sizeof(*peer->psn));
	if (!peer->qpn || !peer->psn)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the peer's queue pairs");
	for (uint32_t i = 0; i < conn->nqps; i++)
		if (!take_pair(json_array_get(list, i), &peer->qpn[i],
			       &peer->psn[i]))
			return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				       "the peer's queue pair %u is malformed",
				       i);
	return 0;
}

static int load_xrc(struct rb_conn *conn, const json_t *list)
{
	struct rb_conn_peer *peer = &conn->peer;

	if (conn->type != IBV_QPT_XRC_SEND || !conn->sends)
		return 0;
	peer->target = calloc(conn->nqps, sizeof(*peer->target));
	peer->srqn = calloc(conn->nqps, sizeof(*peer->srqn));
	if (!peer->target || !peer->srqn)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the peer's queue pairs");
	for (uint32_t i = 0; i < conn->nqps; i++)
		if (!take_pair(json_array_get(list, i), &peer->target[i],
			       &peer->srqn[i]))
			return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				       "the peer's receiving queue pair %u is malformed",
				       i);
	return 0;
}

static int load_rkeys(struct rb_conn *conn, const json_t *list)
{
	if (!list)
		return 0;
	conn->peer.rkeys = calloc(conn->nqps, sizeof(*conn->peer.rkeys));
	if (!conn->peer.rkeys)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the peer's memory keys");
	for (uint32_t i = 0; i < conn->nqps; i++) {
		const json_t *rkey = json_array_get(list, i);
		json_int_t v = json_integer_value(rkey);

		if (!json_is_integer(rkey) || v < 0 || v > UINT32_MAX)
			return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				       "the peer's key to the memory of queue pair %u is malformed",
				       i);
		conn->peer.rkeys[i] = (uint32_t)v;
	}
	return 0;
}

static int load_endpoints(struct rb_conn *conn, const json_t *frame)
{
	const json_t *memory = json_object_get(frame, "memory");
	struct rb_region *region = &conn->peer.region;
	uint64_t lid, rkey, port = 0;
	int err = rb_frame_uint(frame, "lid", 0, UINT16_MAX, &lid);

	if (!err)
		err = rb_frame_uint(memory, "address", 0, INT64_MAX,
				    &region->addr);
	if (!err)
		err = rb_frame_uint(memory, "stride", 0, INT64_MAX,
				    &region->stride);
	if (!err)
		err = rb_frame_uint(memory, "rkey", 0, UINT32_MAX, &rkey);
	if (!err)
		err = rb_frame_uint_maybe(frame, "cm_port", 1, UINT16_MAX,
					  &port);
	if (!err && port)
		err = rb_frame_uint(frame, "cm_token", 0, INT64_MAX,
				    &conn->peer.cm_token);
	if (err)
		return err;
	conn->peer.lid = (uint16_t)lid;
	conn->path.peer_lid = (uint16_t)lid;
	conn->peer.cm_port = (uint16_t)port;
	region->rkey = (uint32_t)rkey;
	err = load_rkeys(conn, json_object_get(memory, "rkeys"));
	if (!err)
		err = load_xrc(conn, json_object_get(frame, "xrc"));
	return err ? err : load_qps(conn, json_object_get(frame, "qps"));
}

static int open_client(struct rb_conn *conn)
{
	json_t *frame = endpoints_json(conn);
	int err = rb_pkey_tell(conn, json_object_get(frame, "path"));

	if (err) {
		json_decref(frame);
		return err;
	}
	err = rb_oob_send(conn->oob, frame);
	if (err)
		return err;
	err = rb_oob_expect(conn->oob, "endpoints", &frame);
	if (err)
		return err;
	err = load_endpoints(conn, frame);
	json_decref(frame);
	return err ? err : conn->method->connect(conn);
}

static int find_gid(const struct rb_gid_table *table, uint64_t index,
		    struct rb_gid *gid)
{
	for (unsigned int i = 0; i < table->n; i++) {
		if (table->v[i].index == index) {
			*gid = table->v[i];
			return 0;
		}
	}
	return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
		       "the peer chose GID index %u, which is empty",
		       (unsigned int)index);
}

static int take_datagrams(struct rb_conn *conn, const json_t *frame)
{
	const json_t *o = json_object_get(frame, "datagrams");
	const char *group = json_string_value(json_object_get(o, "group"));
	uint64_t qkey;
	int err;

	if (conn->type != IBV_QPT_UD)
		return 0;
	err = rb_frame_uint(o, "qkey", 0, RB_QKEY_MASK, &qkey);
	if (err)
		return err;
	conn->path.qkey = (uint32_t)qkey;
	if (conn->multicast && (!group || rb_group_parse(group, &conn->group)))
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "the peer chose no multicast group");
	return 0;
}

/* The pair of entries that the client chose, in our own table's terms. */
static int take_path(struct rb_conn *conn, const json_t *frame)
{
	const json_t *path = json_object_get(frame, "path");
	uint64_t mtu, rd_atomic = 1, mine, theirs;
	int err = rb_frame_uint(path, "mtu", 256, 4096, &mtu);

	if (!err && !rb_mtu_code((unsigned int)mtu))
		err = rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			      "the peer chose a path MTU of %u, which does not exist",
			      (unsigned int)mtu);
	if (!err)
		err = rb_frame_uint(path, "peer_gid_index", 0, 255, &mine);
	if (!err)
		err = rb_frame_uint(path, "gid_index", 0, 255, &theirs);
	if (err)
		return err;
	err = rb_frame_uint_maybe(path, "rd_atomic", 0, UINT8_MAX, &rd_atomic);
	if (err)
		return err;
	conn->path.mtu = (unsigned int)mtu;
	conn->path.rd_atomic = (uint8_t)rd_atomic;
	conn->path.global = json_is_true(json_object_get(path, "global"));
	err = rb_pkey_take(conn, path);
	if (err)
		return err;
	err = find_gid(conn->local_gids, mine, &conn->path.gids.local);
	return err ? err :
		     find_gid(conn->peer_gids, theirs, &conn->path.gids.peer);
}

static int open_server(struct rb_conn *conn)
{
	json_t *frame, *own;
	int err = rb_oob_expect(conn->oob, "endpoints", &frame);

	if (err)
		return err;
	err = take_path(conn, frame);
	if (!err)
		err = take_datagrams(conn, frame);
	if (!err)
		err = load_endpoints(conn, frame);
	json_decref(frame);
	if (err)
		return err;
	own = endpoints_json(conn);
	err = conn->method->prepare(conn, own);
	if (err) {
		json_decref(own);
		return err;
	}
	err = rb_oob_send(conn->oob, own);
	return err ? err : conn->method->serve(conn);
}

int rb_conn_open(struct rb_conn *conn)
{
	conn->member.fd = -1;
	return conn->client ? open_client(conn) : open_server(conn);
}

int rb_conn_aim(struct rb_conn *conn, struct ibv_ah_attr *to)
{
	if (conn->multicast && conn->client)
		for (uint32_t i = 0; i < conn->nqps; i++)
			conn->peer.qpn[i] = RB_MULTICAST_QPN;
	return to ? rb_ah_create_from(conn->dev, conn->pd, to, &conn->ah) :
		    rb_ah_create(conn->dev, conn->pd, &conn->path, &conn->ah);
}

int rb_conn_listen(struct rb_conn *conn, const char *netdev)
{
	int err;

	conn->member.group = conn->group;
	err = rb_membership_open(&conn->member, conn->qps, conn->nqps, netdev);
	return err ? err : rb_conn_aim(conn, NULL);
}

void rb_conn_close(struct rb_conn *conn)
{
	if (conn->method) {
		rb_membership_close(&conn->member);
		conn->method->close(conn);
	}
	rb_ah_destroy(conn->ah);
	conn->ah = NULL;
	free(conn->peer.qpn);
	free(conn->peer.psn);
	free(conn->peer.rkeys);
	free(conn->peer.target);
	free(conn->peer.srqn);
	memset(&conn->peer, 0, sizeof(conn->peer));
}

/* The manual method: both ends apply what was exchanged. */

static int move_to_rtr(struct rb_conn *conn, struct ibv_qp *qp,
		       uint32_t peer_qpn, uint32_t peer_psn)
{
	struct ibv_qp_attr attr;
	int mask = rb_qp_attr_init(conn->dev, &conn->path, qp->qp_type,
				   conn->access, &attr);
	int err = rb_qp_apply(qp, &attr, mask);

	if (err)
		return err;
	mask = rb_qp_attr_rtr(conn->dev, &conn->path, qp->qp_type, peer_qpn,
			      peer_psn, &attr);
	return rb_qp_apply(qp, &attr, mask);
}

static int move_to_rts(struct rb_conn *conn, uint32_t i)
{
	struct rb_qp *qp = &conn->qps[i];
	struct ibv_qp_attr attr;
	int mask, err;

	err = move_to_rtr(conn, qp->qp,
			  conn->peer.target ? conn->peer.target[i] :
					      conn->peer.qpn[i],
			  conn->peer.psn[i]);
	/* what only receives is ready then */
	if (!err && qp->target)
		err = move_to_rtr(conn, qp->target, conn->peer.qpn[i],
				  conn->peer.psn[i]);
	if (err || qp->qp->qp_type == IBV_QPT_XRC_RECV)
		return err;
	mask = rb_qp_attr_rts(&conn->path, qp->qp->qp_type, qp->psn, &attr);
	return rb_qp_apply(qp->qp, &attr, mask);
}

static int aim_datagrams(struct rb_conn *conn)
{
	struct ibv_ah_attr to = rb_path_address(conn->dev, &conn->path);

	if (conn->multicast && !conn->client)
		return rb_conn_listen(conn, conn->path.gids.local.netdev);
	if (!conn->multicast)
		return rb_conn_aim(conn, NULL);
	to.grh.dgid = conn->group;
	return rb_conn_aim(conn, &to);
}

static int move_all(struct rb_conn *conn)
{
	int err = 0;

	for (uint32_t i = 0; i < conn->nqps && !err; i++)
		err = move_to_rts(conn, i);
	return err || conn->type != IBV_QPT_UD ? err : aim_datagrams(conn);
}

static int manual_prepare(struct rb_conn *conn, json_t *endpoints)
{
	(void)endpoints;
	return move_all(conn);
}

static int manual_serve(struct rb_conn *conn)
{
	(void)conn;
	return 0;
}

static void manual_close(struct rb_conn *conn)
{
	(void)conn;
}

const struct rb_conn_method rb_conn_manual = {
	.name = "manual",
	.prepare = manual_prepare,
	.serve = manual_serve,
	.connect = move_all,
	.close = manual_close,
};
