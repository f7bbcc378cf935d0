/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heed - what the device and the path in use allow: for defaults, and for what
 * was asked for
 */
#include "run/heed.h"

#include <errno.h>

#include "base/units.h"
#include "run/bench.h"
#include "run/context.h"

static bool other_than_rc(const struct rb_context *ctx)
{
	return rb_conn_is_lossy(&ctx->conn_opts);
}

static bool without_cm(const struct rb_context *ctx)
{
	return !ctx->conn_opts.cm;
}

static bool with_imm(const struct rb_context *ctx)
{
	return ctx->run_opts.imm;
}

/* It tells the responder what is there. */
static bool with_verify(const struct rb_context *ctx)
{
	return ctx->run_opts.verify &&
	       rb_verb_row(rb_context_verb(ctx))->takes_inline;
}

static bool both_ways(const struct rb_context *ctx)
{
	return ctx->run_opts.bidirectional;
}

/* What iWARP does not have, a row each (RFC 5040, RFC 5044). */
static const struct {
	bool (*asked)(const struct rb_context *ctx);
	const char *what, *cause, *hint;
} iwarp_rows[] = {
	{ other_than_rc, "has reliable connections only", "iWARP runs over TCP",
	  "use -c RC" },
	{ without_cm, "is connected through rdma_cm only",
	  "an iWARP connection begins as one of TCP, which the kernel makes",
	  "give -R" },
	{ with_imm, "sends no immediate data", "iWARP has no such messages",
	  "leave --imm out" },
	{ with_verify, "sends no immediate data, by which --verify tells what was written or sent",
	  "iWARP has no such messages", "leave --verify out, or check reads: read_bw --verify" },
	{ both_ways, "does not measure both directions at once",
	  "with iWARP the accepting end may not send before it was sent to (RFC 5044 7.1)",
	  "leave -b out; run a second pair of rbench, with the hosts exchanged" },
};

static int heed_iwarp(const struct rb_context *ctx)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(iwarp_rows); i++)
		if (iwarp_rows[i].asked(ctx))
			return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP,
					    iwarp_rows[i].cause,
					    iwarp_rows[i].hint,
					    "'%s' is an iWARP device, which %s",
					    ctx->dev->name, iwarp_rows[i].what);
	return 0;
}

/* Pieces of a request of the kind that is measured; those of reads may be fewer. */
static unsigned int sge_limit(const struct rb_dev *dev, enum rb_verb verb)
{
	int most = dev->attr.max_sge;

	if (verb == RB_VERB_READ && dev->attr.max_sge_rd > 0)
		most = RB_MIN(most, dev->attr.max_sge_rd);
	return most > 0 ? (unsigned int)most : 1;
}

/* What memory that is paged on demand has to be good for: ibv_query_device_ex(3). */
static uint32_t odp_needs(const struct rb_context *ctx)
{
	static const uint32_t needs[RB_VERB_COUNT] = {
		[RB_VERB_WRITE] = IBV_ODP_SUPPORT_WRITE,
		[RB_VERB_WRITE_IMM] = IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_RECV,
		[RB_VERB_READ] = IBV_ODP_SUPPORT_READ,
		[RB_VERB_SEND] = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV,
		[RB_VERB_SEND_IMM] = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV,
		[RB_VERB_FETCH_ADD] = IBV_ODP_SUPPORT_ATOMIC,
		[RB_VERB_CMP_SWAP] = IBV_ODP_SUPPORT_ATOMIC,
	};

	return needs[rb_context_verb(ctx)];
}

static int heed_odp(const struct rb_context *ctx)
{
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };
	const struct ibv_odp_caps *odp = &attr.odp_caps;
	uint32_t need = odp_needs(ctx), has = 0;

	if (!ibv_query_device_ex(ctx->dev->ctx, NULL, &attr) &&
	    odp->general_caps & IBV_ODP_SUPPORT)
		has = ctx->conn_opts.transport == IBV_QPT_RC ?
			      odp->per_transport_caps.rc_odp_caps :
		      ctx->conn_opts.transport == IBV_QPT_UC ?
			      odp->per_transport_caps.uc_odp_caps :
		      ctx->conn_opts.transport == IBV_QPT_XRC_SEND ?
			      attr.xrc_odp_caps :
			      odp->per_transport_caps.ud_odp_caps;
	if ((has & need) == need)
		return 0;
	return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP,
			    "its driver does not report it for this verb and transport",
			    "leave out --odp; 'rbench devices --json' shows on_demand_paging",
			    "'%s' cannot page memory on demand here",
			    ctx->dev->name);
}

/* Is a message of @size more than the port takes? @hint: what asked for it. */
static int heed_size(const struct rb_dev *dev, uint64_t size, const char *what,
		     const char *hint)
{
	uint32_t most = dev->port_attr.max_msg_sz; /* 0: it does not say */
	char text[RB_TEXT_SIZE], limit[RB_TEXT_SIZE];

	if (!most || size <= most)
		return 0;
	return rb_fail_hint(RB_FAULT_MESSAGE_LIMIT, -EINVAL, NULL, hint,
			    "%s of %s is larger than port %u of '%s' takes: %s",
			    what, rb_format_size(size, text), dev->port,
			    dev->name, rb_format_size(most, limit));
}

/* Either end does so: a port must take what it sends and what comes. */
static int heed_sizes(const struct rb_context *ctx)
{
	const struct rb_load_opts *load = &ctx->load_opts;
	int err = heed_size(ctx->dev, rb_run_max_size(&ctx->run_opts),
			    "a message", "lower -s (or -a)");

	return err || !load->background ?
		       err :
		       heed_size(ctx->dev, load->background_size,
				 "a message of --background",
				 "lower --background-size");
}

int rb_heed_device(struct rb_context *ctx)
{
	bool atomic = ctx->bench->verb == RB_VERB_FETCH_ADD;
	int err = ctx->dev->is_iwarp ? heed_iwarp(ctx) : 0;

	if (err)
		return err;
	if (atomic && ctx->dev->attr.atomic_cap == IBV_ATOMIC_NONE)
		return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP,
				    "its driver reports no atomic capability",
				    "choose another device with -d; 'rbench devices --json' shows what each can",
				    "'%s' has no atomic operations",
				    ctx->dev->name);
	if (ctx->mem_opts.on_demand) {
		err = heed_odp(ctx);
		if (err)
			return err;
	}
	if (sge_limit(ctx->dev, ctx->bench->verb) < ctx->load_opts.sges)
		return rb_fail(RB_FAULT_SGE_LIMIT, -EINVAL,
			       "requests of '%s' have at most %u pieces here, not %u",
			       ctx->dev->name,
			       sge_limit(ctx->dev, ctx->bench->verb),
			       (unsigned int)ctx->load_opts.sges);
	if (ctx->dev->attr.max_qp_wr > 0)
		ctx->run_opts.depth_limit = (uint64_t)ctx->dev->attr.max_qp_wr;
	return heed_sizes(ctx);
}

/*
 * A datagram is one packet: a size that the user gave and that is larger is
 * refused, one that was left to us is cut to the path MTU. Both ends know it
 * alike, before anything is made for messages of that size.
 */
static int heed_datagrams(struct rb_context *ctx)
{
	struct rb_sizes *sizes = &ctx->run_opts.sizes;
	uint64_t mtu = ctx->conn_opts.mtu;
	char text[RB_TEXT_SIZE];
	unsigned int n = 0;

	if (mtu == RB_AUTO)
		mtu = RB_MIN(ctx->dev->mtu_bytes, ctx->ends.peer_mtu);
	if (rb_optset_source(&ctx->set, "size") == RB_SOURCE_USER &&
	    rb_run_max_size(&ctx->run_opts) > mtu)
		return rb_fail_hint(RB_FAULT_MESSAGE_LIMIT, -EINVAL,
				    "a UD message must fit one packet",
				    "lower -s, raise the MTU of both network interfaces, or use -c RC",
				    "a datagram of %s is larger than the path MTU, %u",
				    rb_format_size(rb_run_max_size(&ctx->run_opts), text),
				    (unsigned int)mtu);
	for (unsigned int i = 0; i < sizes->n; i++) {
		uint64_t size = RB_MIN(sizes->v[i], mtu);

		if (!n || sizes->v[n - 1] != size || size < mtu)
			sizes->v[n++] = size;
	}
	sizes->n = n;
	return 0;
}

int rb_heed_path(struct rb_context *ctx)
{
	/* a round of --verify is what both ends have places and receives for */
	if (ctx->run_opts.verify && ctx->ends.queue_entries)
		ctx->run_opts.depth_limit = ctx->ends.queue_entries;
	return ctx->conn_opts.transport == IBV_QPT_UD ? heed_datagrams(ctx) : 0;
}
