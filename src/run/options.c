/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * options - what a benchmark is asked to do
 */
#include "run/options.h"

#include "base/base.h"
#include "run/bench.h"
#include "run/repeat.h"
#include "run/verb.h"
#include "verbs/qp.h"

#define MESSAGE_MAX (1ull << 31) /* IB specification: 2^31 bytes */
#define CQ_MOD_SMALL 100	/* as perftest, so that figures compare */
#define CQ_MOD_SIZE (8u << 10)	/* above it every message is signalled */
#define DEPTH 128u
#define OUTSTANDING_BYTES (64u << 20) /* more fills no link, and takes long to drain */

const struct rb_enum rb_transport_names[] = {
	{ "RC", IBV_QPT_RC },
	{ "UC", IBV_QPT_UC },
	{ "UD", IBV_QPT_UD },
	{ "XRC", IBV_QPT_XRC_SEND }, /* its other end is XRC_RECV */
	{ NULL, 0 },
};

static const struct rb_opt conn_rows[] = {
	/* clang-format off */
	{ .name = "connection", .letter = 'c', .type = RB_OPT_ENUM, .def = "RC", .arg = "TYPE",
	  .offset = offsetof(struct rb_conn_opts, transport), .names = rb_transport_names,
	  .flags = RB_OPT_AGREE, .help = "transport: RC, UC, UD or XRC" },
	{ .name = "rdma-cm", .letter = 'R', .type = RB_OPT_FLAG, .flags = RB_OPT_AGREE,
	  .offset = offsetof(struct rb_conn_opts, cm), .help = "connect the queue pairs through rdma_cm" },
	{ .name = "mtu", .letter = 'm', .type = RB_OPT_SIZE, .min = 256, .max = 4096, .arg = "BYTES",
	  .offset = offsetof(struct rb_conn_opts, mtu), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "path MTU: 256, 512, 1024, 2048, 4096 [both ports' active MTU]" },
	{ .name = "sl", .letter = 'S', .type = RB_OPT_COUNT, .def = "0", .max = 15,
	  .offset = offsetof(struct rb_conn_opts, sl), .flags = RB_OPT_AGREE, .help = "service level" },
	{ .name = "tclass", .type = RB_OPT_COUNT, .def = "0", .max = 255,
	  .offset = offsetof(struct rb_conn_opts, tclass), .flags = RB_OPT_AGREE,
	  .help = "traffic class of the GRH: DSCP * 4 + ECN" },
	{ .name = "outs", .letter = 'o', .type = RB_OPT_COUNT, .min = 1, .max = 255,
	  .offset = offsetof(struct rb_conn_opts, rd_atomic), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "outstanding reads or atomics of each QP [both devices' limit]" },
	{ .name = "qp-timeout", .letter = 'u', .type = RB_OPT_COUNT, .def = "14", .min = 1, .max = 31,
	  .offset = offsetof(struct rb_conn_opts, qp_timeout), .flags = RB_OPT_AGREE,
	  .help = "ACK timeout: 4.096 us * 2^N, for each try" },
	{ .name = "retry-count", .type = RB_OPT_COUNT, .def = "7", .max = RB_RETRIES,
	  .offset = offsetof(struct rb_conn_opts, retry_count), .flags = RB_OPT_AGREE,
	  .help = "tries after the first before a message is given up" },
	{ .name = "rnr-retry", .type = RB_OPT_COUNT, .def = "7", .max = RB_RETRIES,
	  .offset = offsetof(struct rb_conn_opts, rnr_retry), .flags = RB_OPT_AGREE,
	  .help = "tries when the receiver was not ready; 7: for ever" },
	{ .name = "pkey-index", .type = RB_OPT_COUNT, .max = UINT16_MAX,
	  .offset = offsetof(struct rb_conn_opts, pkey_index), .flags = RB_OPT_AUTO,
	  .help = "entry of the port's P_Key table [0; server: the client's key]" },
	{ .name = "flow-label", .type = RB_OPT_COUNT, .def = "0", .max = 0xfffff,
	  .offset = offsetof(struct rb_conn_opts, flow_label), .flags = RB_OPT_AGREE,
	  .help = "flow label of the GRH; RoCE v2 makes its UDP source port of it" },
	{ .name = "hop-limit", .type = RB_OPT_COUNT, .min = 1, .max = 255,
	  .offset = offsetof(struct rb_conn_opts, hop_limit), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "hop limit of the GRH [64; with -R the kernel's]" },
	{ .name = "multicast", .letter = 'g', .type = RB_OPT_COUNT, .def = "0", .max = 4096,
	  .offset = offsetof(struct rb_conn_opts, multicast), .flags = RB_OPT_AGREE,
	  .help = "UD: send to a multicast group to which N queue pairs of the responder listen" },
	{ .name = "mgid", .letter = 'M', .type = RB_OPT_STRING, .arg = "GROUP",
	  .offset = offsetof(struct rb_conn_opts, group),
	  .help = "the group: 239.1.2.3 or ff15::1 [one of rbench's own]" },
	/* clang-format on */
};

const struct rb_optgroup rb_conn_optgroup = { "Connection", conn_rows,
					      RB_ARRAY_SIZE(conn_rows) };

static const struct rb_enum atomic_names[] = {
	{ "FETCH_AND_ADD", RB_VERB_FETCH_ADD },
	{ "CMP_AND_SWAP", RB_VERB_CMP_SWAP },
	{ NULL, 0 },
};

static const struct rb_opt run_rows[] = {
	/* clang-format off */
	{ .name = "size", .letter = 's', .type = RB_OPT_SIZES, .def = "64K", .min = 1, .max = MESSAGE_MAX,
	  .arg = "SIZES", .offset = offsetof(struct rb_run_opts, sizes), .flags = RB_OPT_AGREE,
	  .help = "message sizes: 4K, a list 64,4K,1M, a range 2:8M:*2; latency: 2, else" },
	{ .name = "all", .letter = 'a', .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, all_sizes),
	  .help = "sizes " RB_ALL_SIZES },
	{ .name = "iters", .letter = 'n', .type = RB_OPT_COUNT, .min = 1,
	  .offset = offsetof(struct rb_run_opts, messages), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "messages of each queue pair, in place of a duration" },
	{ .name = "duration", .letter = 'D', .type = RB_OPT_DURATION, .min = 10 * RB_NS_PER_MS,
	  .max = RB_DURATION_MAX, .arg = "TIME",
	  .offset = offsetof(struct rb_run_opts, duration_ns), .flags = RB_OPT_AGREE | RB_OPT_AUTO | RB_OPT_OR_ZERO,
	  .help = "measured time of each size [3 s, in a sweep 1 s]; 0: --forever" },
	{ .name = "forever", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, forever),
	  .flags = RB_OPT_AGREE, .help = "measure until Ctrl-C at either end; each --interval is a row" },
	{ .name = "warmup", .type = RB_OPT_DURATION, .max = 3600 * RB_NS_PER_S, .arg = "TIME",
	  .offset = offsetof(struct rb_run_opts, warmup_ns), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "time before it, not measured [a tenth of it]" },
	{ .name = "repeat", .type = RB_OPT_COUNT, .def = "1", .min = 1, .max = RB_REPEAT_MAX,
	  .offset = offsetof(struct rb_run_opts, repeat), .flags = RB_OPT_AGREE,
	  .help = "runs of each size: median, confidence interval, variation" },
	{ .name = "until-stable", .type = RB_OPT_COUNT, .def = "0", .max = 100, .arg = "PCT",
	  .offset = offsetof(struct rb_run_opts, until_stable), .flags = RB_OPT_AGREE,
	  .help = "repeat until the 95 % interval is within PCT percent; at most --repeat or 20 runs; 0: do not" },
	{ .name = "interval", .type = RB_OPT_DURATION, .def = "100ms", .min = RB_NS_PER_MS,
	  .max = 3600 * RB_NS_PER_S, .arg = "TIME",
	  .offset = offsetof(struct rb_run_opts, interval_ns), .flags = RB_OPT_AGREE,
	  .help = "the rate is also taken over intervals of this length [--forever: 1 s]" },
	{ .name = "qp", .letter = 'q', .type = RB_OPT_COUNT, .def = "1", .min = 1, .max = 1u << 20,
	  .offset = offsetof(struct rb_run_opts, qps), .flags = RB_OPT_AGREE, .help = "queue pairs" },
	{ .name = "tx-depth", .letter = 't', .type = RB_OPT_COUNT, .min = 1, .max = 1u << 20,
	  .offset = offsetof(struct rb_run_opts, depth), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "outstanding messages of each queue pair [128, at most 64 MiB]" },
	{ .name = "rx-depth", .letter = 'r', .type = RB_OPT_COUNT, .def = "512", .min = 1, .max = 1u << 20,
	  .offset = offsetof(struct rb_run_opts, rx_depth), .flags = RB_OPT_AGREE,
	  .help = "send, --imm: receives posted ahead on each queue pair, or the --srq; latency: 16, else" },
	{ .name = "atomic-type", .letter = 'A', .type = RB_OPT_ENUM, .def = "FETCH_AND_ADD", .arg = "TYPE",
	  .offset = offsetof(struct rb_run_opts, atomic), .names = atomic_names, .flags = RB_OPT_AGREE,
	  .help = "atomic: FETCH_AND_ADD or CMP_AND_SWAP" },
	{ .name = "cq-mod", .letter = 'Q', .type = RB_OPT_COUNT, .min = 1, .max = 1u << 20,
	  .offset = offsetof(struct rb_run_opts, cq_mod), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "a completion every N messages [100, 1 above 8 KiB; latency: 64, send 15]" },
	{ .name = "post-list", .letter = 'l', .type = RB_OPT_COUNT, .def = "1", .min = 1, .max = 4096,
	  .offset = offsetof(struct rb_run_opts, list), .flags = RB_OPT_AGREE,
	  .help = "messages handed to the device in one call" },
	{ .name = "inline-size", .letter = 'I', .type = RB_OPT_SIZE, .max = 65536, .arg = "BYTES",
	  .offset = offsetof(struct rb_run_opts, inline_bytes), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "send messages up to this size inline [0; latency: what the device takes]" },
	{ .name = "bidirectional", .letter = 'b', .type = RB_OPT_FLAG,
	  .offset = offsetof(struct rb_run_opts, bidirectional), .flags = RB_OPT_AGREE,
	  .help = "both ends send, in the same window" },
	{ .name = "imm", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, imm),
	  .flags = RB_OPT_AGREE, .help = "write, send: with immediate data, which the responder checks" },
	{ .name = "solicited", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, solicited),
	  .flags = RB_OPT_AGREE, .help = "with -e: messages ask for an event, the responder waits for such only" },
	{ .name = "srq", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, srq),
	  .flags = RB_OPT_AGREE, .help = "one shared receive queue for all queue pairs" },
	{ .name = "mr-per-qp", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, mr_per_qp),
	  .flags = RB_OPT_AGREE, .help = "a memory region for each queue pair, not one for all" },
	{ .name = "post-send", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, post_send),
	  .help = "use ibv_post_send even where the provider has ibv_wr_*" },
	{ .name = "no-effect", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, no_effect),
	  .flags = RB_OPT_HIDDEN, .help = "options of perftest that ask for what is always so" },
	{ .name = "verify", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_run_opts, verify),
	  .flags = RB_OPT_AGREE, .help = "check every payload on the responder (slow)" },
	/* clang-format on */
};

const struct rb_optgroup rb_run_optgroup = { "Measurement", run_rows,
					     RB_ARRAY_SIZE(run_rows) };

enum rb_verb rb_run_verb(const struct rb_bench *bench,
			 const struct rb_run_opts *run)
{
	enum rb_verb verb = bench->verb;

	if (verb == RB_VERB_FETCH_ADD)
		verb = (enum rb_verb)run->atomic;
	return run->imm ? rb_verb_row(verb)->with_imm : verb;
}

bool rb_conn_is_lossy(const struct rb_conn_opts *conn)
{
	return conn->transport != IBV_QPT_RC &&
	       conn->transport != IBV_QPT_XRC_SEND;
}

uint64_t rb_run_max_size(const struct rb_run_opts *run)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < run->sizes.n; i++)
		most = RB_MAX(most, run->sizes.v[i]);
	return most;
}

uint64_t rb_run_depth(const struct rb_run_opts *run, uint64_t size)
{
	uint64_t depth;

	if (run->depth != RB_AUTO)
		return run->depth;
	depth = RB_MIN(OUTSTANDING_BYTES / RB_MAX(size, 1), DEPTH);
	if (run->depth_limit)
		depth = RB_MIN(depth, run->depth_limit);
	/* a default must not be in the way of what was asked for */
	depth = RB_MAX(depth, RB_MAX(2, run->list));
	return run->cq_mod == RB_AUTO ? depth : RB_MAX(depth, run->cq_mod);
}

uint64_t rb_run_cq_mod(const struct rb_run_opts *run, uint64_t size)
{
	uint64_t mod = run->cq_mod;

	if (mod == RB_AUTO)
		mod = size > CQ_MOD_SIZE ? 1 : CQ_MOD_SMALL;
	mod = RB_MIN(mod, rb_run_depth(run, size));
	/* whole lists: the last request of one carries the completion */
	return RB_MAX(mod - mod % run->list, run->list);
}

uint64_t rb_run_pingpong_mod(const struct rb_run_opts *run, uint64_t depth,
			     uint64_t rx_batch)
{
	uint64_t most = rx_batch ? RB_MIN(rx_batch, depth / 2) : depth / 2;

	return run->cq_mod == RB_AUTO ? most : RB_MIN(run->cq_mod, most);
}

const char *rb_conn_type_name(int transport)
{
	for (const struct rb_enum *e = rb_transport_names; e->name; e++)
		if (e->value == transport)
			return e->name;
	return "?";
}

void rb_conn_set_path(const struct rb_conn_opts *conn, struct rb_path *path)
{
	path->sl = (uint8_t)conn->sl;
	path->tclass = (uint8_t)conn->tclass;
	path->timeout = (uint8_t)conn->qp_timeout;
	path->retry_count = (uint8_t)conn->retry_count;
	path->rnr_retry = (uint8_t)conn->rnr_retry;
	path->flow_label = (uint32_t)conn->flow_label;
	if (conn->pkey_index != RB_AUTO)
		path->pkey_index = (uint16_t)conn->pkey_index;
	if (conn->hop_limit != RB_AUTO)
		path->hop_limit = (uint8_t)conn->hop_limit;
}
