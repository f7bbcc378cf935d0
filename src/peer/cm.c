/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cm - connect the QPs through rdma_cm(7)
 *
 * The QPs are ours (verbs/qp), on our own device context: an rdma_cm_id here has
 * no QP, rdma_init_qp_attr(3) says what the kernel decided for each move, and
 * the active side ends the handshake itself with rdma_establish(3). The private
 * data of a request names the session (a random token, sent before on the side
 * channel) and the QP's number in it, so that requests may arrive in any order
 * and a stranger's is refused.
 *
 * When a QP is ready depends on who connects. InfiniBand and RoCE say in the
 * answer what the QPs need to know of each other. A datagram's QP needs nothing
 * of the peer; the answer tells its number and key. With iWARP the driver makes
 * the connection, and moves both QPs to RTS.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "host/netdev.h"
#include "peer/cmchan.h"
#include "peer/conn.h"
#include "peer/oob.h"
#include "verbs/dev.h"
#include "verbs/qptext.h"

#define RESOLVE_MS 2000
#define WINDOW 64 /* connections in the making at once */
#define BACKLOG 1024

struct request_data { /* big endian, as all of CM */
	uint64_t token;
	uint32_t index;
	uint32_t reserved;
};

/*
 * rdma_cm believes every connection of its TCP port space to be RC. The request
 * that it sends says so too, but nobody acts on it: both ends make UC QPs, which
 * do not have these attributes (ibv_modify_qp(3)).
 */
#define RC_ATTRIBUTES                                                          \
	(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_TIMEOUT |   \
	 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

/* Move QP @i to @state with the attributes that the kernel chose. */
static int move(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i,
		enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rb_traced(rdma_init_qp_attr(id, &attr, &mask), "%u, %s", i,
		      rb_qp_state_name(state)))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm has no attributes for QP %u", i);
	if (conn->type == IBV_QPT_UC)
		mask &= ~RC_ATTRIBUTES;
	if (mask & IBV_QP_ACCESS_FLAGS)
		attr.qp_access_flags = conn->access;
	/* the user's choices hold with CM as well */
	if (mask & IBV_QP_QKEY)
		conn->path.qkey = attr.qkey;
	if (mask & IBV_QP_TIMEOUT)
		attr.timeout = conn->path.timeout;
	if (mask & IBV_QP_PATH_MTU)
		attr.path_mtu = rb_mtu_code(conn->path.mtu);
	if (mask & IBV_QP_AV) {
		attr.ah_attr.sl = conn->path.sl;
		attr.ah_attr.grh.traffic_class = conn->path.tclass;
		attr.ah_attr.grh.flow_label = conn->path.flow_label;
		if (conn->path.hop_limit)
			attr.ah_attr.grh.hop_limit = conn->path.hop_limit;
	}
	return rb_qp_apply(conn->qps[i].qp, &attr, mask);
}

static int move_to_init(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i)
{
	return move(conn, id, i, IBV_QPS_INIT);
}

/* To INIT with the key that the kernel chose; the rest is ours. */
int rb_cm_move_datagram(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i)
{
	struct ibv_qp_attr attr;
	int mask, err = move_to_init(conn, id, i);

	if (err)
		return err;
	mask = rb_qp_attr_rtr(conn->dev, &conn->path, conn->type, 0, 0, &attr);
	err = rb_qp_apply(conn->qps[i].qp, &attr, mask);
	if (err)
		return err;
	mask = rb_qp_attr_rts(&conn->path, conn->type, conn->qps[i].psn, &attr);
	return rb_qp_apply(conn->qps[i].qp, &attr, mask);
}

static int move_through(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i)
{
	int err = move(conn, id, i, IBV_QPS_INIT);

	if (!err)
		err = move(conn, id, i, IBV_QPS_RTR);
	return err ? err : move(conn, id, i, IBV_QPS_RTS);
}

static bool is_datagram(const struct rb_conn *conn)
{
	return conn->type == IBV_QPT_UD;
}

/* The QP is moved before its end asks or answers; else with the answer. */
static bool is_ready_early(const struct rb_conn *conn)
{
	return is_datagram(conn) || conn->dev->is_iwarp;
}

static int make_ready(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i)
{
	return is_datagram(conn) ? rb_cm_move_datagram(conn, id, i) :
				   move_to_init(conn, id, i);
}

static enum rdma_port_space port_space(const struct rb_conn *conn)
{
	return is_datagram(conn) ? RDMA_PS_UDP : RDMA_PS_TCP;
}

static struct rdma_conn_param param_of(const struct rb_conn *conn, uint32_t i)
{
	return (struct rdma_conn_param){
		.responder_resources = conn->path.rd_atomic,
		.initiator_depth = conn->path.rd_atomic,
		.retry_count = conn->path.retry_count,
		.rnr_retry_count = conn->path.rnr_retry,
		.qp_num = conn->qps[i].qp->qp_num,
	};
}

static void set_port(struct sockaddr_storage *addr, uint16_t port)
{
	/* sin_port and sin6_port are at the same place */
	((struct sockaddr_in *)addr)->sin_port = htons(port);
}

/* An address of the device's interface; all zeros when it has none. */
static struct in6_addr address_of_netdev(const struct rb_dev *dev)
{
	struct in6_addr found = { 0 };
	struct rb_netaddrs list;

	if (rb_netaddrs_read(&list))
		return found;
	for (unsigned int i = 0; i < list.n; i++)
		if (!strcmp(list.v[i].netdev, dev->netdev)) {
			found = list.v[i].addr;
			break;
		}
	rb_netaddrs_free(&list);
	return found;
}

/*
 * Where one end of the side channel is, in the form by which rdma_cm finds the
 * device: not as "::ffff:10.0.0.1", which a server that listens for both families
 * has. Two ends in one process have none, but share the device.
 */
static int find_address(const struct rb_dev *dev,
			 const struct sockaddr_storage *side_channel,
			 struct sockaddr_storage *addr)
{
	struct rb_gid as_gid = { .index = 0 };
	struct in6_addr at;

	if (!rb_netaddr_normal((const struct sockaddr *)side_channel, &at))
		at = address_of_netdev(dev);
	if (IN6_IS_ADDR_UNSPECIFIED(&at))
		return rb_fail_hint(RB_FAULT_CM_ADDRESS, -EADDRNOTAVAIL,
				    "iWARP connects by IP addresses, and none is known of the device's interface",
				    "try it with another host, or with 'rbench server' on this one",
				    "'%s' has no address to connect to",
				    dev->name);
	memcpy(as_gid.raw.raw, &at, sizeof(at));
	snprintf(as_gid.netdev, sizeof(as_gid.netdev), "%s", dev->netdev);
	rb_gid_sockaddr(&as_gid, addr);
	return 0;
}

/* iWARP's GIDs are no addresses: there the side channel's lead the way. */
static int address_of(const struct rb_conn *conn, const struct rb_gid *gid,
		       const struct sockaddr_storage *side_channel,
		       struct sockaddr_storage *addr)
{
	int err = 0;

	if (conn->dev->is_iwarp)
		err = find_address(conn->dev, side_channel, addr);
	else
		rb_gid_sockaddr(gid, addr);
	set_port(addr, 0);
	return err;
}

static int cm_prepare(struct rb_conn *conn, json_t *endpoints)
{
	struct sockaddr_storage addr;
	char from[RB_OOB_NAME];
	struct rb_cm *cm;
	int err = rb_cm_create(conn);

	if (err || conn->multicast)
		return err;
	cm = conn->cm;
	err = address_of(conn, &conn->path.gids.local, &conn->oob->local,
			 &addr);
	if (err)
		return err;
	if (getrandom(&cm->token, sizeof(cm->token), 0) != sizeof(cm->token))
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot get a random number");
	cm->token &= INT64_MAX; /* JSON's integers */
	rb_oob_address(&addr, from);
	if (rb_traced(rdma_create_id(cm->channel, &cm->listener, NULL,
				     port_space(conn)), "listener") ||
	    rb_traced(rdma_bind_addr(cm->listener, (struct sockaddr *)&addr),
		      "%s", from) ||
	    rb_traced(rdma_listen(cm->listener, BACKLOG), "port %u",
		      ntohs(rdma_get_src_port(cm->listener))))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm cannot listen on GID index %u of '%s'",
			       conn->path.gids.local.index, conn->dev->name);
	json_object_set_new(endpoints, "cm_port",
			    json_integer(ntohs(rdma_get_src_port(cm->listener))));
	json_object_set_new(endpoints, "cm_token",
			    json_integer((json_int_t)cm->token));
	return 0;
}

static int accept_one(struct rb_conn *conn, struct rdma_cm_event *event)
{
	struct rdma_conn_param param;
	struct request_data data;
	struct rb_cm *cm = conn->cm;
	uint32_t i;
	int err;

	/* at the same place in param.ud */
	if (event->param.conn.private_data_len < sizeof(data))
		return -EBADMSG;
	memcpy(&data, event->param.conn.private_data, sizeof(data));
	i = be32toh(data.index);
	if (be64toh(data.token) != cm->token || i >= cm->nids || cm->ids[i])
		return -EBADMSG;
	cm->ids[i] = event->id;
	err = is_ready_early(conn) ? make_ready(conn, event->id, i) :
				     move_through(conn, event->id, i);
	if (err)
		return err;
	param = param_of(conn, i);
	if (rb_traced(rdma_accept(event->id, &param),
		      "%u, qpn 0x%06x, rd_atomic %u", i, param.qp_num,
		      param.responder_resources))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm cannot accept connection %u", i);
	if (!is_datagram(conn))
		return 0;
	/* nothing more is heard; where to, if anything, is known */
	cm->established++;
	return conn->ah ? 0 : rb_conn_aim(conn, NULL);
}

/* Take a request; a stranger's is rejected and forgotten. */
static int take_request(struct rb_conn *conn, struct rdma_cm_event *event,
			struct rdma_cm_id **stranger)
{
	int err = accept_one(conn, event);

	if (err != -EBADMSG)
		return err;
	rb_info("refused a connection request that is not of this run");
	rb_traced(rdma_reject(event->id, NULL, 0), "a stranger's request");
	*stranger = event->id;
	return 0;
}

static int serve_event(struct rb_conn *conn)
{
	struct rdma_cm_id *stranger = NULL;
	struct rdma_cm_event *event;
	int err = rb_cm_next_event(conn, &event);

	if (err)
		return err;
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		err = take_request(conn, event, &stranger);
	else if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		conn->cm->established++;
	else
		err = rb_cm_event_failed(event);
	rdma_ack_cm_event(event);
	if (stranger)
		rdma_destroy_id(stranger);
	return err;
}

static int cm_serve(struct rb_conn *conn)
{
	int err = conn->multicast ? rb_cm_join(conn) : 0;

	if (conn->multicast)
		return err;
	while (!err && conn->cm->established < conn->nqps)
		err = serve_event(conn);
	return err;
}

/* Client: begin with QP @i. */
static int start_one(struct rb_conn *conn, uint32_t i)
{
	char here[RB_OOB_NAME], there[RB_OOB_NAME];
	struct sockaddr_storage from, to;
	struct rb_cm *cm = conn->cm;
	int err = address_of(conn, &conn->path.gids.local, &conn->oob->local,
			     &from);

	if (!err)
		err = address_of(conn, &conn->path.gids.peer, &conn->oob->peer,
				 &to);
	if (err)
		return err;
	set_port(&to, conn->peer.cm_port);
	if (rb_traced(rdma_create_id(cm->channel, &cm->ids[i],
				     (void *)(uintptr_t)i, port_space(conn)),
		      "%u", i))
		return rb_fail(RB_FAULT_CM, -errno,
			       "cannot create a connection identifier");
	if (conn->path.tclass) {
		uint8_t tos = conn->path.tclass;

		if (rb_traced(rdma_set_option(cm->ids[i], RDMA_OPTION_ID,
					      RDMA_OPTION_ID_TOS, &tos,
					      sizeof(tos)),
			      "%u, tos %u", i, tos))
			return rb_fail(RB_FAULT_CM, -errno,
				       "rdma_cm refused the traffic class");
	}
	rb_oob_address(&from, here);
	rb_oob_address(&to, there);
	if (rb_traced(rdma_resolve_addr(cm->ids[i], (struct sockaddr *)&from,
					(struct sockaddr *)&to, RESOLVE_MS),
		      "%u, %s to %s port %u", i, here, there,
		      conn->peer.cm_port))
		return rb_fail(RB_FAULT_CM_ADDRESS, -errno,
			       "rdma_cm cannot resolve the peer's address");
	return 0;
}

static int request_one(struct rb_conn *conn, uint32_t i)
{
	struct request_data data = { htobe64(conn->cm->token), htobe32(i), 0 };
	struct rdma_conn_param param = param_of(conn, i);
	int err = is_ready_early(conn) ? make_ready(conn, conn->cm->ids[i], i) :
					 0;

	if (err)
		return err;
	param.private_data = &data;
	param.private_data_len = sizeof(data);
	if (rb_traced(rdma_connect(conn->cm->ids[i], &param),
		      "%u, qpn 0x%06x, rd_atomic %u", i, param.qp_num,
		      param.responder_resources))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm cannot request connection %u", i);
	return 0;
}

static int right_device(const struct rb_conn *conn, const struct rdma_cm_id *id)
{
	const char *name = id->verbs ? ibv_get_device_name(id->verbs->device) :
				       "no device";

	if (!strcmp(name, conn->dev->name))
		return 0;
	return rb_fail_hint(RB_FAULT_CM_ADDRESS, -ENODEV, NULL,
			    "choose that device with -d, or connect without -R",
			    "rdma_cm routes to the peer over '%s', not over '%s'",
			    name, conn->dev->name);
}

static int establish(struct rb_conn *conn, struct rdma_cm_id *id, uint32_t i)
{
	int err = move_through(conn, id, i);

	if (err)
		return err;
	if (rb_traced(rdma_establish(id), "%u", i))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm cannot establish connection %u", i);
	conn->cm->established++;
	return 0;
}

/* Connected by the answer alone; a datagram's says where to send to. */
static int take_answer(struct rb_conn *conn, const struct rdma_cm_event *event,
		       uint32_t i)
{
	struct ibv_ah_attr to = event->param.ud.ah_attr;

	conn->cm->established++;
	if (!is_datagram(conn))
		return 0;
	conn->peer.qpn[i] = event->param.ud.qp_num;
	conn->path.qkey = event->param.ud.qkey;
	if (conn->ah)
		return 0;
	to.sl = conn->path.sl;
	to.grh.traffic_class = conn->path.tclass;
	return rb_ah_create_from(conn->dev, conn->pd, &to, &conn->ah);
}

static int connect_event(struct rb_conn *conn)
{
	struct rdma_cm_event *event;
	int err = rb_cm_next_event(conn, &event);
	uint32_t i;

	if (err)
		return err;
	i = (uint32_t)(uintptr_t)event->id->context;
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		err = right_device(conn, event->id);
		if (!err && rb_traced(rdma_resolve_route(event->id, RESOLVE_MS),
				      "%u", i))
			err = rb_fail(RB_FAULT_CM_ADDRESS, -errno,
				      "rdma_cm cannot resolve the route");
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		err = request_one(conn, i);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		err = take_answer(conn, event, i);
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		err = establish(conn, event->id, i);
		break;
	default:
		err = rb_cm_hear_reason(conn->oob);
		if (!err)
			err = rb_cm_event_failed(event);
	}
	rdma_ack_cm_event(event);
	return err;
}

static int cm_connect(struct rb_conn *conn)
{
	uint32_t started = 0;
	int err = rb_cm_create(conn);

	if (err)
		return err;
	if (conn->multicast)
		return rb_cm_join(conn);
	conn->cm->token = conn->peer.cm_token;
	while (!err && conn->cm->established < conn->nqps) {
		if (started < conn->nqps &&
		    started - conn->cm->established < WINDOW)
			err = start_one(conn, started++);
		else
			err = connect_event(conn);
	}
	return err;
}

const struct rb_conn_method rb_conn_cm = {
	.name = "cm",
	.prepare = cm_prepare,
	.serve = cm_serve,
	.connect = cm_connect,
	.close = rb_cm_close,
};
