/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * taker - who understands which lines of a log
 *
 * A taker gets a line in which one of its words stands. It returns true when
 * the line is understood, and nobody else needs to look.
 */
#ifndef RB_DIAG_TAKER_H
#define RB_DIAG_TAKER_H

#include "diag/anchor.h"
#include "diag/explain.h"
#include "diag/text.h"

enum rb_topic {
	RB_TOPIC_DUMP = 1 << 0,	    /* words and bytes of a CQE */
	RB_TOPIC_UCX = 1 << 1,
	RB_TOPIC_KERNEL = 1 << 2,
	RB_TOPIC_WC = 1 << 3,
	RB_TOPIC_CM = 1 << 4,
	RB_TOPIC_EVENT = 1 << 5,
	RB_TOPIC_CALL = 1 << 6,
	RB_TOPIC_MESSAGE = 1 << 7,
	RB_TOPIC_GID = 1 << 8,
	RB_TOPIC_PORT = 1 << 9,
	RB_TOPIC_FACT = 1 << 10,
	RB_TOPIC_ROWS = 1 << 11, /* a table of perftest: the next lines too */
};

/*
 * Lines that were understood before, by their hash: a log of nothing but errors
 * repeats few of them. Only those that change nothing else are remembered.
 */
#define RB_MEMO_SIZE 256
struct rb_memo {
	uint64_t hash; /* 0: empty */
	int finding;   /* -1: the line means nothing */
};

/* A dump of a completion, collected over some lines. */
struct rb_dump {
	bool open;
	unsigned int lines;    /* of words seen */
	unsigned int patience; /* lines without words that are still suffered */
	int finding;	       /* the line that announced it, or -1 */
	bool mthca;
	bool request;	       /* it is of a request, not of a completion */
	char host[48];
};

struct rb_explain {
	struct rb_anchors anchors;
	struct rb_pairs pairs; /* of the line that is looked at */
	struct rb_finding findings[RB_FINDINGS_MAX];
	size_t n;
	struct rb_facts facts;
	struct rb_explain_stats stats;
	struct rb_dump dump;
	enum rb_provider given; /* by the user */
	const char *files[RB_EXPLAIN_FILES];
	unsigned int nfiles;
	uint64_t line;	    /* of this input */
	uint32_t want;	    /* topics of the next line, whatever it holds */
	int last;	    /* the finding that a next line may add to; -1 */
	unsigned int last_lines; /* how many lines more */
	int cqe;	    /* the kernel's line before syndromes; -1 */
	struct rb_memo memo[RB_MEMO_SIZE];
	unsigned int found; /* findings of this line: new, or counted again */
	int found_last;
	/* the line that is not complete yet */
	char *buffer;
	size_t have;
	bool cut; /* it was longer than the buffer: the rest is passed over */
};

typedef bool (*rb_taker)(struct rb_explain *x, struct rb_text line);

bool rb_take_dump(struct rb_explain *x, struct rb_text line);
bool rb_take_ucx(struct rb_explain *x, struct rb_text line);
bool rb_take_kernel(struct rb_explain *x, struct rb_text line);
bool rb_take_wc(struct rb_explain *x, struct rb_text line);
bool rb_take_cm(struct rb_explain *x, struct rb_text line);
bool rb_take_event(struct rb_explain *x, struct rb_text line);
bool rb_take_call(struct rb_explain *x, struct rb_text line);
bool rb_take_message(struct rb_explain *x, struct rb_text line);

/* The words that make a line worth a look. */
extern const struct rb_anchor rb_explain_anchors[];
extern const size_t rb_explain_nanchors;

/*
 * Put a finding into the list, or raise the count of one that is the same;
 * where, when and what of the line are filled in. Returns its index, or -1.
 */
int rb_explain_found(struct rb_explain *x, struct rb_finding *f,
		     struct rb_text line);

/* The name of a device that stands in the line; false: none. */
bool rb_text_device(struct rb_text line, char *out, size_t room);

/* A line of a driver, or a message of a program, that is known as such. */
struct rb_kernel_row {
	const char *words;    /* that stand in the line */
	const char *id;
	const char *number;   /* key of a number that matters, or NULL */
	const char *meaning;
	const struct rb_cause *causes;
	const char *next;
};
struct rb_message_row {
	const char *words;
	const char *id;
	const char *dialect;
	enum rb_role role;
	const char *call, *transition; /* it stands for a call, or NULL */
	const char *meaning;
	const struct rb_cause *causes;
	const char *next;
};

#endif
