/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tell - one event: stamped, counted, shown as a line of text and of JSON
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/lines.h"
#include "base/report.h"
#include "base/units.h"
#include "diag/event.h"
#include "watch/watch.h"

#define SCHEMA "rbench-event/1"
#define STAMP_TEXT 40
#define LINE_TEXT 256

static const char *wall_clock(char text[static STAMP_TEXT])
{
	char seconds[sizeof("2026-01-01T00:00:00")];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, STAMP_TEXT, "%s.%03dZ", seconds,
		 (int)(now.tv_nsec / (long)RB_NS_PER_MS));
	return text;
}

/* "rxe0 port 1", "v0": what the event is about. */
static void name_thing(const json_t *fields, char text[static RB_FLAP_KEY])
{
	const char *device =
		json_string_value(json_object_get(fields, "device"));
	const char *netdev =
		json_string_value(json_object_get(fields, "netdev"));
	json_t *port = json_object_get(fields, "port");

	if (device && port)
		snprintf(text, RB_FLAP_KEY, "%s port %d", device,
			 (int)json_integer_value(port));
	else
		snprintf(text, RB_FLAP_KEY, "%s",
			 device ? device : netdev ? netdev : "");
}

static const char *meaning_of(const struct rb_watch_kind *kind,
			      const char **hint)
{
	const struct rb_event_row *row =
		kind->verbs < 0 ? NULL : rb_event_row(kind->verbs);

	*hint = row ? row->hint : NULL;
	return kind->meaning ? kind->meaning : row ? row->cause : NULL;
}

static void put_json(struct rb_watch *w, const struct rb_watch_kind *kind,
		     json_t *fields, const char *thing, const char *text)
{
	const char *hint, *meaning = meaning_of(kind, &hint);
	json_t *line = json_object();
	char stamp[STAMP_TEXT];

	json_object_set_new(line, "schema", json_string(SCHEMA));
	json_object_set_new(line, "time", json_string(wall_clock(stamp)));
	json_object_set_new(line, "monotonic_ns",
			    json_integer((json_int_t)rb_now_ns()));
	json_object_set_new(line, "type", json_string(kind->name));
	json_object_set_new(line, "source", json_string(kind->source));
	json_object_set_new(line, "text",
			    json_sprintf("%s%s%s", thing, *thing ? ": " : "",
					 text));
	json_object_update(line, fields);
	if (w->opts->verbose && meaning)
		json_object_set_new(line, "meaning", json_string(meaning));
	if (w->opts->verbose && hint)
		json_object_set_new(line, "hint", json_string(hint));
	rb_report_line(w->report, line);
	json_decref(line);
}

static void put_text(struct rb_watch *w, const struct rb_watch_kind *kind,
		     const char *thing, const char *text)
{
	const char *hint, *meaning = meaning_of(kind, &hint);
	char stamp[STAMP_TEXT];

	rb_report_text(w->report, "%s  %-17s  %s%s%s\n", wall_clock(stamp),
		       kind->name, thing, *thing ? ": " : "", text);
	if (!w->opts->verbose)
		return;
	if (meaning)
		rb_report_text(w->report, "    %s\n", meaning);
	if (hint)
		rb_report_text(w->report, "    %s\n", hint);
}

static void count(struct rb_watch *w, const struct rb_watch_kind *kind)
{
	size_t i = rb_watch_kind_index(kind);

	w->seen[i]++;
	w->nevents++;
	if (w->end != RB_WATCH_GOES_ON)
		return;
	if (w->opts->fail_on[i])
		w->end = RB_WATCH_FAILED_ON;
	else if (w->opts->until[i])
		w->end = RB_WATCH_UNTIL;
}

static void put(struct rb_watch *w, const struct rb_watch_kind *kind,
		json_t *fields, const char *thing, const char *text)
{
	put_json(w, kind, fields, thing, text);
	put_text(w, kind, thing, text);
	count(w, kind);
}

static json_t *flap_fields(const struct rb_flap *flap, const json_t *of)
{
	static const char *const keys[] = { "device", "port", "netdev" };
	json_t *to = json_object();

	for (size_t i = 0; of && i < RB_ARRAY_SIZE(keys); i++)
		if (json_object_get(of, keys[i]))
			json_object_set(to, keys[i],
					json_object_get(of, keys[i]));
	json_object_set_new(to, "changes", json_integer(flap->changes));
	json_object_set_new(to, "duration_ns",
			    json_integer((json_int_t)(flap->last_ns -
						      flap->began_ns)));
	return to;
}

static void tell_flap(struct rb_watch *w, const struct rb_flap *flap,
		      const char *name, const json_t *of)
{
	const struct rb_watch_kind *kind = rb_watch_kind(name);
	char text[LINE_TEXT], time[RB_TEXT_SIZE];
	json_t *fields = flap_fields(flap, of);
	const char *thing = strchr(flap->key, ' ') + 1;

	snprintf(text, sizeof(text), "%s: %u changes in %s", kind->text,
		 flap->changes,
		 rb_format_duration(flap->last_ns - flap->began_ns, time));
	put(w, kind, fields, thing, text);
	json_decref(fields);
}

void rb_watch_tell_quiet(struct rb_watch *w)
{
	const struct rb_flap *flap;

	while ((flap = rb_flaps_ended(&w->flaps, rb_now_ns())))
		tell_flap(w, flap, "flapping_ended", NULL);
}

void rb_watch_tell_kind(struct rb_watch *w, const struct rb_watch_kind *kind,
			json_t *fields, const char *text)
{
	enum rb_flap_verdict verdict = RB_FLAP_NONE;
	char thing[RB_FLAP_KEY], key[RB_FLAP_KEY];

	if (!fields)
		fields = json_object();
	name_thing(fields, thing);
	snprintf(key, sizeof(key), "%.12s %.80s", kind->source, thing);
	if (kind->flap)
		verdict = rb_flaps_note(&w->flaps, key, kind->flap,
					rb_now_ns());
	if (verdict != RB_FLAP_NONE)
		json_object_set_new(fields, "flapping", json_true());
	/* machines get every one; people get it in one line */
	put_json(w, kind, fields, thing, text);
	if (verdict != RB_FLAP_GOES_ON)
		put_text(w, kind, thing, text);
	count(w, kind);
	if (verdict == RB_FLAP_BEGINS)
		tell_flap(w, rb_flaps_find(&w->flaps, key), "flapping", fields);
	json_decref(fields);
}

void rb_watch_tell(struct rb_watch *w, const char *name, json_t *fields,
		   const char *fmt, ...)
{
	char text[LINE_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	rb_watch_tell_kind(w, rb_watch_kind(name), fields, text);
}

static const char *const end_names[] = {
	[RB_WATCH_GOES_ON] = "error",	[RB_WATCH_SIGNAL] = "signal",
	[RB_WATCH_TIME] = "time",	[RB_WATCH_UNTIL] = "until",
	[RB_WATCH_FAILED_ON] = "fail_on",
};

json_t *rb_watch_json(const struct rb_watch *w)
{
	json_t *events = json_object();

	for (size_t i = 0; i < rb_watch_nkinds; i++)
		if (w->seen[i])
			json_object_set_new(events, rb_watch_kinds[i].name,
					    json_integer((json_int_t)
								 w->seen[i]));
	return json_pack("{s:I, s:s, s:o}", "duration_ns",
			 (json_int_t)(rb_now_ns() - w->began_ns), "ended_by",
			 end_names[w->end], "events", events);
}
