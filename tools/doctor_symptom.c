/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor_symptom - what the user sees: --symptom, and the run of --with
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "diag/explain.h"
#include "diag/symptom.h"
#include "doctor.h"
#include "explain.h"

/* Keys of --symptom: those that explain knows too. */
static const struct {
	const char *key;
	int (*set)(struct rb_given *given, const char *value);
} keys[] = {
	{ "status", rb_given_status },
	{ "vendor_err", rb_given_vendor },
	{ "driver", rb_given_driver },
	{ "queue", rb_given_queue },
	{ "call", rb_given_call },
	{ "transition", rb_given_transition },
	{ "errno", rb_given_errno },
	{ "event", rb_given_event },
	{ "event_status", rb_given_event_status },
};

static int refuse(const char *word)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--symptom status=12,vendor_err=0x81; slow, latency, loss; call=ibv_reg_mr,errno=ENOMEM",
			    "'%.60s' is no symptom that rbench knows", word);
}

/* KEY=VALUE, or a word of the table. */
static int take_part(char *part, struct rb_given *given, json_t *suspects)
{
	char *value = strchr(part, '=');

	if (!value) {
		rb_symptom_add(suspects, part);
		return rb_symptom_is(part) ? 0 : refuse(part);
	}
	*value++ = '\0';
	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].key, part))
			return keys[i].set(given, value) ? refuse(value) : 0;
	return refuse(part);
}

/* What explain says of the codes. */
static int explain(const struct rb_given *given, json_t *suspects)
{
	struct rb_explain *x = rb_explain_create();
	json_t *section;

	if (!x)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot make the tables");
	rb_explain_provider(x, given->finding.codes.provider);
	rb_explain_add(x, &given->finding);
	rb_explain_judge(x);
	section = rb_explain_json(x);
	rb_symptom_explained(suspects, section);
	json_decref(section);
	rb_explain_destroy(x);
	return 0;
}

static int take_codes(const char *symptom, json_t *suspects, json_t *words)
{
	char *text = strdup(symptom), *rest = text, *part;
	struct rb_given given = { 0 };
	int err = text ? 0 : rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
				     "cannot read the symptom");

	rb_given_init(&given);
	while (!err && (part = strsep(&rest, ",")))
		err = take_part(part, &given, suspects);
	free(text);
	if (!err && given.any)
		err = explain(&given, suspects);
	if (!err)
		json_array_append_new(words, json_string(symptom));
	return err;
}

static int take_run(const char *file, json_t *suspects, json_t *words,
		    json_t **runp)
{
	json_error_t error;
	json_t *run = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	const char *schema = json_string_value(json_object_get(run, "schema"));

	if (!run)
		return rb_fail(RB_FAULT_DOCUMENT, -EINVAL,
			       "cannot read '%.120s': %.120s", file, error.text);
	if (!schema || strcmp(schema, "rbench/1")) {
		json_decref(run);
		return rb_fail(RB_FAULT_DOCUMENT, -EINVAL,
			       "'%.120s' is not the document of a run (rbench/1)",
			       file);
	}
	rb_symptom_run(suspects, run, words);
	*runp = run;
	return 0;
}

int rb_doctor_symptom_open(struct rb_doctor_symptom *symptom, const char *codes,
			   const char *run)
{
	int err = 0;

	*symptom = (struct rb_doctor_symptom){ .suspects = json_object(),
					       .words = json_array() };
	if (codes)
		err = take_codes(codes, symptom->suspects, symptom->words);
	if (!err && run)
		err = take_run(run, symptom->suspects, symptom->words,
			       &symptom->run);
	return err;
}

void rb_doctor_symptom_close(struct rb_doctor_symptom *symptom)
{
	json_decref(symptom->suspects);
	json_decref(symptom->words);
	json_decref(symptom->run);
}

void rb_doctor_symptom_use(const struct rb_doctor_symptom *symptom,
			   json_t *const *docs, size_t n)
{
	bool used;

	if (n > 1)
		rb_symptom_probes(symptom->suspects, docs[0], symptom->words);
	if (!symptom->run || !json_object_get(symptom->run, "counters"))
		return;
	used = rb_symptom_counters(docs[0], symptom->run, "local");
	if (!used && n < 2)
		used = rb_symptom_counters(docs[0], symptom->run, "peer");
	if (n > 1)
		used |= rb_symptom_counters(docs[1], symptom->run, "peer");
	if (!used)
		rb_warn("other_device",
			"the run's counters are left out: its devices are not in the snapshot");
}

json_t *rb_doctor_symptom_json(const struct rb_doctor_symptom *symptom)
{
	if (!json_array_size(symptom->words))
		return NULL;
	return json_pack("{s:O, s:O}", "words", symptom->words, "suspects",
			 symptom->suspects);
}
