/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules - what options of a run cannot go together
 */
#include "run/rules.h"

#include <errno.h>

#include "base/base.h"
#include "base/log.h"
#include "run/bench.h"
#include "run/load.h"
#include "run/options.h"
#include "run/pingpong.h"
#include "verbs/datagram.h"

/* What cannot go together, one row a rule. */
struct facts {
	const struct rb_optset *set;
	const struct rb_bench *bench;
	const struct rb_run_opts *run;
	const struct rb_conn_opts *conn;
	const struct rb_load_opts *load;
};

static bool is_atomic(const struct rb_bench *bench)
{
	return bench->verb == RB_VERB_FETCH_ADD;
}

static bool is_latency(const struct rb_bench *bench)
{
	return bench->pattern != RB_PATTERN_STREAM;
}

static bool given(const struct facts *f, const char *name)
{
	return rb_optset_source(f->set, name) == RB_SOURCE_USER;
}

static bool both_sizes(const struct facts *f)
{
	return f->run->all_sizes && given(f, "size");
}

static bool count_and_time(const struct facts *f)
{
	return given(f, "iters") && given(f, "duration");
}

static bool two_memories(const struct facts *f)
{
	return given(f, "mmap") && (given(f, "hugepages") || given(f, "odp"));
}

static bool offset_alone(const struct facts *f)
{
	return given(f, "mmap-offset") && !given(f, "mmap");
}

static bool forever_and_other(const struct facts *f)
{
	return f->run->forever &&
	       (given(f, "iters") || given(f, "duration") ||
		f->run->all_sizes || f->run->sizes.n > 1 ||
		f->run->repeat > 1 || f->run->until_stable);
}

static bool mod_over_depth(const struct facts *f)
{
	return f->bench->pattern == RB_PATTERN_STREAM &&
	       f->run->cq_mod != RB_AUTO && f->run->depth != RB_AUTO &&
	       f->run->cq_mod > f->run->depth;
}

static bool mod_within_list(const struct facts *f)
{
	return f->run->cq_mod != RB_AUTO && f->run->cq_mod % f->run->list;
}

static bool list_over_depth(const struct facts *f)
{
	return f->run->depth != RB_AUTO && f->run->list > f->run->depth;
}

static bool odd_mtu(const struct facts *f)
{
	uint64_t mtu = f->conn->mtu;

	return mtu != RB_AUTO && (mtu & (mtu - 1));
}

static bool warmup_by_count(const struct facts *f)
{
	return given(f, "iters") && given(f, "warmup");
}

static bool group_of_verify(const struct facts *f)
{
	return f->run->verify && f->conn->multicast;
}

static bool words_of_verify(const struct facts *f)
{
	return f->run->verify && is_atomic(f->bench) &&
	       f->load->footprint != RB_AUTO;
}

/* Messages of a stride that is shorter would be written over by the next. */
static bool overlap_of_verify(const struct facts *f)
{
	uint64_t most = f->run->all_sizes ? RB_ALL_SIZES_MOST :
					    rb_run_max_size(f->run);

	if (f->conn->transport == IBV_QPT_UD)
		most += RB_GRH_BYTES;
	return f->run->verify && f->load->footprint != RB_AUTO &&
	       !rb_load_places(f->load, most);
}

static bool spin_alone(const struct facts *f)
{
	return given(f, "spin") && !given(f, "events");
}

static bool pkey_with_cm(const struct facts *f)
{
	return f->conn->cm && given(f, "pkey-index");
}

static bool batch_of_latency(const struct facts *f)
{
	return is_latency(f->bench) && given(f, "cqe-poll");
}

static bool threads_without_qps(const struct facts *f)
{
	return f->load->threads > f->run->qps;
}

static bool threads_of_others(const struct facts *f)
{
	return f->load->threads > 1 && f->conn->multicast;
}

static bool samples_of_threads(const struct facts *f)
{
	return f->load->threads > 1 && given(f, "samples");
}

static bool odd_cores(const struct facts *f)
{
	return !rb_load_knows_cores(f->load);
}

static bool burst_alone(const struct facts *f)
{
	return given(f, "burst-size") && !f->load->rate;
}

static bool burst_within_list(const struct facts *f)
{
	return f->load->burst != RB_AUTO && f->load->burst % f->run->list;
}

static bool access_alone(const struct facts *f)
{
	return given(f, "access") && f->load->footprint == RB_AUTO;
}

/* What a loaded stream does, and a paced latency does not. */
static bool load_of_latency(const struct facts *f)
{
	return is_latency(f->bench) &&
	       (f->load->footprint != RB_AUTO || f->load->sges > 1 ||
		given(f, "burst-size"));
}

static bool background_of_bandwidth(const struct facts *f)
{
	return f->load->background && !is_latency(f->bench);
}

static bool background_size_alone(const struct facts *f)
{
	return given(f, "background-size") && !f->load->background;
}

static bool pieces_of_others(const struct facts *f)
{
	return f->load->sges > 1 && (is_atomic(f->bench) || f->run->srq ||
				     given(f, "inline-size"));
}

static bool pieces_of_nothing(const struct facts *f)
{
	for (unsigned int i = 0; i < f->run->sizes.n; i++)
		if (!f->run->all_sizes && f->run->sizes.v[i] < f->load->sges)
			return true;
	return f->run->all_sizes && f->load->sges > 2;
}

static bool vector_alone(const struct facts *f)
{
	return given(f, "vector") && !given(f, "events");
}

static bool size_of_atomic(const struct facts *f)
{
	return is_atomic(f->bench) && (given(f, "size") || f->run->all_sizes);
}

static bool type_without_atomic(const struct facts *f)
{
	return !is_atomic(f->bench) && given(f, "atomic-type");
}

static const struct rb_verb_row *verb_of(const struct facts *f)
{
	return rb_verb_row(rb_run_verb(f->bench, f->run));
}

static bool receives_without_send(const struct facts *f)
{
	return !verb_of(f)->receives && given(f, "rx-depth");
}

static bool imm_of_others(const struct facts *f)
{
	return f->run->imm && !verb_of(f)->has_imm;
}

static bool srq_without_send(const struct facts *f)
{
	return f->run->srq && !verb_of(f)->receives;
}

static bool solicited_alone(const struct facts *f)
{
	return f->run->solicited &&
	       (!verb_of(f)->receives || !given(f, "events") ||
		f->run->bidirectional);
}

static bool group_of_connected(const struct facts *f)
{
	return f->conn->multicast && f->conn->transport != IBV_QPT_UD;
}

static bool group_with_others(const struct facts *f)
{
	return f->conn->multicast &&
	       (f->run->bidirectional || f->run->srq || given(f, "qp"));
}

static bool group_alone(const struct facts *f)
{
	return given(f, "mgid") && !f->conn->multicast;
}

/* Receives of XRC are of one piece, and not those of a queue pair. */
static bool xrc_with_others(const struct facts *f)
{
	return f->conn->transport == IBV_QPT_XRC_SEND &&
	       (f->conn->cm || f->load->sges > 1);
}

static bool odd_group(const struct facts *f)
{
	union ibv_gid group;

	return f->conn->group && rb_group_parse(f->conn->group, &group);
}

static bool outs_without_read(const struct facts *f)
{
	return !rb_verb_row(f->bench->verb)->counts_rd_atomic &&
	       given(f, "outs");
}

static bool inline_inbound(const struct facts *f)
{
	return !rb_verb_row(f->bench->verb)->takes_inline &&
	       given(f, "inline-size");
}

static bool verify_of_latency(const struct facts *f)
{
	return f->run->verify && is_latency(f->bench);
}

static bool qps_of_latency(const struct facts *f)
{
	return is_latency(f->bench) &&
	       (f->run->qps != f->load->threads || f->conn->multicast > 1);
}

static bool both_ways_of_latency(const struct facts *f)
{
	return is_latency(f->bench) && f->run->bidirectional;
}

static bool list_of_latency(const struct facts *f)
{
	return is_latency(f->bench) && f->run->list > 1;
}

static bool depth_of_latency(const struct facts *f)
{
	return is_latency(f->bench) && given(f, "tx-depth") &&
	       f->run->depth != 1;
}

static bool mod_of_requests(const struct facts *f)
{
	return f->bench->pattern == RB_PATTERN_REQUEST && given(f, "cq-mod") &&
	       f->run->cq_mod != 1;
}

static bool mod_over_pingpong(const struct facts *f)
{
	uint32_t rx = verb_of(f)->receives ?
			      rb_pingpong_rx_batch((uint32_t)f->run->rx_depth) :
			      0;

	return f->bench->pattern == RB_PATTERN_PINGPONG &&
	       f->run->cq_mod != RB_AUTO &&
	       f->run->cq_mod >
		       rb_run_pingpong_mod(f->run, RB_PINGPONG_DEPTH, rx);
}

static bool events_of_memory(const struct facts *f)
{
	return f->bench->pattern == RB_PATTERN_PINGPONG &&
	       !verb_of(f)->receives && given(f, "events");
}

static bool stamps_of_bandwidth(const struct facts *f)
{
	return !is_latency(f->bench) && given(f, "hw-clock");
}

static bool stamps_of_memory(const struct facts *f)
{
	return f->bench->pattern == RB_PATTERN_PINGPONG &&
	       !verb_of(f)->receives && given(f, "hw-clock");
}

static bool one_receive(const struct facts *f)
{
	return is_latency(f->bench) && f->run->rx_depth < 2;
}

static const struct {
	bool (*broken)(const struct facts *f);
	const char *sentence;
} rules[] = {
	{ both_sizes, "--all and --size both say which sizes: give one of them" },
	{ count_and_time, "--iters and --duration both say when to stop: give one of them" },
	{ forever_and_other, "--forever measures one size until Ctrl-C: leave out -n, -D but 0, -a, further sizes and repetitions; --interval is how often it tells" },
	{ two_memories, "--mmap takes the memory of a file: leave out --hugepages and --odp" },
	{ offset_alone, "--mmap-offset is about --mmap: give both" },
	{ warmup_by_count, "--warmup is about --duration: a run by --iters has none" },
	{ group_of_verify, "--verify knows what each queue pair has to get from one other: in a --multicast group all get the same" },
	{ words_of_verify, "--verify follows the words on which atomics count: leave out --footprint, which moves them" },
	{ overlap_of_verify, "--verify needs a place for each message: a stride of --access must not be shorter than the largest one" },
	{ mod_over_depth, "--cq-mod is larger than --tx-depth: no completion would ever be asked for in time" },
	{ mod_within_list, "--cq-mod must be a multiple of --post-list: only the last message of a list asks for a completion" },
	{ list_over_depth, "--post-list is larger than --tx-depth: a list would never fit the queue" },
	{ odd_mtu, "--mtu must be 256, 512, 1024, 2048 or 4096" },
	{ spin_alone, "--spin is about --events: give both" },
	{ size_of_atomic, "an atomic operation is always 8 bytes: leave --size and --all out" },
	{ type_without_atomic, "--atomic-type is about atomics" },
	{ imm_of_others, "--imm is about writes and sends: nothing else carries immediate data" },
	{ receives_without_send, "--rx-depth is about sends and --imm: nothing else here takes a posted receive" },
	{ srq_without_send, "--srq is about sends and --imm: nothing else here takes a posted receive" },
	{ solicited_alone, "--solicited is about --events of sends or --imm in one direction: give it with both, and without --bidirectional" },
	{ group_of_connected, "--multicast is about datagrams: give -c UD" },
	{ group_with_others, "--multicast says how many queue pairs listen, each with receives of its own: leave out --qp, --srq and --bidirectional" },
	{ xrc_with_others, "-c XRC goes without -R (rdma_cm connects one queue pair, not one for each direction) and --sge" },
	{ group_alone, "--mgid is about --multicast: give both" },
	{ odd_group, "--mgid must be the address of a group, as 239.1.2.3 or ff15::1" },
	{ outs_without_read, "--outs is about reads and atomics" },
	{ inline_inbound, "--inline-size is about data that goes out: reads and atomics bring it in" },
	{ verify_of_latency, "--verify is about bandwidth: a latency is measured without a look at payloads" },
	{ qps_of_latency, "--qp: latency is that of one queue pair a thread at a time" },
	{ both_ways_of_latency, "--bidirectional is about bandwidth: a latency is that of one message at a time" },
	{ list_of_latency, "--post-list is about bandwidth: a latency is that of one message at a time" },
	{ depth_of_latency, "--tx-depth is about bandwidth: a latency is that of one message at a time" },
	{ mod_of_requests, "--cq-mod is 1 here: what completes is what is timed" },
	{ mod_over_pingpong, "--cq-mod of a latency is at most 64; with receives, which are posted again then, at most 15 and below --rx-depth" },
	{ events_of_memory, "--events: write_lat waits for memory to change, which raises no event; send_lat and --imm have events" },
	{ stamps_of_bandwidth, "--hw-clock is about latency: when a completion came, not how many" },
	{ stamps_of_memory, "--hw-clock: write_lat waits for memory to change, which no completion tells of; give --imm, or measure send_lat" },
	{ one_receive, "--rx-depth must be 2 at least: one is posted anew while the next message may come" },
	{ pkey_with_cm, "--pkey-index does not go with -R: rdma_cm takes the P_Key of the network interface" },
	{ batch_of_latency, "--cqe-poll is about bandwidth: a latency has one completion at a time" },
	{ threads_without_qps, "--threads: each thread needs a queue pair of its own: raise --qp" },
	{ threads_of_others, "--threads is not for groups: they have one thread" },
	{ samples_of_threads, "--samples writes those of one thread, in their order: leave out --threads" },
	{ odd_cores, "--cores must be a list of cores like 0-3,8, or 'any'" },
	{ burst_alone, "--burst-size is about --rate: give both" },
	{ burst_within_list, "--burst-size must be a multiple of --post-list: lists go whole" },
	{ access_alone, "--access is about --footprint: give both" },
	{ load_of_latency, "--footprint, --sge and --burst-size are about bandwidth: of a latency there is one message" },
	{ background_of_bandwidth, "--background is a load beside a latency: of bandwidth, raise --qp" },
	{ background_size_alone, "--background-size is about --background: give both" },
	{ pieces_of_others, "--sge is not for atomics, and goes without --srq and --inline-size" },
	{ pieces_of_nothing, "--sge: a message has fewer bytes than pieces: raise --size" },
	{ vector_alone, "--vector is about --events: give both" },
};

/* What the rounds of --verify have no use for. */
static const struct {
	const char *option, *sentence;
} not_verified[] = {
	{ "warmup", "--verify checks every message from the first on: leave out --warmup" },
	{ "interval", "--verify goes in rounds, between which nothing is under way: rates of an --interval would be those of chance" },
	{ "events", "--verify polls until all of a round is there, and sleeps for none of it: leave out --events" },
	{ "post-list", "--verify makes each payload right before it is posted: leave out --post-list" },
	{ "cq-mod", "--verify asks for one completion of each queue pair in a round: leave out --cq-mod" },
	{ "rx-depth", "--verify posts a receive for each message of a round: leave out --rx-depth; --tx-depth is how many a round has" },
};

static int refuse(const char *sentence)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--help shows the options", "%s", sentence);
}

static int refuse_transport(const struct rb_bench *bench, int transport)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, bench->transport_reason,
			    bench->transports & RB_TRANSPORT(IBV_QPT_UC) ?
				    "use -c RC or -c UC" :
				    "use -c RC",
			    "%s does not exist over %s", bench->name,
			 rb_conn_type_name(transport));
}

int rb_run_admit(const struct rb_bench *bench, const struct rb_run_opts *run,
		 const struct rb_conn_opts *conn,
		 const struct rb_load_opts *load)
{
	struct facts f = { NULL, bench, run, conn, load };
	const char *why = NULL;

	if (!(bench->transports & RB_TRANSPORT(conn->transport)))
		return rb_fail_cause(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				     bench->transport_reason,
				     "%s does not exist over %s", bench->name,
				     rb_conn_type_name(conn->transport));
	if (mod_over_depth(&f) || mod_over_pingpong(&f) || list_over_depth(&f))
		why = "its lists or completions exceed the queue";
	else if (mod_within_list(&f))
		why = "its completions are not those of whole lists";
	else if (threads_without_qps(&f) || threads_of_others(&f))
		why = "it has more threads than queue pairs for them";
	else if (odd_mtu(&f))
		why = "its path MTU is none";
	else if (group_of_connected(&f) ||
		 (conn->multicast && conn->multicast != run->qps))
		why = "its multicast group is none";
	else if (xrc_with_others(&f))
		why = "its XRC goes with something that XRC does not have";
	else if (imm_of_others(&f) || srq_without_send(&f))
		why = "its receives do not exist";
	else if (!run->sizes.n || (run->messages == RB_AUTO &&
				   (run->duration_ns == RB_AUTO ||
				    !run->duration_ns ||
				    run->warmup_ns == RB_AUTO)))
		why = "it says neither how much nor how long";
	if (!why)
		return 0;
	return rb_fail_cause(RB_FAULT_PEER_PROTOCOL, -EPROTO, why,
			     "the client's plan of %s is impossible",
			     bench->name);
}

int rb_run_refuse(const struct rb_optset *set, const struct rb_bench *bench,
		  const struct rb_run_opts *run,
		  const struct rb_conn_opts *conn,
		  const struct rb_load_opts *load)
{
	struct facts f = { set, bench, run, conn, load };

	for (size_t i = 0; i < RB_ARRAY_SIZE(rules); i++)
		if (rules[i].broken(&f))
			return refuse(rules[i].sentence);
	for (size_t i = 0; i < RB_ARRAY_SIZE(not_verified); i++)
		if (run->verify && given(&f, not_verified[i].option))
			return refuse(not_verified[i].sentence);
	if (!(bench->transports & RB_TRANSPORT(conn->transport)))
		return refuse_transport(bench, conn->transport);
	return 0;
}
