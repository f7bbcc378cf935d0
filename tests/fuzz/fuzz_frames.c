/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_frames - any JSON in the place of what a peer sends
 *
 * The first byte chooses who reads the rest.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/report.h"
#include "peer/oob.h"
#include "run/options.h"
#include "run/result.h"
#include "verbs/cq.h"
#include "verbs/gid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text from a peer goes to a terminal. */
static void check_text(const char *text, size_t room)
{
	if (strnlen(text, room) == room)
		abort();
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			abort();
}

static void failure(const json_t *object)
{
	struct rb_failure f;

	rb_failure_load(&f, object);
	check_text(f.code, sizeof(f.code));
	check_text(f.where, sizeof(f.where));
	check_text(f.message, sizeof(f.message));
	check_text(f.cause, sizeof(f.cause));
	for (int i = 0; i < RB_FAULT_HINTS; i++)
		check_text(f.hints[i], sizeof(f.hints[i]));
	json_decref(rb_failure_json(&f));
}

static void gid_table(const json_t *object)
{
	static struct rb_gid_table table, other;
	struct rb_gid_pair pair;

	if (rb_gid_table_load(&table, object))
		return;
	if (table.n > RB_GID_MAX)
		abort();
	check_text(table.device, sizeof(table.device));
	other = table;
	rb_gid_table_reach(&table, &other);
	rb_gid_choose(&table, &other, NULL, NULL, &pair);
	json_decref(rb_gid_table_json(&table));
}

static void agreement(const json_t *object)
{
	static struct rb_conn_opts conn;
	static struct rb_run_opts run;
	static struct rb_cq_opts cq;
	static struct rb_optset set;

	memset(&set, 0, sizeof(set));
	rb_optset_bind(&set, &rb_conn_optgroup, &conn);
	rb_optset_bind(&set, &rb_run_optgroup, &run);
	rb_optset_bind(&set, &rb_cq_optgroup, &cq);
	if (!rb_optset_agree(&set, object) &&
	    (!run.sizes.n || run.sizes.n > RB_SIZES_MAX || !run.qps))
		abort();
	json_decref(rb_optset_json(&set));
}

static void result(const json_t *object)
{
	struct rb_bw_result r;

	rb_bw_result_init(&r, 64, 1, 1);
	rb_fields_load(&rb_bw_fields, &r, object);
	json_decref(rb_fields_json(&rb_bw_both_fields, &r));
}

static void numbers(const json_t *object)
{
	uint64_t v;

	if (!rb_frame_uint(object, "size", 1, 1 << 20, &v) &&
	    (v < 1 || v > 1 << 20))
		abort();
	if (rb_frame_type(object) == NULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const json_t *object) = {
		failure, gid_table, agreement, result, numbers
	};
	json_t *object;

	if (size < 2)
		return 0;
	rb_log_bind(NULL);
	object = json_loadb((const char *)data + 1, size - 1,
			    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
	if (object)
		readers[data[0] % RB_ARRAY_SIZE(readers)](object);
	json_decref(object);
	return 0;
}
