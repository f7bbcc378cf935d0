/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symptom - which rules explain what a user sees, and how likely
 *
 * A symptom is codes of an error (what explain decodes), a failure of a run of
 * rbench, or a word: "slow", "latency", "loss". Likelihoods are in percent and
 * only for putting findings in order: they are no probabilities.
 */
#ifndef RB_DIAG_SYMPTOM_H
#define RB_DIAG_SYMPTOM_H

#include <jansson.h>
#include <stdbool.h>

/* Whether @word is one of the table. */
bool rb_symptom_is(const char *word);

/*
 * Raise what the table has for @word ("slow", "status 12", the code of a failure of
 * rbench) in @suspects, an object of likelihoods by rule.
 */
void rb_symptom_add(json_t *suspects, const char *word);

/* The same of all that a section "explain" says: statuses, and causes with rules. */
void rb_symptom_explained(json_t *suspects, const json_t *explain);

/*
 * The same of the document of a run: its failure and how slow it was; @words
 * gets what was seen in it. The run's counters are for rb_symptom_counters.
 */
void rb_symptom_run(json_t *suspects, const json_t *run, json_t *words);

/*
 * The same of the probes in the snapshot @doc; @words gets what failed in them.
 */
void rb_symptom_probes(json_t *suspects, const json_t *doc, json_t *words);

/*
 * Put the counters that moved in @run at its end @which ("local", "peer") into
 * the snapshot @doc in place of its own, so that rules judge the run. False: the
 * device is not there.
 */
bool rb_symptom_counters(json_t *doc, const json_t *run, const char *which);

#endif
