/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace - --trace: each call of the control path with its arguments
 */
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

uint64_t rb_trace_begin(void)
{
	const struct rb_log *log = rb_log_bound();

	return log && log->trace ? rb_now_ns() : 0;
}

void rb_trace_event(const char *call, const char *fmt, ...)
{
	char args[RB_LOG_TEXT];
	va_list list;

	if (!rb_trace_begin())
		return;
	va_start(list, fmt);
	vsnprintf(args, sizeof(args), fmt, list);
	va_end(list);
	rb_log_trace("%s(%s)", call, args);
}

void rb_trace_end(uint64_t since, int err, const char *call, const char *fmt,
		  ...)
{
	uint64_t now = rb_now_ns();
	char args[RB_LOG_TEXT];
	const char *name = err ? strerrorname_np(abs(err)) : "ok";
	int saved = errno;
	va_list list;

	if (!since)
		return;
	va_start(list, fmt);
	vsnprintf(args, sizeof(args), fmt, list);
	va_end(list);
	rb_log_trace("%.*s(%s) %s, %.1f us", (int)strcspn(call, "("), call,
		     args, name ? name : strerror(abs(err)),
		     (double)(now - since) / RB_NS_PER_US);
	errno = saved;
}
