/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain - find the errors in any text, decode them, say which came first
 */
#include "diag/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/taker.h"

/* In the order in which they are asked. */
static const struct {
	uint32_t topics;
	rb_taker take;
} takers[] = {
	{ RB_TOPIC_DUMP, rb_take_dump },     { RB_TOPIC_UCX, rb_take_ucx },
	{ RB_TOPIC_KERNEL, rb_take_kernel }, { RB_TOPIC_CM, rb_take_cm },
	{ RB_TOPIC_MESSAGE, rb_take_message }, { RB_TOPIC_EVENT, rb_take_event },
	{ RB_TOPIC_CALL, rb_take_call },     { RB_TOPIC_WC, rb_take_wc },
};

struct rb_explain *rb_explain_create(void)
{
	struct rb_explain *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->buffer = malloc(RB_LINE_MAX);
	if (!x->buffer) {
		free(x);
		return NULL;
	}
	rb_anchors_init(&x->anchors, rb_explain_anchors, rb_explain_nanchors);
	rb_facts_init(&x->facts);
	x->last = x->cqe = -1;
	return x;
}

void rb_explain_destroy(struct rb_explain *x)
{
	if (x)
		free(x->buffer);
	free(x);
}

void rb_explain_begin(struct rb_explain *x, const char *name)
{
	if (x->nfiles < RB_EXPLAIN_FILES)
		x->files[x->nfiles++] = name;
	x->line = 0;
	x->want = 0;
	memset(x->memo, 0, sizeof(x->memo)); /* findings are of an input */
	x->last = x->cqe = -1;
	x->last_lines = 0;
	x->dump = (struct rb_dump){ .finding = -1 };
	x->facts.in_rows = false;
	x->have = 0;
	x->cut = false;
}

/* The topics of all words that stand in the line, from @at on. */
static uint32_t topics_of(const struct rb_explain *x, struct rb_text line,
			  size_t at)
{
	uint32_t topics = 0;
	int row;

	while ((row = rb_anchors_find(&x->anchors, line.p, line.n, topics,
				      &at)) >= 0)
		topics |= x->anchors.rows[row].topics;
	return topics;
}

static unsigned int file_of(const struct rb_explain *x)
{
	return x->nfiles ? x->nfiles - 1 : 0;
}

static void take_facts(struct rb_explain *x, uint32_t topics,
		       struct rb_text line)
{
	if (topics & RB_TOPIC_GID &&
	    rb_facts_gid_line(&x->facts, file_of(x), line))
		x->want |= RB_TOPIC_GID;
	if (topics & RB_TOPIC_PORT)
		rb_facts_port_line(&x->facts, file_of(x), line);
	if (topics & (RB_TOPIC_FACT | RB_TOPIC_ROWS) &&
	    rb_facts_line(&x->facts, file_of(x), line))
		x->want |= RB_TOPIC_ROWS;
}

/* Eight bytes at a time; never 0. */
static uint64_t line_hash(struct rb_text line)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ line.n, w;
	size_t i = 0;

	for (; i + 8 <= line.n; i += 8) {
		memcpy(&w, line.p + i, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (; i < line.n; i++)
		h = (h ^ (unsigned char)line.p[i]) * 0x100000001b3u;
	return h | 1;
}

/* Nothing is open that this line could go on with, or begin. */
static bool is_idle(const struct rb_explain *x)
{
	return !x->want && !x->dump.open && !x->last_lines && x->cqe < 0;
}

/* A line that was seen before: counted again, without a look. */
static bool remembered(struct rb_explain *x, uint64_t hash)
{
	const struct rb_memo *m = &x->memo[(hash >> 32) % RB_MEMO_SIZE];

	if (m->hash != hash)
		return false;
	if (m->finding >= 0) {
		x->findings[m->finding].count++;
		x->findings[m->finding].last_line = x->line;
	}
	return true;
}

/* Facts may be of any line; what says only one thing can be remembered. */
static void remember(struct rb_explain *x, uint64_t hash, uint32_t topics)
{
	const uint32_t facts = RB_TOPIC_GID | RB_TOPIC_PORT | RB_TOPIC_FACT |
			       RB_TOPIC_ROWS;

	if (x->found > 1 || topics & facts || !is_idle(x) ||
	    (x->found && (x->found_last < 0 ||
			  x->findings[x->found_last].others)))
		return;
	x->memo[(hash >> 32) % RB_MEMO_SIZE] = (struct rb_memo){
		hash, x->found ? x->found_last : -1
	};
}

static void look_at(struct rb_explain *x, struct rb_text line, size_t at)
{
	uint64_t hash = is_idle(x) ? line_hash(line) : 0;
	uint32_t topics = x->want;

	if (hash && remembered(x, hash))
		return;
	x->want = 0;
	x->found = 0;
	topics |= topics_of(x, line, at);
	line = rb_text_indexed(line, &x->pairs);
	if (x->last_lines)
		x->last_lines--;
	for (size_t i = 0; i < RB_ARRAY_SIZE(takers); i++)
		if (topics & takers[i].topics && takers[i].take(x, line))
			break;
	take_facts(x, topics, line);
	if (hash)
		remember(x, hash, topics);
}

/* A line that may mean something, with its first word at @at. */
static void take_line(struct rb_explain *x, struct rb_text line, size_t at)
{
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (memchr(line.p, '\0', line.n)) {
		x->stats.binary_lines++;
		return;
	}
	look_at(x, line, at);
}

static uint64_t count_lines(const char *p, size_t n)
{
	const char *end = p + n;
	uint64_t lines = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		lines++;
		p++;
	}
	return lines;
}

static void pass_over(struct rb_explain *x, const char *p, size_t n)
{
	uint64_t lines = count_lines(p, n);

	x->line += lines;
	x->stats.lines += lines;
}

/* The line around p[at]; *next is where the one after it begins. */
static struct rb_text line_around(const char *p, size_t n, size_t at,
				  size_t *next)
{
	const char *begin = memrchr(p, '\n', at);
	const char *end = memchr(p + at, '\n', n - at);
	size_t from = begin ? (size_t)(begin - p) + 1 : 0;
	size_t to = end ? (size_t)(end - p) : n;

	*next = end ? to + 1 : n;
	return (struct rb_text){ .p = p + from, .n = to - from };
}

static void take_counted(struct rb_explain *x, struct rb_text line, size_t at)
{
	x->line++;
	x->stats.lines++;
	if (line.n > RB_LINE_MAX) {
		x->stats.long_lines++;
		line.n = RB_LINE_MAX;
	}
	take_line(x, line, at);
}

/* Whole lines: p[n - 1] is a new line. */
static void scan(struct rb_explain *x, const char *p, size_t n)
{
	size_t from = 0, next;

	while (from < n) {
		struct rb_text line;
		size_t at = from;

		if (!x->want &&
		    rb_anchors_find(&x->anchors, p, n, 0, &at) < 0)
			break;
		line = line_around(p + from, n - from, at - from, &next);
		pass_over(x, p + from, (size_t)(line.p - (p + from)));
		take_counted(x, line, (size_t)(p + at - line.p));
		from += next;
	}
	pass_over(x, p + from, n - from);
}

/* The beginning of a line whose end has not come yet. */
static void keep(struct rb_explain *x, const char *p, size_t n)
{
	size_t room = RB_LINE_MAX - x->have;

	if (n > room && !x->cut) {
		x->cut = true;
		x->stats.long_lines++;
	}
	n = RB_MIN(n, room);
	memcpy(x->buffer + x->have, p, n);
	x->have += n;
}

/* The line in the buffer is complete. */
static void take_kept(struct rb_explain *x)
{
	struct rb_text line = { .p = x->buffer, .n = x->have };
	size_t at = 0;

	x->have = 0;
	x->cut = false;
	if (x->want ||
	    rb_anchors_find(&x->anchors, line.p, line.n, 0, &at) >= 0) {
		take_counted(x, line, at);
		return;
	}
	x->line++;
	x->stats.lines++;
}

void rb_explain_feed(struct rb_explain *x, const char *data, size_t n)
{
	const char *end;

	x->stats.bytes += n;
	if (x->have || x->cut) {
		size_t head;

		end = memchr(data, '\n', n);
		head = end ? (size_t)(end - data) : n;
		keep(x, data, head);
		if (!end)
			return;
		take_kept(x);
		data += head + 1;
		n -= head + 1;
	}
	end = n ? memrchr(data, '\n', n) : NULL;
	if (end) {
		size_t whole = (size_t)(end - data) + 1;

		scan(x, data, whole);
		data += whole;
		n -= whole;
	}
	keep(x, data, n);
}

void rb_explain_end(struct rb_explain *x)
{
	if (x->have)
		take_kept(x);
	if (x->dump.open && !x->dump.request && !x->dump.mthca)
		x->stats.broken_dumps++;
	x->dump.open = false;
}

void rb_explain_provider(struct rb_explain *x, enum rb_provider provider)
{
	x->given = provider;
}

const struct rb_explain_stats *rb_explain_stats(const struct rb_explain *x)
{
	return &x->stats;
}
