/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opt - option tables: the one place where an option is written down
 *
 * A row describes an option; a group is a table of rows beside the module that
 * consumes them, bound to that module's own struct by offset. Parsing, help,
 * the man page's check, completion, the agreement with the peer and the
 * "options" of the JSON document all walk the same rows.
 *
 * A value keeps its source. What the user gave is kept or refused, never
 * rewritten; only a default may be adapted to the device (RB_SOURCE_CLAMPED).
 *
 * How each type is stored at @offset:
 *   FLAG bool; COUNT, SIZE, DURATION, LEVEL, CODE uint64_t; ENUM int;
 *   STRING const char * (borrowed from argv, or NULL); SIZES struct rb_sizes;
 *   STRINGS struct rb_strings
 */
#ifndef RB_OPT_H
#define RB_OPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/units.h"

enum rb_opt_type {
	RB_OPT_FLAG,
	RB_OPT_LEVEL, /* a flag that counts: -vv */
	RB_OPT_COUNT,
	RB_OPT_SIZE,
	RB_OPT_DURATION, /* nanoseconds */
	RB_OPT_ENUM,
	RB_OPT_STRING,
	RB_OPT_SIZES,
	RB_OPT_STRINGS, /* may be repeated */
	RB_OPT_CODE, /* a number that has a text of its own: struct rb_code */
};

enum rb_opt_flags {
	RB_OPT_AGREE = 1 << 0,	/* the client's value holds on both ends */
	RB_OPT_AUTO = 1 << 1,	/* may be left to rbench: RB_AUTO */
	RB_OPT_ARG_MAYBE = 1 << 2, /* --json or --json=FILE; alone it is "-" */
	RB_OPT_HIDDEN = 1 << 3, /* accepted, not in the help */
	RB_OPT_OR_ZERO = 1 << 4, /* 0 too, which is below the range */
};

enum rb_source {
	RB_SOURCE_DEFAULT,
	RB_SOURCE_USER,
	RB_SOURCE_PEER,
	RB_SOURCE_CLAMPED,
};

#define RB_STRINGS_MAX 16

struct rb_strings {
	unsigned int n;
	const char *v[RB_STRINGS_MAX]; /* borrowed from argv */
};

struct rb_enum {
	const char *name; /* NULL ends the table */
	int value;
};

/* How a CODE is read and written; in documents and on the wire it is the text. */
struct rb_code {
	int (*read)(const char *text, uint64_t *value); /* 0 or -errno */
	const char *(*write)(uint64_t value, char buf[static RB_TEXT_SIZE]);
	const char *what; /* "is not a rate (like 10Gb or 1M/s)" */
};

struct rb_opt {
	const char *name; /* long name, words with hyphens */
	char letter;	  /* 0: none */
	enum rb_opt_type type;
	size_t offset;
	const char *def; /* as the user would write it; NULL: zero, "auto" */
	uint64_t min, max;
	const struct rb_enum *names;
	const struct rb_code *code;
	const char *arg; /* what the help calls the argument */
	const char *help;
	unsigned int flags;
};

struct rb_optgroup {
	const char *title;
	const struct rb_opt *rows;
	size_t nrows;
};

/* Another spelling: of @name, or (@name NULL) one that is refused: why. */
struct rb_optalias {
	const char *spelling; /* long, without hyphens in front; or one letter */
	const char *name;
	bool has_arg;
	const char *reason;
};

#define RB_OPT_BINDS 12
#define RB_OPT_ROWS 128

struct rb_optset {
	struct {
		const struct rb_optgroup *group;
		void *base;
		size_t first; /* index of its first row in source[] */
	} binds[RB_OPT_BINDS];
	size_t nbinds, nrows;
	enum rb_source source[RB_OPT_ROWS];
	const struct rb_optalias *aliases;
	size_t naliases;
};

/* Set what the group's rows say as defaults in @base, and add it to the set. */
void rb_optset_bind(struct rb_optset *set, const struct rb_optgroup *group,
		    void *base);

/* Other spellings to accept or to refuse; the table is borrowed. */
void rb_optset_aliases(struct rb_optset *set, const struct rb_optalias *aliases,
		       size_t n);

/*
 * Read the command line after the command's name. Up to @max_args positional
 * arguments are stored in @args, their number in @nargs. Returns 0, or -EINVAL
 * (reported as a usage failure; nothing is half set that matters then).
 */
int rb_optset_parse(struct rb_optset *set, int argc, char **argv,
		    const char **args, unsigned int max_args,
		    unsigned int *nargs);

/* The source of @name's value; RB_SOURCE_DEFAULT for an unknown name. */
enum rb_source rb_optset_source(const struct rb_optset *set, const char *name);

/* Store @value for the FLAG, COUNT, SIZE or DURATION option @name with its source. */
void rb_optset_put(struct rb_optset *set, const char *name, uint64_t value,
		   enum rb_source source);

/* Take over values and sources of the options that both sets have. */
void rb_optset_inherit(struct rb_optset *set, const struct rb_optset *from);

/* { NAME: { "value": V, "source": S }, ... }; names with underscores. */
json_t *rb_optset_json(const struct rb_optset *set);

/* { NAME: V, ... } of the AGREE options: what a client sends. */
json_t *rb_optset_agreement(const struct rb_optset *set);

/*
 * Take over an agreement from the peer: unknown names are ignored, known ones
 * are checked against the rows' types and ranges. Returns 0 or -EPROTO
 * (reported, naming the option).
 */
int rb_optset_agree(struct rb_optset *set, const json_t *agreement);

/* Write the help of all groups to @out (aligned, wrapped at 80 columns). */
void rb_optset_help(const struct rb_optset *set, FILE *out);

/* One line an option: "--name[=ARG]\tLETTER\tHELP", for man page checks. */
void rb_optset_list(const struct rb_optset *set, FILE *out);

#endif
