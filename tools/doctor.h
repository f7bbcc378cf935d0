/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor - the parts of the command doctor: the symptom, the text of its section
 */
#ifndef RB_TOOLS_DOCTOR_H
#define RB_TOOLS_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

struct rb_asked;
struct rb_consult;
struct rb_report;

/* What the user sees, and which rules explain it. */
struct rb_doctor_symptom {
	json_t *suspects; /* likelihood by rule */
	json_t *words;
	json_t *run; /* the document of --with, or NULL */
};

/*
 * From --symptom and --with, each of which may be NULL. 0 or a negative errno
 * (reported); to be closed in either case.
 */
int rb_doctor_symptom_open(struct rb_doctor_symptom *symptom, const char *codes,
			   const char *run);
void rb_doctor_symptom_close(struct rb_doctor_symptom *symptom);

/*
 * Let the run's counters stand in the place of those of the snapshots, and what
 * probes of a pair found be a symptom too.
 */
void rb_doctor_symptom_use(const struct rb_doctor_symptom *symptom,
			   json_t *const *docs, size_t n);

/* The section's "symptom"; NULL when none was given or seen. */
json_t *rb_doctor_symptom_json(const struct rb_doctor_symptom *symptom);

/*
 * The snapshots in @folder, against what most have or against the file @golden
 * (NULL), shown and put into the document; each is examined too. 0 and sets how
 * many attributes differ, or a negative errno (reported).
 */
int rb_doctor_fleet(struct rb_report *report, const struct rb_asked *asked,
		    const char *folder, const char *golden,
		    size_t *ndifferences);

/* Whether @word means a file, there or not, and not a host. */
bool rb_doctor_is_file(const char *word);

/*
 * Ask the server at @host as @c says (run/consult.h), until a signal comes. 0 and
 * sets @docs[0] and [1], or a negative errno (reported).
 */
int rb_doctor_consult(struct rb_consult *c, const char *host, json_t **docs);

/*
 * Keep the snapshots in BASE.json and BASE.peer.json: 0 or a negative errno
 * (reported).
 */
int rb_doctor_save(struct rb_report *report, const char *base,
		   json_t *const *docs, size_t n);

/* The section "doctor" for people; with @verbose all outcomes. */
void rb_doctor_show(struct rb_report *out, const json_t *section, bool verbose);

/* Its "rules": a line each, or all about one. */
void rb_doctor_show_rules(struct rb_report *out, const json_t *rules);

#endif
