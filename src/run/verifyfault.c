/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyfault - the first wrong message that a verified run found
 */
#include "run/verifyfault.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "peer/oob.h"

static void say(const struct rb_verify_fault *f, char *buf, size_t n)
{
	switch (f->what) {
	case RB_VERIFY_BYTE:
		snprintf(buf, n,
			 "byte %" PRIu64 " is 0x%02" PRIx64 ", not 0x%02" PRIx64,
			 f->offset, f->got, f->want);
		break;
	case RB_VERIFY_OTHER:
		snprintf(buf, n,
			 "from byte %" PRIu64 " on it is message %" PRIu64
			 " of queue pair %" PRIu64,
			 f->offset, f->got, f->want);
		break;
	case RB_VERIFY_MISSING:
		snprintf(buf, n, "nothing arrived from byte %" PRIu64 " on",
			 f->offset);
		break;
	case RB_VERIFY_LENGTH:
		snprintf(buf, n,
			 "it ends at byte %" PRIu64 ", not at %" PRIu64, f->got,
			 f->want);
		break;
	case RB_VERIFY_NUMBER:
		snprintf(buf, n,
			 "its immediate data says %" PRIu64 " where %" PRIu64
			 " was due",
			 f->got, f->want);
		break;
	case RB_VERIFY_WORD:
		snprintf(buf, n, "the word was %" PRIu64 ", not %" PRIu64,
			 f->got, f->want);
		break;
	case RB_VERIFY_OLD:
		snprintf(buf, n,
			 "it found %" PRIu64
			 ", which came twice or is not of its round, that begins at %" PRIu64,
			 f->got, f->want);
		break;
	case RB_VERIFY_FINE:
	case RB_VERIFY_WHATS:
		snprintf(buf, n, "nothing is wrong");
		break;
	}
}

const char *rb_verify_fault_text(const struct rb_verify_fault *f, uint32_t qpn,
				 char buf[static RB_VERIFY_FAULT_TEXT])
{
	char how[RB_VERIFY_FAULT_TEXT / 2], where[48] = "";

	say(f, how, sizeof(how));
	if (f->place != RB_VERIFY_NO_PLACE)
		snprintf(where, sizeof(where),
			 ", at byte %" PRIu64 " of its memory", f->place);
	snprintf(buf, RB_VERIFY_FAULT_TEXT,
		 "the first is message %" PRIu64
		 " of queue pair %u (0x%06x at this end)%s: %s",
		 f->sequence, f->qp, qpn, where, how);
	return buf;
}

/* JSON has no more; a word that an atomic found may be anything. */
static json_int_t clip(uint64_t v)
{
	return (json_int_t)RB_MIN(v, INT64_MAX);
}

json_t *rb_verify_fault_json(const struct rb_verify_fault *f)
{
	json_t *to = json_pack("{s:i, s:i, s:I, s:I, s:I, s:I}", "what",
			       (int)f->what, "qp", (int)f->qp, "sequence",
			       (json_int_t)f->sequence, "offset",
			       (json_int_t)f->offset, "got", clip(f->got),
			       "want", clip(f->want));

	if (f->place != RB_VERIFY_NO_PLACE)
		json_object_set_new(to, "place",
				    json_integer((json_int_t)f->place));
	return to;
}

int rb_verify_fault_take(const json_t *frame,
			 const struct rb_verify_limits *limits,
			 struct rb_verify_fault *f)
{
	const json_t *from = json_object_get(frame, "fault");
	struct rb_verify_fault got = *f;
	uint64_t what = 0, qp = 0;
	const struct {
		const char *key;
		uint64_t min, max, *to;
	} keys[] = {
		{ "what", RB_VERIFY_BYTE, RB_VERIFY_WHATS - 1, &what },
		{ "qp", 0, limits->qps - 1, &qp },
		{ "sequence", 0, INT64_MAX, &got.sequence },
		{ "offset", 0, limits->size, &got.offset },
		{ "got", 0, INT64_MAX, &got.got },
		{ "want", 0, INT64_MAX, &got.want },
	};
	int err = 0;

	if (!from)
		return 0;
	for (size_t i = 0; i < RB_ARRAY_SIZE(keys) && !err; i++)
		err = rb_frame_uint(from, keys[i].key, keys[i].min,
				    keys[i].max, keys[i].to);
	got.place = RB_VERIFY_NO_PLACE;
	if (!err)
		err = rb_frame_uint_maybe(from, "place", 0, INT64_MAX,
					  &got.place);
	if (err)
		return err;
	got.what = (enum rb_verify_what)what;
	got.qp = (uint32_t)qp;
	*f = got;
	return 0;
}
