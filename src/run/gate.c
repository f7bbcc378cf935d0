/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gate - the expectations of a run: options, judgement, what is said of them
 */
#include "run/gate.h"

#include <errno.h>
#include <math.h>

#include "base/base.h"
#include "base/log.h"

static const struct rb_opt gate_rows[] = {
	/* clang-format off */
	{ .name = "expect", .type = RB_OPT_STRINGS, .arg = "EXPR", .offset = offsetof(struct rb_gate_opts, expect),
	  .help = "exit 3 unless it holds in every row: 'bandwidth >= 90%link', 'latency.p99 <= 5us', 'counters.out_of_sequence == 0'; may be repeated" },
	{ .name = "limit-bw", .letter = 'w', .type = RB_OPT_STRING, .arg = "GBITS",
	  .offset = offsetof(struct rb_gate_opts, limit_bw),
	  .help = "the same as --expect 'bandwidth >= GBITS Gb/s'" },
	{ .name = "limit-msgrate", .letter = 'y', .type = RB_OPT_STRING, .arg = "MILLIONS",
	  .offset = offsetof(struct rb_gate_opts, limit_rate),
	  .help = "the same as --expect 'message_rate >= MILLIONS M'" },
	{ .name = "nagios", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_gate_opts, nagios),
	  .help = "one line and the exit codes of a Nagios plugin" },
	{ .name = "prometheus", .type = RB_OPT_STRING, .arg = "FILE", .offset = offsetof(struct rb_gate_opts, prometheus),
	  .help = "write FILE for the textfile collector of Prometheus" },
	/* clang-format on */
};

const struct rb_optgroup rb_gate_optgroup = { "Gate", gate_rows,
					      RB_ARRAY_SIZE(gate_rows) };

static int add(struct rb_gate *gate, const char *text, const char *option,
	       const char *command, const struct rb_fields *fields)
{
	char why[RB_EXPECT_WHY];

	if (!rb_expect_parse(&gate->v[gate->n], text, fields, why)) {
		gate->n++;
		return 0;
	}
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "it goes METRIC OP VALUE[UNIT], with a key of 'results' (rbench-json(7)), like 'bandwidth >= 90%link'",
			    "'%.80s' of option '--%s' of %s cannot be judged: %s",
			    text, option, command, why);
}

int rb_gate_init(struct rb_gate *gate, const struct rb_gate_opts *opts,
		 const char *command, const struct rb_fields *fields)
{
	char *bw = gate->limits[0], *rate = gate->limits[1];
	int err = 0;

	gate->n = gate->unmet = 0;
	for (unsigned int i = 0; i < opts->expect.n && !err; i++)
		err = add(gate, opts->expect.v[i], "expect", command, fields);
	if (!err && opts->limit_bw) {
		snprintf(bw, sizeof(gate->limits[0]), "bandwidth >= %.40sGb/s",
			 opts->limit_bw);
		err = add(gate, bw, "limit-bw", command, fields);
	}
	if (!err && opts->limit_rate) {
		snprintf(rate, sizeof(gate->limits[1]), "message_rate >= %.40sM",
			 opts->limit_rate);
		err = add(gate, rate, "limit-msgrate", command, fields);
	}
	return err;
}

/* "'bandwidth >= 90%link': 78.2 % with messages of 64 KiB" */
static void tell(const struct rb_expect *e, const json_t *found)
{
	const json_t *value = json_object_get(found, "value");
	const json_t *size = json_object_get(found, "size_bytes");
	char text[RB_TEXT_SIZE] = "not measured", bytes[RB_TEXT_SIZE];

	if (value)
		rb_metric_format(e->of_link ? RB_QUANTITY_PERCENT : e->quantity,
				 json_number_value(value), text);
	if (size)
		rb_format_size((uint64_t)json_integer_value(size), bytes);
	rb_say("not met: ", "'%s': %s%s%s", e->text, text,
	       size ? " with messages of " : "", size ? bytes : "");
}

static void tell_all(const struct rb_expect *e, const json_t *verdict)
{
	const json_t *failed = json_object_get(verdict, "failed");

	if (!failed)
		tell(e, verdict);
	for (size_t i = 0; i < json_array_size(failed); i++)
		tell(e, json_array_get(failed, i));
}

bool rb_gate_judge(struct rb_gate *gate, struct rb_report *report,
		   const struct rb_expect_facts *facts)
{
	json_t *verdicts;

	gate->unmet = 0;
	if (!gate->n)
		return true;
	verdicts = json_array();
	for (unsigned int i = 0; i < gate->n; i++) {
		json_t *verdict = rb_expect_judge(&gate->v[i], facts);

		json_array_append_new(verdicts, verdict);
		if (json_is_true(json_object_get(verdict, "met")))
			continue;
		gate->unmet++;
		tell_all(&gate->v[i], verdict);
	}
	rb_report_set(report, "expectations", verdicts);
	rb_report_text(report, "expectations: %u of %u met\n",
		       gate->n - gate->unmet, gate->n);
	return !gate->unmet;
}
