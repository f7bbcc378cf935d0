/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* planned - every item of the plan does what README.md says. */

#include "end.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct end a, b;
static struct end_addr ba;

static void open_pair(void)
{
	pair_open(&a, &b, &end_defaults);
	ba = end_address(&b);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void second_create_qp_fails(void)
{
	end_open(&a, 0, &end_defaults);
	errno = 0;
	CHECK(!ibv_create_qp(a.pd, &(struct ibv_qp_init_attr) {
		.send_cq = a.cq, .recv_cq = a.cq, .qp_type = IBV_QPT_RC }));
	CHECK(errno == EMFILE);
	end_close(&a);
}

static void third_control_call_fails(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = ibv_open_device(list[0]);

	CHECK(ctx && !ibv_alloc_pd(ctx) && errno == EPERM);
	ibv_free_device_list(list);
	CHECK(!ibv_close_device(ctx));
}

static void fourth_completion_is_an_error(void)
{
	struct ibv_wc wc[8];
	int i;

	open_pair();
	for (i = 0; i < 6; i++)
		CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(ibv_poll_cq(a.cq, 8, wc) == 6);
	CHECK(wc[2].status == 0 && wc[3].status == IBV_WC_REM_OP_ERR);
	CHECK(wc[3].vendor_err == 0x22);
	CHECK(wc[4].status == IBV_WC_WR_FLUSH_ERR && wc[5].status);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	pair_close(&a, &b);
}

static void second_post_fails(void)
{
	open_pair();
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2) == ENOMEM);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	pair_close(&a, &b);
}

static void port_flaps(void)
{
	struct ibv_port_attr attr;

	open_pair();
	CHECK(end_event(&a) == IBV_EVENT_PORT_ERR);
	CHECK(!ibv_query_port(a.ctx, 1, &attr) && attr.state == IBV_PORT_DOWN);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_is_quiet(&a));
	CHECK(end_event(&a) == IBV_EVENT_PORT_ACTIVE);
	CHECK(end_wait(&a).status == IBV_WC_SUCCESS);
	pair_close(&a, &b);
}

static void queue_pair_dies(void)
{
	open_pair();
	CHECK(end_event(&a) == IBV_EVENT_QP_FATAL);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	pair_close(&a, &b);
}

static void device_dies(void)
{
	struct ibv_port_attr attr;

	open_pair();
	CHECK(end_event(&a) == IBV_EVENT_DEVICE_FATAL);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_is_quiet(&a));
	CHECK(ibv_query_port(a.ctx, 1, &attr) == EIO);
	pair_close(&a, &b);
}

static void device_is_as_planned(void)
{
	struct ibv_device_attr_ex ex;
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;

	end_open(&a, 1, &end_defaults);
	CHECK(!ibv_query_device_ex(a.ctx, NULL, &ex));
	CHECK(ex.orig_attr.max_qp == 16 && ex.orig_attr.vendor_id == 0x8086);
	CHECK(!strcmp(ex.orig_attr.fw_ver, "9.9"));
	CHECK(!ibv_query_port(a.ctx, 1, &port));
	CHECK(port.active_mtu == IBV_MTU_1024 && port.max_msg_sz == 1 << 20);
	CHECK(port.active_speed == 64 && port.active_width == 2);
	CHECK(!ibv_query_gid_ex(a.ctx, 1, 1, &gid, 0));
	CHECK(gid.gid_type == IBV_GID_TYPE_ROCE_V1 && !gid.ndev_ifindex);
	CHECK(gid.gid.raw[15] == 2);
	CHECK(ibv_query_gid_ex(a.ctx, 1, 2, &gid, 0) == ENODATA);
	end_close(&a);
}

static void infiniband_goes_by_lid(void)
{
	struct ibv_gid_entry gids[4];
	struct ibv_port_attr port;

	end_open(&a, 1, &end_defaults);
	CHECK(!ibv_query_port(a.ctx, 1, &port) && port.lid == 2);
	CHECK(port.link_layer == IBV_LINK_LAYER_INFINIBAND);
	CHECK(port.state == IBV_PORT_DOWN);
	CHECK(ibv_query_gid_table(a.ctx, gids, 4, 0) == 1);
	CHECK(gids[0].gid_type == IBV_GID_TYPE_IB);
	end_close(&a);
}

static void no_device_at_all(void)
{
	int n = 9;
	struct ibv_device **list = ibv_get_device_list(&n);

	CHECK(list && !n && !list[0]);
	ibv_free_device_list(list);
}

static void second_message_is_corrupt(void)
{
	int i, wrong = 0;

	open_pair();
	memset(a.buf, 1, 1000);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1000, 2));
	CHECK(b.buf[500] == 1);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1000, 2));
	for (i = 0; i < 1000; i++)
		wrong += b.buf[i] != 1;
	CHECK(wrong == 1);
	pair_close(&a, &b);
}

static void second_message_never_arrives(void)
{
	open_pair();
	memset(a.buf, 1, 1000);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 500, 2));
	CHECK(end_wait(&a).status == 0);
	memset(a.buf, 2, 1000);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 500, 2));
	CHECK(end_wait(&a).status == 0);
	CHECK(b.buf[0] == 1 && b.buf[499] == 1);
	pair_close(&a, &b);
}

static void first_message_goes_aside(void)
{
	open_pair();
	memset(a.buf, 1, 1000);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 500, 2));
	CHECK(end_wait(&a).status == 0);
	CHECK(b.buf[499] == 0 && b.buf[500] == 1 && b.buf[999] == 1);
	pair_close(&a, &b);
}

static void lost_message_is_retry_exceeded(void)
{
	open_pair();
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_wait(&a).status == 0);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_wait(&a).status == IBV_WC_RETRY_EXC_ERR);
	pair_close(&a, &b);
}

static double time_of(int n, uint32_t len)
{
	double t = now();
	int posted = 0, done = 0;

	while (done < n) {
		while (posted < n && posted - done < END_DEPTH) {
			CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, len, 2));
			posted++;
		}
		CHECK(end_wait(&a).status == 0);
		done++;
	}
	return now() - t;
}

/* Never faster than planned; slower only when the machine is busy. */
static bool takes(double want, int n, uint32_t len)
{
	double t = 0;
	int tries;

	for (tries = 0; tries < 5; tries++) {
		t = time_of(n, len);
		if (t < want * 0.98)
			break;
		if (t < want * 1.2)
			return true;
	}
	fprintf(stderr, "took %f s instead of %f s\n", t, want);
	return false;
}

static void service_takes_its_time(void)
{
	open_pair();
	CHECK(takes(0.001, 1, 1));
	CHECK(takes(0.1, 100, 1));
	pair_close(&a, &b);
}

static void unattended_messages_arrive_too(void)
{
	double t;

	open_pair();
	a.buf[0] = 1;
	t = now();
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 0));
	while (!*(volatile char *)b.buf)
		continue;
	t = now() - t;
	CHECK(t > 0.001 && t < 0.02);
	pair_close(&a, &b);
}

static void bimodal_is_a_mixture(void)
{
	open_pair();
	CHECK(time_of(200, 1) > 0.02 && time_of(200, 1) < 0.15);
	pair_close(&a, &b);
}

static void rate_is_kept_and_steps(void)
{
	double t;

	open_pair();
	/* 1 Mbyte at 1 Gb/s is 8.4 ms; from 50 ms on it is half as fast */
	t = time_of(5, 1 << 20);
	CHECK(t > 5 * 0.0083 && t < 5 * 0.0160);
	time_of(2, 1 << 20);
	CHECK(takes(4 * 0.016777, 4, 1 << 20));
	pair_close(&a, &b);
}

static void stalls_come_each_period(void)
{
	double t;

	open_pair();
	time_of(1, 1);
	usleep(70000);			/* the last 40 of each 100 ms */
	t = time_of(1, 1);
	CHECK(t > 0.005);
	pair_close(&a, &b);
}

static void instant_moves_nothing(void)
{
	struct ibv_wc wc;

	open_pair();
	a.buf[0] = 1;
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	wc = end_wait(&a);
	CHECK(wc.wr_id == IBV_WR_RDMA_WRITE && !wc.status);
	CHECK(wc.qp_num == a.qp->qp_num && !b.buf[0]);
	CHECK(!end_receive(&b, 8, 32));
	wc = end_wait(&b);
	CHECK(wc.wr_id == 8 && wc.byte_len == 32 && wc.opcode == IBV_WC_RECV);
	pair_close(&a, &b);
}

static uint64_t clock_of(struct ibv_context *ctx)
{
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	CHECK(!ibv_query_rt_values_ex(ctx, &v));
	CHECK(v.comp_mask & IBV_VALUES_MASK_RAW_CLOCK && !v.raw_clock.tv_sec);
	return (uint64_t)v.raw_clock.tv_nsec;
}

/* 1 MHz and a tenth, 16 bits: 0.1 s are 110000 ticks, which is once round or, on a busy machine, more */
static void clock_runs_as_planned(void)
{
	struct ibv_device_attr_ex attr;
	uint64_t from, ticks;
	int16_t off;
	double t;

	end_open(&a, 0, &end_defaults);
	CHECK(!ibv_query_device_ex(a.ctx, NULL, &attr));
	CHECK(attr.hca_core_clock == 1000);
	CHECK(attr.completion_timestamp_mask == 0xffff);
	from = clock_of(a.ctx);
	t = now();
	usleep(100000);
	ticks = (clock_of(a.ctx) - from) & 0xffff;
	/* as often round as it took; what is left over agrees */
	off = (int16_t)(ticks - (uint64_t)((now() - t) * 1.1e6));
	CHECK(from <= 0xffff);
	CHECK(off > -2000 && off < 2000);
	end_close(&a);
}

static void no_clock_no_stamps(void)
{
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 8, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_device_attr_ex attr;

	end_open(&a, 0, &end_defaults);
	CHECK(!ibv_query_device_ex(a.ctx, NULL, &attr));
	CHECK(!attr.completion_timestamp_mask && !attr.hca_core_clock);
	CHECK(ibv_query_rt_values_ex(a.ctx, &v) == EOPNOTSUPP);
	CHECK(!ibv_create_cq_ex(a.ctx, &cq) && errno == EOPNOTSUPP);
	end_close(&a);
}

static void polls_are_late(void)
{
	open_pair();
	CHECK(takes(0.005, 1, 1));
	pair_close(&a, &b);
}

static const struct {
	const char *plan;
	void (*test)(void);
} tests[] = {
	{ "ibv_create_qp#2=EMFILE", second_create_qp_fails },
	{ "control#3=EPERM", third_control_call_fails },
	{ "wc#4=REM_OP_ERR:0x22", fourth_completion_is_an_error },
	{ "post_send#2=ENOMEM", second_post_fails },
	{ "event@50ms=PORT_ERR; event@55ms=PORT_ACTIVE", port_flaps },
	{ "event@50ms=QP_FATAL", queue_pair_dies },
	{ "event@50ms=DEVICE_FATAL", device_dies },
	{ "max_qp=16;vendor_id=0x8086;fw_ver=9.9;mtu=1024;max_msg_sz=1M;"
	  "speed=200;gid=v1only;netdev=none", device_is_as_planned },
	{ "link=infiniband;port=down", infiniband_goes_by_lid },
	{ "devices=0", no_device_at_all },
	{ "corrupt#2", second_message_is_corrupt },
	{ "lose#2", second_message_never_arrives },
	{ "misplace#1", first_message_goes_aside },
	{ "drop#2", lost_message_is_retry_exceeded },
	{ "service=1ms", service_takes_its_time },
	{ "service=1ms", unattended_messages_arrive_too },
	{ "service=bimodal:100us,1ms,0.1", bimodal_is_a_mixture },
	{ "rate=1@0s,0.5@50ms", rate_is_kept_and_steps },
	{ "stall=40ms/100ms", stalls_come_each_period },
	{ "instant", instant_moves_nothing },
	{ "hw_clock=1000;hw_clock_ppm=100000;hw_clock_bits=16;hw_clock_start=60000",
	  clock_runs_as_planned },
	{ "hw_clock=0", no_clock_no_stamps },
	{ "service=1ms;poll_late=4ms", polls_are_late },
};

/* Each in its own process, since a plan is read once. */
static int run(size_t i)
{
	pid_t child = fork();
	int status;

	if (!child) {
		setenv("RB_FAKE", tests[i].plan, 1);
		tests[i].test();
		exit(0);
	}
	if (waitpid(child, &status, 0) == child && !status)
		return 0;
	fprintf(stderr, "RB_FAKE='%s': failed\n", tests[i].plan);
	return 1;
}

int main(void)
{
	int failed = 0;
	size_t i;

	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		failed += run(i);
	if (failed)
		return 1;
	puts("planned: ok");
	return 0;
}
