/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * diagnosis - what the rules said of their subjects, collected and put in order
 */
#include "diag/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"

#define PLAIN_TEXT 1024
#define ENTRIES_MOST 65536 /* a snapshot can be of anybody */

struct entry {
	const struct rb_rule *rule;
	enum rb_ruling ruling;
	enum rb_severity severity;
	int likelihood; /* 1 to 100 that it explains the symptom; 0: none */
	size_t number;	/* in the order in which they were said */
	json_t *json;
};

struct rb_diagnosis {
	const json_t *suspects;
	struct entry *v;
	size_t n, room;
};

struct rb_diagnosis *rb_diagnosis_create(const json_t *suspects)
{
	struct rb_diagnosis *d = calloc(1, sizeof(*d));

	if (d)
		d->suspects = suspects;
	return d;
}

void rb_diagnosis_destroy(struct rb_diagnosis *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++)
		json_decref(d->v[i].json);
	free(d->v);
	free(d);
}

/* Nothing that moves a terminal's cursor, and always UTF-8. */
json_t *rb_plain_json(const char *text)
{
	char out[PLAIN_TEXT];
	size_t n = 0;

	for (; text[n] && n + 1 < sizeof(out); n++)
		out[n] = (unsigned char)text[n] < ' ' ||
					 (unsigned char)text[n] > '~' ?
				 '?' :
				 text[n];
	out[n] = '\0';
	return json_string(out);
}

void rb_plain_text(json_t *to, const char *key, const char *text)
{
	if (text && *text)
		rb_fact_value(to, key, rb_plain_json(text));
}

static json_t *place_of(const struct rb_subject *s, enum rb_scope scope)
{
	json_t *place = json_object();

	rb_plain_text(place, "host", s->host);
	if (s->end)
		rb_fact_text(place, "end", s->end);
	if (scope == RB_SCOPE_HOST)
		return place;
	rb_plain_text(place, "device", s->device);
	if (scope != RB_SCOPE_DEVICE) {
		rb_plain_text(place, "port", s->port);
		rb_plain_text(place, "netdev", s->netdev);
	}
	rb_plain_text(place, "pci", s->pci);
	return place;
}

/* The fix with the names of this subject in the place of {words}. */
static void fill_in(const struct rb_subject *s, const char *fix, char *out,
		    size_t room)
{
	const struct {
		const char *word, *value;
	} words[] = {
		{ "{device}", s->device }, { "{port}", s->port },
		{ "{netdev}", s->netdev }, { "{pci}", s->pci },
		{ "{driver}", s->devicev ? rb_text_at(s->devicev, "driver") : NULL },
	};
	size_t n = 0;

	while (*fix && n + 1 < room) {
		size_t i = 0;

		while (i < RB_ARRAY_SIZE(words) &&
		       strncmp(fix, words[i].word, strlen(words[i].word)))
			i++;
		if (i == RB_ARRAY_SIZE(words)) {
			out[n++] = *fix++;
			continue;
		}
		fix += strlen(words[i].word);
		n += (size_t)snprintf(out + n, room - n, "%s",
				      words[i].value && *words[i].value ?
					      words[i].value :
					      "NAME");
		n = n < room ? n : room - 1;
	}
	out[n] = '\0';
}

static json_t *entry_json(const struct rb_subject *s, enum rb_ruling ruling,
			  enum rb_severity severity, const char *text)
{
	const struct rb_rule *rule = s->rule;
	json_t *json = json_object(), *place = place_of(s, rule->scope);
	char fix[PLAIN_TEXT];

	rb_fact_text(json, "rule", rule->id);
	rb_fact_text(json, "outcome", rb_ruling_name(ruling));
	if (ruling == RB_RULING_FAIL)
		rb_fact_text(json, "severity", rb_severity_name(severity));
	if (s->peer)
		rb_fact_value(place, "peer", place_of(s->peer, rule->scope));
	rb_fact_value(json, "subject", place);
	rb_fact_value(json, "text", rb_plain_json(text));
	if (ruling != RB_RULING_FAIL)
		return json;
	rb_fact_text(json, "title", rule->title);
	rb_fact_text(json, "why", rule->why);
	fill_in(s, rule->fix, fix, sizeof(fix));
	rb_plain_text(json, "fix", fix);
	rb_fact_text(json, "evidence", rule->evidence);
	if (json_object_size(s->read))
		json_object_set_new(json, "facts", json_copy(s->read));
	return json;
}

/* Of a rule, or of the one that it is a part of: NET-ARP-PEER of NET-ARP. */
static int likelihood_of(const struct rb_diagnosis *d, const char *rule)
{
	json_int_t score =
		json_integer_value(json_object_get(d->suspects, rule));
	const char *last = strrchr(rule, '-');
	char whole[64];

	snprintf(whole, sizeof(whole), "%s", rule);
	/* of a pair: what explains it at one end does between two */
	if (!score && last && (!strcmp(last, "-PEER") || !strcmp(last, "-PAIR"))) {
		whole[last - rule] = '\0';
		score = json_integer_value(json_object_get(d->suspects, whole));
	}
	return score < 0 ? 0 : score > 100 ? 100 : (int)score;
}

void rb_diagnosis_add(struct rb_subject *s, enum rb_ruling ruling,
		      enum rb_severity severity, const char *text)
{
	struct rb_diagnosis *d = rb_doctor_diagnosis(s->doctor);
	struct entry *e;

	if (d->n == ENTRIES_MOST)
		return;
	if (d->n == d->room) {
		size_t room = 2 * d->room + 256;
		struct entry *v = realloc(d->v, room * sizeof(*v));

		if (!v)
			return;
		d->v = v;
		d->room = room;
	}
	e = &d->v[d->n];
	*e = (struct entry){ .rule = s->rule, .ruling = ruling,
			     .severity = severity, .number = d->n++ };
	e->json = entry_json(s, ruling, severity, text);
	if (ruling == RB_RULING_FAIL)
		e->likelihood = likelihood_of(d, s->rule->id);
	/* what is only a note explains less than what is wrong */
	if (severity == RB_SEVERITY_INFO)
		e->likelihood = (e->likelihood + 1) / 2;
	if (e->likelihood)
		rb_fact_uint(e->json, "likelihood", (uint64_t)e->likelihood);
}

/*
 * What explains the symptom before what does not, then the worst, then in the
 * order of the tables: what is more basic comes first. A note explains nothing
 * before a failure does.
 */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	bool fx = x->ruling == RB_RULING_FAIL, fy = y->ruling == RB_RULING_FAIL;

	if (fx != fy)
		return fx ? -1 : 1;
	if (fx && x->likelihood != y->likelihood)
		return x->likelihood > y->likelihood ? -1 : 1;
	if (fx && x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static json_t *sums_of(const struct rb_diagnosis *d)
{
	size_t found[3] = { 0 }, ended[4] = { 0 };

	for (size_t i = 0; i < d->n; i++) {
		ended[d->v[i].ruling]++;
		if (d->v[i].ruling == RB_RULING_FAIL)
			found[d->v[i].severity]++;
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "errors",
			 (json_int_t)found[RB_SEVERITY_ERROR], "warnings",
			 (json_int_t)found[RB_SEVERITY_WARNING], "notes",
			 (json_int_t)found[RB_SEVERITY_INFO], "passed",
			 (json_int_t)ended[RB_RULING_PASS], "skipped",
			 (json_int_t)ended[RB_RULING_SKIP], "unknown",
			 (json_int_t)ended[RB_RULING_UNKNOWN]);
}

void rb_diagnosis_json(const struct rb_diagnosis *d, json_t *section)
{
	json_t *findings = json_array(), *outcomes = json_array();

	if (d->n)
		qsort(d->v, d->n, sizeof(*d->v), compare);
	for (size_t i = 0; i < d->n; i++)
		json_array_append(d->v[i].ruling == RB_RULING_FAIL ? findings :
								     outcomes,
				  d->v[i].json);
	rb_fact_value(section, "sums", sums_of(d));
	rb_fact_value(section, "findings", findings);
	rb_fact_value(section, "outcomes", outcomes);
}
