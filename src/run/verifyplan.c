/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyplan - what a verified run needs of a session, and how it goes about a size
 */
#include "run/verifyplan.h"

#include "run/context.h"
#include "run/verify.h"
#include "verbs/datagram.h"

/* By a slow rate a round would keep the peer waiting. */
#define ROUND_SECONDS 0.1

static uint32_t grh_of(const struct rb_context *ctx)
{
	return ctx->conn_opts.transport == IBV_QPT_UD ? RB_GRH_BYTES : 0;
}

/*
 * The size by which messages of @size have their places. What receives hold must
 * not depend on the size: some may be left from one to the next.
 */
static uint64_t place_size(const struct rb_context *ctx, uint64_t size)
{
	return rb_verb_row(rb_context_verb(ctx))->receives ?
		       rb_run_max_size(&ctx->run_opts) :
		       size;
}

static uint32_t slots_of(const struct rb_context *ctx, uint64_t size)
{
	uint64_t by = place_size(ctx, size);

	return rb_verify_slots(&ctx->load_opts, by + grh_of(ctx),
			       ctx->run_opts.qps,
			       rb_run_depth(&ctx->run_opts, by));
}

uint64_t rb_verify_memory(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint64_t bytes = 0;

	/* a smaller size may have more places */
	for (unsigned int i = 0; i < run->sizes.n; i++)
		bytes = RB_MAX(bytes,
			       rb_verify_region(&ctx->load_opts,
						run->sizes.v[i] + grh_of(ctx),
						run->qps,
						rb_run_depth(run,
							     run->sizes.v[i])));
	return bytes;
}

uint32_t rb_verify_receives(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint32_t each = RB_VERIFY_RECEIVES;

	if (ctx->responds && rb_verb_row(rb_context_verb(ctx))->receives)
		each = slots_of(ctx, 0);
	/* threads have a queue each */
	return run->srq || ctx->conn_opts.transport == IBV_QPT_XRC_SEND ?
		       each * (uint32_t)(run->qps / ctx->load_opts.threads + 1) :
		       each;
}

/* Messages of each QP in a round. */
static uint32_t round_of(const struct rb_context *ctx, uint64_t size,
			 uint32_t slots)
{
	double n = rb_load_rate(&ctx->load_opts, size) * ROUND_SECONDS /
		   (double)ctx->run_opts.qps;

	if (!ctx->load_opts.rate || n > slots)
		return slots;
	return n > 1 ? (uint32_t)n : 1;
}

struct rb_verify rb_verify_plan(struct rb_context *ctx, uint64_t size)
{
	uint64_t by = place_size(ctx, size) + grh_of(ctx);
	uint32_t slots = slots_of(ctx, size);
	bool walks = ctx->load_opts.footprint != RB_AUTO;

	return (struct rb_verify){
		.session = &ctx->session,
		.monitor = &ctx->monitor,
		.oob = &ctx->oob,
		.intr = ctx->intr,
		.cores = &ctx->cores,
		.verb = ctx->session.plan.verb,
		.size = (uint32_t)size,
		.slots = slots,
		.most = round_of(ctx, size, slots),
		.pitch = rb_verify_pitch(by),
		.grh = grh_of(ctx),
		.rx_length = (uint32_t)by,
		.walks = walks,
		.walk = walks ? rb_load_walk(&ctx->load_opts, by) :
				(struct rb_walk){ 0 },
		.sends = ctx->initiates,
		.receives = ctx->responds,
		.messages = ctx->run_opts.messages,
		.duration_ns = ctx->run_opts.duration_ns,
	};
}
