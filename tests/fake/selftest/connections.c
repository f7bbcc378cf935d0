/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* connections - the double of librdmacm, with queue pairs of one's own. */

#include "end.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

enum { PORT = 7471 };

struct side {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct end end;
};

static struct sockaddr_in address(int last, uint16_t port)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = last ? htonl(0x7f000000u + (uint32_t)last) :
				   INADDR_ANY,
	};
}

static void side_open(struct side *s, int dev)
{
	end_open(&s->end, dev, &end_defaults);
	s->channel = rdma_create_event_channel();
	CHECK(s->channel);
	CHECK(!rdma_create_id(s->channel, &s->id, s, RDMA_PS_TCP));
}

static void side_close(struct side *s)
{
	if (s->id)
		CHECK(!rdma_destroy_id(s->id));
	rdma_destroy_event_channel(s->channel);
	end_close(&s->end);
}

static struct rdma_cm_event *next(struct side *s)
{
	struct pollfd p = { .fd = s->channel->fd, .events = POLLIN };
	struct rdma_cm_event *e;

	CHECK(poll(&p, 1, 3000) == 1);
	CHECK(!rdma_get_cm_event(s->channel, &e));
	return e;
}

static int expect(struct side *s, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *e = next(s);
	int status = e->status;

	if (e->event != type)
		fprintf(stderr, "%s (%d) instead of %s\n",
			rdma_event_str(e->event), status, rdma_event_str(type));
	CHECK(e->event == type);
	CHECK(!rdma_ack_cm_event(e));
	return status;
}

static void listen_on(struct side *s, int last)
{
	struct sockaddr_in any = address(last, PORT);

	CHECK(!rdma_bind_addr(s->id, (struct sockaddr *)&any));
	CHECK(!rdma_listen(s->id, 8));
	CHECK(ntohs(rdma_get_src_port(s->id)) == PORT);
}

static void resolve(struct side *s, int from, int to)
{
	struct sockaddr_in src = address(from, 0), dst = address(to, PORT);

	CHECK(!rdma_resolve_addr(s->id, (struct sockaddr *)&src,
				 (struct sockaddr *)&dst, 1000));
	CHECK(expect(s, RDMA_CM_EVENT_ADDR_RESOLVED) == 0);
	CHECK(!strcmp(s->id->verbs->device->name, from == 1 ? "fake0" : "fake1"));
	CHECK(!rdma_resolve_route(s->id, 1000));
	CHECK(expect(s, RDMA_CM_EVENT_ROUTE_RESOLVED) == 0);
}

static void move(struct side *s, struct rdma_cm_id *id,
		 enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	CHECK(!rdma_init_qp_attr(id, &attr, &mask));
	CHECK(!ibv_modify_qp(s->end.qp, &attr, mask));
}

static void move_to_rts(struct side *s, struct rdma_cm_id *id)
{
	move(s, id, IBV_QPS_INIT);
	move(s, id, IBV_QPS_RTR);
	move(s, id, IBV_QPS_RTS);
}

static struct rdma_conn_param param_of(struct side *s, struct end_addr *data)
{
	*data = end_address(&s->end);
	return (struct rdma_conn_param) {
		.private_data = data, .private_data_len = sizeof(*data),
		.qp_num = s->end.qp->qp_num, .responder_resources = 4,
		.initiator_depth = 4, .retry_count = 7, .rnr_retry_count = 7,
	};
}

static void start_connect(struct side *c)
{
	struct end_addr data;
	struct rdma_conn_param param = param_of(c, &data);

	CHECK(!rdma_connect(c->id, &param));
}

static struct rdma_cm_id *take_request(struct side *s, struct end_addr *data)
{
	struct rdma_cm_event *e = next(s);
	struct rdma_cm_id *id = e->id;

	CHECK(e->event == RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK(e->listen_id == s->id && id->verbs && id->port_num == 1);
	CHECK(e->param.conn.private_data_len == sizeof(*data));
	memcpy(data, e->param.conn.private_data, sizeof(*data));
	CHECK(!rdma_ack_cm_event(e));
	return id;
}

static struct rdma_cm_id *accept_one(struct side *s, struct end_addr *peer)
{
	struct rdma_cm_id *id = take_request(s, peer);
	struct end_addr data;
	struct rdma_conn_param param = param_of(s, &data);

	move_to_rts(s, id);
	CHECK(!rdma_accept(id, &param));
	return id;
}

static struct end_addr finish_connect(struct side *c)
{
	struct rdma_cm_event *e = next(c);
	struct end_addr peer;

	CHECK(e->event == RDMA_CM_EVENT_CONNECT_RESPONSE);
	memcpy(&peer, e->param.conn.private_data, sizeof(peer));
	CHECK(e->param.conn.qp_num == peer.qpn);
	CHECK(!rdma_ack_cm_event(e));
	move_to_rts(c, c->id);
	CHECK(!rdma_establish(c->id));
	return peer;
}

static void connects_writes_and_hangs_up(void)
{
	struct side s, c;
	struct rdma_cm_id *id;
	struct end_addr to_c, to_s;

	side_open(&s, 1);
	side_open(&c, 0);
	listen_on(&s, 0);
	resolve(&c, 1, 2);
	start_connect(&c);
	id = accept_one(&s, &to_c);
	to_s = finish_connect(&c);
	CHECK(expect(&s, RDMA_CM_EVENT_ESTABLISHED) == 0);
	c.end.buf[0] = 5;
	CHECK(!end_post(&c.end, IBV_WR_RDMA_WRITE, &to_s, 1, 2));
	CHECK(end_wait(&c.end).status == 0 && s.end.buf[0] == 5);
	CHECK(!end_post(&s.end, IBV_WR_RDMA_READ, &to_c, 1, 2));
	CHECK(end_wait(&s.end).status == 0);
	CHECK(!rdma_disconnect(c.id));
	CHECK(expect(&c, RDMA_CM_EVENT_DISCONNECTED) == 0);
	CHECK(expect(&s, RDMA_CM_EVENT_DISCONNECTED) == 0);
	CHECK(!rdma_destroy_id(id));
	side_close(&c);
	side_close(&s);
}

static void a_reject_carries_its_reason(void)
{
	struct side s, c;
	struct end_addr data;
	struct rdma_cm_id *id;

	side_open(&s, 1);
	side_open(&c, 0);
	listen_on(&s, 2);
	resolve(&c, 1, 2);
	start_connect(&c);
	id = take_request(&s, &data);
	CHECK(!rdma_reject(id, "no", 3));
	CHECK(!rdma_destroy_id(id));
	CHECK(expect(&c, RDMA_CM_EVENT_REJECTED) == 28);
	side_close(&c);
	side_close(&s);
}

static void nobody_listens(void)
{
	struct sockaddr_in far = address(77, PORT);
	struct side c;

	side_open(&c, 0);
	resolve(&c, 1, 2);
	start_connect(&c);
	CHECK(expect(&c, RDMA_CM_EVENT_REJECTED) == 8);
	side_close(&c);

	side_open(&c, 0);
	CHECK(!rdma_resolve_addr(c.id, NULL, (struct sockaddr *)&far, 100));
	CHECK(expect(&c, RDMA_CM_EVENT_ADDR_ERROR) == -EHOSTUNREACH);
	side_close(&c);
}

static void ports_are_taken_once(void)
{
	struct sockaddr_in a = address(1, PORT);
	struct side s, t;

	side_open(&s, 0);
	side_open(&t, 0);
	listen_on(&s, 1);
	CHECK(rdma_bind_addr(t.id, (struct sockaddr *)&a) == -1 &&
	      errno == EADDRINUSE);
	side_close(&s);
	CHECK(!rdma_bind_addr(t.id, (struct sockaddr *)&a));
	side_close(&t);
}

static void connect_and_wait_for_death(int go)
{
	struct side c;
	char byte;

	CHECK(read(go, &byte, 1) == 1);
	side_open(&c, 1);
	resolve(&c, 2, 1);
	start_connect(&c);
	finish_connect(&c);
	pause();
}

static void a_killed_peer_is_a_disconnect(void)
{
	struct rdma_cm_id *id;
	struct end_addr data;
	struct side s;
	int go[2];
	pid_t child;

	CHECK(!pipe(go));
	child = fork();
	if (!child)
		connect_and_wait_for_death(go[0]);
	side_open(&s, 0);
	listen_on(&s, 1);
	CHECK(write(go[1], "", 1) == 1);
	id = accept_one(&s, &data);
	CHECK(expect(&s, RDMA_CM_EVENT_ESTABLISHED) == 0);
	kill(child, SIGKILL);
	CHECK(expect(&s, RDMA_CM_EVENT_DISCONNECTED) == 0);
	CHECK(!rdma_destroy_id(id));
	side_close(&s);
	waitpid(child, NULL, 0);
}

static void the_plan_rejects(void)
{
	struct side c;

	side_open(&c, 0);
	resolve(&c, 1, 2);
	start_connect(&c);
	CHECK(expect(&c, RDMA_CM_EVENT_REJECTED) == 28);
	side_close(&c);
}

static void the_plan_fails_a_call(void)
{
	struct sockaddr_in dst = address(1, PORT);
	struct side c;

	side_open(&c, 0);
	CHECK(rdma_resolve_addr(c.id, NULL, (struct sockaddr *)&dst, 1) == -1 &&
	      errno == ENETUNREACH);
	side_close(&c);
}

static void in_a_child(void (*test)(void), const char *plan)
{
	pid_t child = fork();
	int status;

	if (!child) {
		setenv("RB_FAKE", plan, 1);
		test();
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	in_a_child(the_plan_rejects, "cm=REJECTED:28");
	in_a_child(the_plan_fails_a_call, "rdma_resolve_addr#1=ENETUNREACH");
	in_a_child(a_killed_peer_is_a_disconnect, "");
	connects_writes_and_hangs_up();
	a_reject_carries_its_reason();
	nobody_listens();
	ports_are_taken_once();
	puts("connections: ok");
	return 0;
}
