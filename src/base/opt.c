/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opt - read command lines by option tables
 */
#include "base/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/optvalue.h"

#define FIRST_LONG 1000	  /* getopt's values of rows: FIRST_LONG + index */
#define FIRST_ALIAS 10000 /* and of aliases */
#define LONG_OPTIONS 512

void rb_optset_bind(struct rb_optset *set, const struct rb_optgroup *group,
		    void *base)
{
	size_t b = set->nbinds++;

	set->binds[b].group = group;
	set->binds[b].base = base;
	set->binds[b].first = set->nrows;
	for (size_t i = 0; i < group->nrows; i++) {
		set->source[set->nrows++] = RB_SOURCE_DEFAULT;
		rb_optvalue_default(&group->rows[i], base);
	}
}

void rb_optset_aliases(struct rb_optset *set, const struct rb_optalias *aliases,
		       size_t n)
{
	set->aliases = aliases;
	set->naliases = n;
}

/* The row at @index over all groups, and the struct it is bound to. */
static const struct rb_opt *row_at(const struct rb_optset *set, size_t index,
				   void **base)
{
	size_t b = set->nbinds;

	while (b-- > 0)
		if (index >= set->binds[b].first)
			break;
	*base = set->binds[b].base;
	return &set->binds[b].group->rows[index - set->binds[b].first];
}

static size_t find_row(const struct rb_optset *set, const char *name)
{
	void *base;

	for (size_t i = 0; i < set->nrows; i++)
		if (!strcmp(row_at(set, i, &base)->name, name))
			return i;
	return SIZE_MAX;
}

static bool takes_arg(const struct rb_opt *row)
{
	return row->type != RB_OPT_FLAG && row->type != RB_OPT_LEVEL;
}

struct spellings {
	char shorts[3 * RB_OPT_ROWS];
	struct option longs[LONG_OPTIONS];
	int letters[128]; /* row or alias value of a letter, 0: none */
};

static void add_letter(struct spellings *s, char letter, bool arg, int value)
{
	size_t n = strlen(s->shorts);

	s->shorts[n++] = letter;
	if (arg)
		s->shorts[n++] = ':';
	s->letters[(unsigned char)letter & 127] = value;
}

static void add_row(struct spellings *s, size_t *n, const struct rb_opt *row,
		    size_t index)
{
	int arg = !takes_arg(row)		? no_argument :
		  row->flags & RB_OPT_ARG_MAYBE ? optional_argument :
						  required_argument;

	s->longs[(*n)++] = (struct option){ row->name, arg, NULL,
					    FIRST_LONG + (int)index };
	if (row->letter)
		add_letter(s, row->letter, arg == required_argument,
			   FIRST_LONG + (int)index);
}

static void add_alias(const struct rb_optset *set, struct spellings *s,
		      size_t *n, size_t index)
{
	const struct rb_optalias *a = &set->aliases[index];
	size_t target = a->name ? find_row(set, a->name) : SIZE_MAX;
	bool arg = a->has_arg;
	int value = FIRST_ALIAS + (int)index;
	void *base;

	if (target != SIZE_MAX)
		arg = takes_arg(row_at(set, target, &base));
	if (!a->spelling[1]) {
		if (!s->letters[(unsigned char)a->spelling[0] & 127])
			add_letter(s, a->spelling[0], arg, value);
		return;
	}
	if (*n + 1 < LONG_OPTIONS && find_row(set, a->spelling) == SIZE_MAX)
		s->longs[(*n)++] = (struct option){
			a->spelling, arg ? required_argument : no_argument,
			NULL, value
		};
}

static void build_spellings(const struct rb_optset *set, struct spellings *s)
{
	size_t n = 0;
	void *base;

	memset(s, 0, sizeof(*s));
	s->shorts[0] = ':'; /* a missing value is told apart */
	for (size_t i = 0; i < set->nrows; i++)
		add_row(s, &n, row_at(set, i, &base), i);
	for (size_t i = 0; i < set->naliases; i++)
		add_alias(set, s, &n, i);
}

/* A usage failure about @what: "BEFORE 'WHAT' AFTER". */
static int usage(const char *before, const char *what, const char *after)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--help shows the options", "%s '%s'%s", before,
			    what, after);
}

static int store(struct rb_optset *set, size_t index, const char *arg)
{
	void *base;
	const struct rb_opt *row = row_at(set, index, &base);
	int err;

	if ((row->flags & RB_OPT_ARG_MAYBE) && !arg)
		arg = "-";
	err = rb_optvalue_parse(row, base, arg);
	if (err)
		return err;
	set->source[index] = RB_SOURCE_USER;
	return 0;
}

static int take_alias(struct rb_optset *set, size_t index, const char *arg)
{
	const struct rb_optalias *a = &set->aliases[index];
	size_t target;

	if (!a->name)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, a->reason,
				    "--help shows the options",
				    "option '%s%s' does not exist in rbench",
				    a->spelling[1] ? "--" : "-", a->spelling);
	target = find_row(set, a->name);
	if (target == SIZE_MAX)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "--help shows the options",
				    "option '--%s' is not one of this command",
				    a->name);
	return store(set, target, arg);
}

/* Without the value, which is not what is unknown. */
static int unknown_long(const char *typed)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed, "="), typed);
	return usage("unknown option", name, "");
}

/* What getopt found at fault, as the user typed it. */
static int refuse(int found, char **argv)
{
	const char *typed = optind > 0 ? argv[optind - 1] : "";
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_long = !optopt || optopt >= FIRST_LONG; /* glibc: 0 if unknown */

	if (found == ':')
		return usage("option", is_long ? typed : letter,
			     " needs a value");
	if (is_long && strchr(typed, '=') && optopt)
		return usage("option", typed, " takes no value");
	return is_long ? unknown_long(typed) :
			 usage("unknown option", letter, "");
}

static int take(struct rb_optset *set, const struct spellings *s, int found,
		char **argv)
{
	int value = found;

	if (found == ':' || found == '?')
		return refuse(found, argv);
	if (found < FIRST_LONG)
		value = s->letters[found & 127];
	if (value >= FIRST_ALIAS)
		return take_alias(set, (size_t)(value - FIRST_ALIAS), optarg);
	return store(set, (size_t)(value - FIRST_LONG), optarg);
}

/* The long option that getopt has just read, as the user typed it. */
static const char *typed_long(char **argv)
{
	const char *last = argv[optind - 1];

	/* a value of its own stands behind the option */
	return optarg == last && optind > 1 ? argv[optind - 2] : last;
}

/*
 * getopt_long(3) takes a unique beginning for the whole; here a script must not
 * change its meaning when an option is added.
 */
static bool is_spelt_out(const char *name, char **argv)
{
	const char *typed = typed_long(argv) + strlen("--");
	size_t n = strlen(name);

	return !strncmp(typed, name, n) && (!typed[n] || typed[n] == '=');
}

int rb_optset_parse(struct rb_optset *set, int argc, char **argv,
		    const char **args, unsigned int max_args,
		    unsigned int *nargs)
{
	struct spellings s;
	int found, err;

	build_spellings(set, &s);
	opterr = 0;
	optind = 0; /* glibc: start afresh, whatever was parsed before */
	for (;;) {
		int at = -1;

		found = getopt_long(argc, argv, s.shorts, s.longs, &at);
		if (found == -1)
			break;
		if (at >= 0 && !is_spelt_out(s.longs[at].name, argv))
			return unknown_long(typed_long(argv));
		err = take(set, &s, found, argv);
		if (err)
			return err;
	}
	*nargs = 0;
	for (int i = optind; i < argc; i++) {
		if (*nargs == max_args)
			return usage("unexpected argument", argv[i], "");
		args[(*nargs)++] = argv[i];
	}
	return 0;
}

enum rb_source rb_optset_source(const struct rb_optset *set, const char *name)
{
	size_t i = find_row(set, name);

	return i == SIZE_MAX ? RB_SOURCE_DEFAULT : set->source[i];
}

void rb_optset_put(struct rb_optset *set, const char *name, uint64_t value,
		   enum rb_source source)
{
	size_t i = find_row(set, name);
	const struct rb_opt *row;
	void *base;

	if (i == SIZE_MAX)
		return;
	row = row_at(set, i, &base);
	if (row->type == RB_OPT_FLAG)
		*(bool *)((char *)base + row->offset) = value;
	else
		*(uint64_t *)((char *)base + row->offset) = value;
	set->source[i] = source;
}

void rb_optset_inherit(struct rb_optset *set, const struct rb_optset *from)
{
	for (size_t i = 0; i < from->nrows; i++) {
		void *base, *to;
		const struct rb_opt *row = row_at(from, i, &base);
		size_t at = find_row(set, row->name);

		if (at == SIZE_MAX || row_at(set, at, &to) != row)
			continue;
		rb_optvalue_copy(row, to, base);
		set->source[at] = from->source[i];
	}
}

static void key_of(const struct rb_opt *row, char key[static 48])
{
	snprintf(key, 48, "%s", row->name);
	for (char *p = key; *p; p++)
		if (*p == '-')
			*p = '_';
}

json_t *rb_optset_json(const struct rb_optset *set)
{
	static const char *const sources[] = { "default", "user", "peer",
					       "clamped" };
	json_t *all = json_object();
	char key[48];
	void *base;

	for (size_t i = 0; i < set->nrows; i++) {
		const struct rb_opt *row = row_at(set, i, &base);
		json_t *value = rb_optvalue_json(row, base);

		if (!value || (row->flags & RB_OPT_HIDDEN)) {
			json_decref(value);
			continue;
		}
		key_of(row, key);
		json_object_set_new(all, key,
				    json_pack("{s:o, s:s}", "value", value,
					      "source",
					      sources[set->source[i]]));
	}
	return all;
}

json_t *rb_optset_agreement(const struct rb_optset *set)
{
	json_t *all = json_object();
	char key[48];
	void *base;

	for (size_t i = 0; i < set->nrows; i++) {
		const struct rb_opt *row = row_at(set, i, &base);

		if (!(row->flags & RB_OPT_AGREE))
			continue;
		key_of(row, key);
		json_object_set_new(all, key, rb_optvalue_json(row, base));
	}
	return all;
}

int rb_optset_agree(struct rb_optset *set, const json_t *agreement)
{
	char key[48];
	void *base;

	if (!json_is_object(agreement))
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "the peer's plan has no options");
	for (size_t i = 0; i < set->nrows; i++) {
		const struct rb_opt *row = row_at(set, i, &base);
		const json_t *value;

		if (!(row->flags & RB_OPT_AGREE))
			continue;
		key_of(row, key);
		value = json_object_get(agreement, key);
		if (!value)
			continue;
		if (rb_optvalue_take(row, base, value))
			return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				       "the peer asked for an impossible value of '--%s'",
				       row->name);
		set->source[i] = RB_SOURCE_PEER;
	}
	return 0;
}

#define HELP_COLUMN 30
#define HELP_WIDTH 80

/* The text from HELP_COLUMN on, broken at spaces. */
static void put_wrapped(const char *text, FILE *out)
{
	const int room = HELP_WIDTH - HELP_COLUMN;

	while ((int)strlen(text) > room) {
		int n = room;

		while (n > 0 && text[n] != ' ')
			n--;
		fprintf(out, "%.*s\n%*s", n, text, HELP_COLUMN, "");
		text += n + 1;
	}
	fprintf(out, "%s\n", text);
}

static void help_row(const struct rb_opt *row, FILE *out)
{
	const int column = HELP_COLUMN;
	char left[80], text[256];
	int n;

	if (row->letter)
		n = snprintf(left, sizeof(left), "  -%c, --%s", row->letter,
			     row->name);
	else
		n = snprintf(left, sizeof(left), "      --%s", row->name);
	if (takes_arg(row))
		snprintf(left + n, sizeof(left) - (size_t)n, "%s%s%s",
			 row->flags & RB_OPT_ARG_MAYBE ? "[=" : " ",
			 row->arg ? row->arg : "N",
			 row->flags & RB_OPT_ARG_MAYBE ? "]" : "");
	fprintf(out, "%-*s", column, left);
	if ((int)strlen(left) >= column)
		fprintf(out, "\n%*s", column, "");
	snprintf(text, sizeof(text), "%s", row->help);
	n = (int)strlen(text);
	if (row->def && takes_arg(row))
		snprintf(text + n, sizeof(text) - (size_t)n, " [%s]", row->def);
	put_wrapped(text, out);
}

void rb_optset_help(const struct rb_optset *set, FILE *out)
{
	for (size_t b = 0; b < set->nbinds; b++) {
		const struct rb_optgroup *group = set->binds[b].group;

		fprintf(out, "\n%s:\n", group->title);
		for (size_t i = 0; i < group->nrows; i++)
			if (!(group->rows[i].flags & RB_OPT_HIDDEN))
				help_row(&group->rows[i], out);
	}
}

void rb_optset_list(const struct rb_optset *set, FILE *out)
{
	void *base;

	for (size_t i = 0; i < set->nrows; i++) {
		const struct rb_opt *row = row_at(set, i, &base);
		char letter[2] = { row->letter, '\0' };

		if (!(row->flags & RB_OPT_HIDDEN))
			fprintf(out, "--%s\t%s\t%s\t%s\n", row->name, letter,
				takes_arg(row) ? row->arg ? row->arg : "N" : "",
				row->help);
	}
}
