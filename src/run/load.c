/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load - how hard a run presses, and from where: threads and their cores, the
 * rate at which messages are due, the memory through which they walk
 */
#include "run/load.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "host/cores.h"

#define RATE_MAX 1e15 /* beyond any link and any processor */

/* What a rate's text ends with; without it, Gb/s as perftest's --rate_limit. */
static const struct {
	const char *suffix;
	uint64_t flag;
	double scale;
} rate_units[] = {
	{ "/s", RB_RATE_MESSAGES, 1 },
	{ "K/s", RB_RATE_MESSAGES, 1e3 },
	{ "M/s", RB_RATE_MESSAGES, 1e6 },
	{ "G/s", RB_RATE_MESSAGES, 1e9 },
	{ "b", 0, 1 },
	{ "Kb", 0, 1e3 },
	{ "Mb", 0, 1e6 },
	{ "Gb", 0, 1e9 },
	{ "b/s", 0, 1 },
	{ "Kb/s", 0, 1e3 },
	{ "Mb/s", 0, 1e6 },
	{ "Gb/s", 0, 1e9 },
	{ "", 0, 1e9 },
};

int rb_rate_read(const char *text, uint64_t *rate)
{
	char *end;
	double v;

	if (!strcmp(text, "max")) {
		*rate = 0;
		return 0;
	}
	if (!isdigit((unsigned char)text[0]) ||
	    text[strspn(text, "0123456789.KMGkmgb/s")])
		return -EINVAL;
	v = strtod(text, &end);
	for (size_t i = 0; i < RB_ARRAY_SIZE(rate_units); i++) {
		if (strcasecmp(end, rate_units[i].suffix))
			continue;
		v *= rate_units[i].scale;
		if (!(v >= 1 && v <= RATE_MAX))
			return -ERANGE;
		*rate = (uint64_t)v | rate_units[i].flag;
		return 0;
	}
	return -EINVAL;
}

const char *rb_rate_write(uint64_t rate, char buf[static RB_TEXT_SIZE])
{
	bool messages = rate & RB_RATE_MESSAGES;

	if (!rate)
		return "max";
	snprintf(buf, RB_TEXT_SIZE, "%" PRIu64 "%s",
		 (uint64_t)(rate & ~RB_RATE_MESSAGES), messages ? "/s" : "b/s");
	return buf;
}

static const char stride_word[] = "stride:";

int rb_access_read(const char *text, uint64_t *access)
{
	int err;

	if (!strcmp(text, "seq")) {
		*access = RB_ACCESS_SEQ;
		return 0;
	}
	if (!strcmp(text, "random")) {
		*access = RB_ACCESS_RANDOM;
		return 0;
	}
	if (strncmp(text, stride_word, strlen(stride_word)))
		return -EINVAL;
	err = rb_parse_size(text + strlen(stride_word), access);
	/* a stride of 0 or 1 would be one of the words */
	return !err && (!*access || *access % 64) ? -ERANGE : err;
}

const char *rb_access_write(uint64_t access, char buf[static RB_TEXT_SIZE])
{
	if (access == RB_ACCESS_SEQ)
		return "seq";
	if (access == RB_ACCESS_RANDOM)
		return "random";
	snprintf(buf, RB_TEXT_SIZE, "%s%" PRIu64, stride_word, access);
	return buf;
}

static const struct rb_code rate_code = {
	rb_rate_read, rb_rate_write,
	"is not a rate (like 10Gb, 500Mb, 1M/s, or max)"
};

static const struct rb_code access_code = {
	rb_access_read, rb_access_write,
	"is not seq, random or stride:BYTES (a multiple of 64)"
};

static const struct rb_opt load_rows[] = {
	/* clang-format off */
	{ .name = "threads", .type = RB_OPT_COUNT, .def = "1", .min = 1, .max = RB_THREADS_MAX,
	  .offset = offsetof(struct rb_load_opts, threads), .flags = RB_OPT_AGREE,
	  .help = "measuring threads at each end, each with its part of the queue pairs" },
	{ .name = "cores", .type = RB_OPT_STRING, .arg = "LIST", .offset = offsetof(struct rb_load_opts, cores),
	  .help = "their cores: 0-3,8, or any [several threads: near the device]" },
	{ .name = "rate", .type = RB_OPT_CODE, .code = &rate_code, .def = "max", .arg = "RATE",
	  .offset = offsetof(struct rb_load_opts, rate), .flags = RB_OPT_AGREE,
	  .help = "pace each sending end: 10Gb (bits) or 1M/s (messages) a second" },
	{ .name = "burst-size", .type = RB_OPT_COUNT, .min = 1, .max = 1u << 20,
	  .offset = offsetof(struct rb_load_opts, burst), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "with --rate: messages of a queue pair that go together [a list]" },
	{ .name = "footprint", .type = RB_OPT_SIZE, .min = 4096, .max = 1ull << 40, .arg = "BYTES",
	  .offset = offsetof(struct rb_load_opts, footprint), .flags = RB_OPT_AGREE | RB_OPT_AUTO,
	  .help = "memory of each queue pair at each end that messages walk through" },
	{ .name = "access", .type = RB_OPT_CODE, .code = &access_code, .def = "seq", .arg = "WAY",
	  .offset = offsetof(struct rb_load_opts, access), .flags = RB_OPT_AGREE,
	  .help = "how they walk: seq, random, stride:BYTES" },
	{ .name = "sge", .type = RB_OPT_COUNT, .def = "1", .min = 1, .max = RB_SGES_MAX,
	  .offset = offsetof(struct rb_load_opts, sges), .flags = RB_OPT_AGREE,
	  .help = "pieces that a message is gathered from and scattered to" },
	{ .name = "background", .type = RB_OPT_COUNT, .def = "0", .max = RB_BACKGROUND_QPS_MAX, .arg = "QPS",
	  .offset = offsetof(struct rb_load_opts, background), .flags = RB_OPT_AGREE,
	  .help = "measure latency while so many queue pairs more write at full speed" },
	{ .name = "background-size", .type = RB_OPT_SIZE, .def = "64K", .min = 1, .max = 1u << 30, .arg = "BYTES",
	  .offset = offsetof(struct rb_load_opts, background_size), .flags = RB_OPT_AGREE,
	  .help = "size of their messages" },
	/* clang-format on */
};

const struct rb_optgroup rb_load_optgroup = { "Load", load_rows,
					      RB_ARRAY_SIZE(load_rows) };

double rb_load_rate(const struct rb_load_opts *load, uint64_t size)
{
	double rate = (double)(load->rate & ~RB_RATE_MESSAGES);

	return load->rate & RB_RATE_MESSAGES ?
		       rate :
		       rate / ((double)size * RB_BITS_PER_BYTE);
}

void rb_load_warn(const struct rb_load_opts *load, uint64_t size,
		  double messages_per_s)
{
	double asked = rb_load_rate(load, size);

	if (load->rate && messages_per_s < 0.99 * asked)
		rb_warn("rate_missed",
			"messages of %llu bytes went at %.1f %% of the rate that --rate asks for",
			(unsigned long long)size, 100 * messages_per_s / asked);
}

bool rb_load_is_any(const struct rb_load_opts *load)
{
	return load->rate || load->footprint != RB_AUTO || load->sges > 1;
}

uint64_t rb_load_span(const struct rb_load_opts *load, uint64_t size)
{
	uint64_t span = 64;

	while (span < size || span * 2 <= load->footprint)
		span *= 2;
	return span;
}

uint64_t rb_load_region(const struct rb_load_opts *load, uint64_t size)
{
	/* a stride may put the last message at the very end */
	return load->footprint == RB_AUTO ? size :
					    rb_load_span(load, size) + size;
}

/* An odd factor of which 4 divides all but 1: each slot comes once in a round. */
#define RANDOM_FACTOR 1664525u /* Knuth, TAOCP vol. 2, 3.3.4, table 1 */
#define RANDOM_STEP 1013904223u

/* The room of a message that walks by its own size. */
static uint64_t slot_of(uint64_t size)
{
	uint64_t slot = 64;

	while (slot < size)
		slot *= 2;
	return slot;
}

struct rb_walk rb_load_walk(const struct rb_load_opts *load, uint64_t size)
{
	struct rb_walk walk = { 1, load->access, rb_load_span(load, size) - 1 };

	if (load->access == RB_ACCESS_RANDOM) {
		walk.factor = RANDOM_FACTOR;
		walk.step = slot_of(size) * RANDOM_STEP;
	} else if (load->access == RB_ACCESS_SEQ) {
		walk.step = slot_of(size);
	}
	return walk;
}

/* @n steps are one step, whose factor and addend follow from those of its halves. */
uint64_t rb_walk_place(const struct rb_walk *walk, uint64_t n)
{
	uint64_t factor = walk->factor, step = walk->step, place = 0;

	for (; n; n >>= 1) {
		if (n & 1)
			place = place * factor + step;
		step += step * factor;
		factor *= factor;
	}
	return place & walk->mask;
}

uint64_t rb_load_places(const struct rb_load_opts *load, uint64_t size)
{
	bool strides = load->access != RB_ACCESS_SEQ &&
		       load->access != RB_ACCESS_RANDOM;

	if (strides && load->access < size)
		return 0;
	return rb_load_span(load, size) /
	       (strides ? load->access : slot_of(size));
}

bool rb_load_knows_cores(const struct rb_load_opts *load)
{
	struct rb_cores cores;

	return !load->cores || !strcmp(load->cores, "any") ||
	       !rb_cores_parse(load->cores, &cores);
}

void rb_load_cores(const struct rb_load_opts *load, const char *ibdev,
		   bool client, struct rb_cores *cores)
{
	uint64_t threads = load->threads;

	cores->n = 0;
	if (load->cores)
		rb_cores_parse(load->cores, cores);
	else if (threads > 1)
		rb_cores_near(ibdev, cores);
	if (!load->cores && !client && cores->n > threads)
		memmove(cores->v, &cores->v[cores->n - threads],
			threads * sizeof(cores->v[0]));
	cores->n = RB_MIN(cores->n, (unsigned int)threads);
}
