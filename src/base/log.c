/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log - the only writer to standard error, and the memory of what went wrong
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static _Thread_local struct rb_log *bound;

void rb_log_init(struct rb_log *log, FILE *err, const char *prefix)
{
	memset(log, 0, sizeof(*log));
	log->err = err;
	log->prefix = prefix;
	log->level = RB_LOG_NORMAL;
	log->since_ns = rb_now_ns();
	log->terminal = isatty(fileno(err));
	pthread_mutex_init(&log->lock, NULL);
}

void rb_log_init_aside(struct rb_log *log)
{
	const struct rb_log *own = rb_log_bound();

	rb_log_init(log, own->err, own->prefix);
	log->level = RB_LOG_MUTE;
	log->trace = own->trace;
	log->since_ns = own->since_ns;
}

void rb_log_fini(struct rb_log *log)
{
	pthread_mutex_destroy(&log->lock);
}

struct rb_log *rb_log_bind(struct rb_log *log)
{
	struct rb_log *before = bound;

	bound = log;
	return before;
}

struct rb_log *rb_log_bound(void)
{
	return bound;
}

void rb_log_level(bool quiet, uint64_t verbose, bool trace)
{
	if (!bound)
		return;
	bound->trace = trace;
	bound->level = quiet	     ? RB_LOG_QUIET :
		       verbose > 1   ? RB_LOG_DEBUG :
		       verbose	     ? RB_LOG_INFO :
				       RB_LOG_NORMAL;
}

static void put_line(struct rb_log *log, const char *kind, const char *text)
{
	char line[4 * RB_LOG_TEXT];
	int saved = errno;

	snprintf(line, sizeof(line), "%s: %s%s", log->prefix, kind, text);
	/* one line, and still the terminal's, whoever's words are in it */
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	fprintf(log->err, "%s\n", line);
	fflush(log->err);
	errno = saved;
}

/* message: cause; hint - one line, however much of it there is. */
static void put_failure(struct rb_log *log, const struct rb_failure *f)
{
	char line[3 * RB_LOG_TEXT];
	int n = snprintf(line, sizeof(line), "%s", f->message);

	if (f->cause[0])
		n += snprintf(line + n, sizeof(line) - (size_t)n, ": %s",
			      f->cause);
	if (f->hints[0][0])
		snprintf(line + n, sizeof(line) - (size_t)n, "; %s",
			 f->hints[0]);
	put_line(log, "error: ", line);
}

int rb_fail_raw(const struct rb_failure *failure)
{
	struct rb_log *log = bound;
	bool first;

	if (!log)
		return failure->err;
	pthread_mutex_lock(&log->lock);
	first = !log->failed;
	if (first) {
		log->failed = true;
		log->first = *failure;
	}
	if (first && log->level > RB_LOG_MUTE)
		put_failure(log, failure);
	else if (log->level >= RB_LOG_INFO)
		put_line(log, "then: ", failure->message);
	pthread_mutex_unlock(&log->lock);
	return failure->err;
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static RB_PRINTF(5, 0) int fail_va(enum rb_fault fault, int err,
				   const char *cause, const char *hint,
				   const char *fmt, va_list args)
{
	const struct rb_fault_row *row = rb_fault_row(fault);
	struct rb_failure f = { .fault = fault, .err = err };
	int saved = errno;
	int n;

	copy_text(f.code, sizeof(f.code), row->code);
	copy_text(f.where, sizeof(f.where), row->where);
	n = vsnprintf(f.message, sizeof(f.message), fmt, args);
	if (row->with_errno && err && n > 0 && (size_t)n < sizeof(f.message))
		snprintf(f.message + n, sizeof(f.message) - (size_t)n, ": %s",
			 strerror(err < 0 ? -err : err));
	copy_text(f.cause, sizeof(f.cause), cause);
	for (unsigned int i = 0; i < RB_FAULT_HINTS; i++)
		copy_text(f.hints[i], sizeof(f.hints[i]), row->hints[i]);
	if (hint)
		copy_text(f.hints[0], sizeof(f.hints[0]), hint);
	rb_fail_raw(&f);
	errno = saved;
	return err;
}

int rb_fail(enum rb_fault fault, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_va(fault, err, rb_fault_row(fault)->cause, NULL, fmt, args);
	va_end(args);
	return err;
}

int rb_fail_cause(enum rb_fault fault, int err, const char *cause,
		  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_va(fault, err, cause, NULL, fmt, args);
	va_end(args);
	return err;
}

int rb_fail_hint(enum rb_fault fault, int err, const char *cause,
		 const char *hint, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_va(fault, err, cause, hint, fmt, args);
	va_end(args);
	return err;
}

/* Into a field of the failure that is kept, and shown behind it. */
static RB_PRINTF(3, 0) void add_va(size_t offset, const char *label,
				   const char *fmt, va_list args)
{
	struct rb_log *log = bound;
	char *field;

	if (!log || !log->failed)
		return;
	pthread_mutex_lock(&log->lock);
	field = (char *)&log->first + offset;
	vsnprintf(field, RB_LOG_TEXT, fmt, args);
	put_line(log, label, field);
	pthread_mutex_unlock(&log->lock);
}

void rb_fail_evidence(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_va(offsetof(struct rb_failure, evidence), "evidence: ", fmt, args);
	va_end(args);
}

void rb_fail_other_side(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_va(offsetof(struct rb_failure, other_side), "the other side: ", fmt,
	       args);
	va_end(args);
}

static struct rb_warning *new_warning(struct rb_log *log, const char *id)
{
	for (unsigned int i = 0; i < log->nwarnings; i++)
		if (!strcmp(log->warnings[i].id, id))
			return NULL;
	if (log->nwarnings == RB_LOG_WARNINGS)
		return NULL;
	return &log->warnings[log->nwarnings++];
}

void rb_warn(const char *id, const char *fmt, ...)
{
	struct rb_log *log = bound;
	struct rb_warning *w;
	va_list args;

	if (!log)
		return;
	pthread_mutex_lock(&log->lock);
	w = new_warning(log, id);
	if (w) {
		copy_text(w->id, sizeof(w->id), id);
		va_start(args, fmt);
		vsnprintf(w->text, sizeof(w->text), fmt, args);
		va_end(args);
		if (log->level >= RB_LOG_NORMAL)
			put_line(log, "warning: ", w->text);
	}
	pthread_mutex_unlock(&log->lock);
}

void rb_say(const char *kind, const char *fmt, ...)
{
	char text[2 * RB_LOG_TEXT];
	struct rb_log *log = bound;
	va_list args;

	if (!log)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&log->lock);
	put_line(log, kind, text);
	pthread_mutex_unlock(&log->lock);
}

static RB_PRINTF(2, 0) void say(enum rb_log_level level, const char *fmt,
				va_list args)
{
	char text[2 * RB_LOG_TEXT];
	struct rb_log *log = bound;

	if (!log || log->level < level)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	pthread_mutex_lock(&log->lock);
	put_line(log, "", text);
	pthread_mutex_unlock(&log->lock);
}

void rb_log_trace(const char *fmt, ...)
{
	char text[2 * RB_LOG_TEXT];
	char kind[48];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&bound->lock);
	snprintf(kind, sizeof(kind), "trace %.6f: ",
		 (double)(rb_now_ns() - bound->since_ns) / RB_NS_PER_S);
	put_line(bound, kind, text);
	pthread_mutex_unlock(&bound->lock);
}

void rb_progress(const char *fmt, ...)
{
	const char *clear_line = "\r\033[K";
	struct rb_log *log = bound;
	va_list args;

	if (!log || !log->terminal || log->level < RB_LOG_NORMAL)
		return;
	pthread_mutex_lock(&log->lock);
	fputs(clear_line, log->err);
	va_start(args, fmt);
	vfprintf(log->err, fmt, args);
	va_end(args);
	fflush(log->err);
	pthread_mutex_unlock(&log->lock);
}

void rb_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(RB_LOG_INFO, fmt, args);
	va_end(args);
}

void rb_debug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(RB_LOG_DEBUG, fmt, args);
	va_end(args);
}
