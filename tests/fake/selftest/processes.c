/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* processes - two processes exchange data, wake and survive each other. */

#include "end.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

static struct end e;
static struct end_addr peer;
static int wire;

static void swap_addresses(const struct end_opts *opts)
{
	struct end_addr own = end_address(&e);

	CHECK(write(wire, &own, sizeof(own)) == sizeof(own));
	CHECK(read(wire, &peer, sizeof(peer)) == sizeof(peer));
	CHECK(!end_init(&e, opts) && !end_connect(&e, &peer, opts));
}

static void barrier(void)
{
	char c = 0;

	CHECK(write(wire, &c, 1) == 1 && read(wire, &c, 1) == 1);
}

static void ping_pong_in_memory(bool first)
{
	volatile char *in = e.buf + 100, *out = e.buf;
	struct end_addr to = peer;
	int i;

	to.addr += 100;
	for (i = 1; i <= ROUNDS; i++) {
		if (!first)
			while (*in != (char)i)
				continue;
		*out = (char)i;
		CHECK(!end_post(&e, IBV_WR_RDMA_WRITE, &to, 1, 2));
		CHECK(end_wait(&e).status == 0);
		if (first)
			while (*in != (char)i)
				continue;
	}
	barrier();
}

static void both_add_to_one_counter(bool first)
{
	struct end_addr to = first ? end_address(&e) : peer;
	int i;

	/* the first process's memory: itself it reaches by the other's QP */
	to.addr += 4096;
	for (i = 0; i < ROUNDS && !first; i++) {
		CHECK(!end_post(&e, IBV_WR_ATOMIC_FETCH_AND_ADD, &to, 8, 2));
		CHECK(end_wait(&e).status == 0);
	}
	barrier();
	if (first)
		CHECK(*(uint64_t *)(void *)(e.buf + 4096) == ROUNDS);
	barrier();
}

static void sends_wake_a_sleeper(bool first)
{
	struct pollfd p = { .fd = e.channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;
	int i;

	for (i = 0; i < 100; i++) {
		if (first) {
			CHECK(!end_receive(&e, 1, 64));
			CHECK(!ibv_req_notify_cq(e.cq, 0));
			barrier();
			CHECK(poll(&p, 1, 5000) == 1);
			CHECK(!ibv_get_cq_event(e.channel, &cq, &context));
			ibv_ack_cq_events(cq, 1);
			CHECK(end_wait(&e).byte_len == 64);
		} else {
			barrier();
			CHECK(!end_post(&e, IBV_WR_SEND, NULL, 64, 2));
			CHECK(end_wait(&e).status == 0);
		}
	}
	barrier();
}

static void many_sends_arrive_in_order(bool first)
{
	int i, posted = 0;

	for (; first && posted < END_DEPTH; posted++)
		CHECK(!end_receive(&e, (uint64_t)posted, 4));
	barrier();
	for (i = 0; i < ROUNDS; i++) {
		struct ibv_wc wc;

		if (!first)
			CHECK(!end_post(&e, IBV_WR_SEND, NULL, 4, 2));
		wc = end_wait(&e);
		CHECK(wc.status == 0);
		if (!first)
			continue;
		CHECK(wc.wr_id == (uint64_t)i);
		CHECK(!end_receive(&e, (uint64_t)posted++, 4));
	}
	barrier();
}

static void the_responder_hears_of_a_bad_key(bool first)
{
	struct end_addr to = peer;

	barrier();
	if (first) {
		CHECK(end_event(&e) == IBV_EVENT_QP_ACCESS_ERR);
	} else {
		to.rkey += 1 << 20;
		CHECK(!end_post(&e, IBV_WR_RDMA_READ, &to, 4, 2));
		CHECK(end_wait(&e).status == IBV_WC_REM_ACCESS_ERR);
	}
	barrier();
}

static void (*const tests[])(bool first) = {
	ping_pong_in_memory, both_add_to_one_counter, sends_wake_a_sleeper,
	many_sends_arrive_in_order, the_responder_hears_of_a_bad_key,
};

static void run_all(bool first)
{
	size_t i;

	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		end_open(&e, !first, &end_defaults);
		swap_addresses(&end_defaults);
		barrier();
		tests[i](first);
		end_close(&e);
	}
}

/* The child is killed while it is written to: the writer has to notice. */
static void outlive_the_peer(pid_t child)
{
	struct ibv_wc wc;

	end_open(&e, 0, &end_defaults);
	swap_addresses(&end_defaults);
	barrier();
	CHECK(!end_post(&e, IBV_WR_RDMA_WRITE, &peer, 1000, 2));
	CHECK(end_wait(&e).status == 0);
	kill(child, SIGKILL);
	usleep(20000);			/* a zombie, until waited for */
	do {
		CHECK(!end_post(&e, IBV_WR_RDMA_WRITE, &peer, 1000, 2));
		wc = end_wait(&e);
	} while (!wc.status);
	CHECK(wc.status == IBV_WC_RETRY_EXC_ERR && wc.vendor_err == 0x81);
	end_close(&e);
	CHECK(waitpid(child, NULL, 0) == child);
}

static void be_killed(void)
{
	end_open(&e, 1, &end_defaults);
	swap_addresses(&end_defaults);
	barrier();
	for (;;)
		CHECK(!end_post(&e, IBV_WR_RDMA_WRITE, &peer, 1 << 19, 2) &&
		      end_wait(&e).status == 0);
}

static void flood(void)
{
	struct ibv_wc wc;

	end_open(&e, 1, &end_defaults);
	swap_addresses(&end_defaults);
	barrier();
	for (;;) {
		if (end_post(&e, IBV_WR_SEND, NULL, 4000, 2))
			while (!ibv_poll_cq(e.cq, 1, &wc))
				continue;
	}
}

/* Killed at any point, a requester leaves no lock and no queue behind. */
static void survives_peers_killed_in_the_act(int round)
{
	int fds[2], i;
	pid_t child;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	child = fork();
	wire = fds[child == 0];
	if (!child)
		flood();
	end_open(&e, 0, &end_defaults);
	swap_addresses(&end_defaults);
	for (i = 0; i < END_DEPTH; i++)
		CHECK(!end_receive(&e, 1, 4000));
	barrier();
	for (i = 0; i < 50 + 7 * round; i++) {
		CHECK(end_wait(&e).status == 0);
		CHECK(!end_receive(&e, 1, 4000));
	}
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
	end_close(&e);
	close(fds[0]);
	close(fds[1]);
}

/* Before its own first call, so that each child starts afresh. */
static void run_killings(void)
{
	pid_t child = fork();
	int status, i;

	if (!child) {
		for (i = 0; i < 40; i++)
			survives_peers_killed_in_the_act(i);
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	int fds[2];
	pid_t child;

	run_killings();
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	child = fork();
	wire = fds[child == 0];
	run_all(child != 0);
	if (!child)
		be_killed();
	outlive_the_peer(child);
	puts("processes: ok");
	return 0;
}
