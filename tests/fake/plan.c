/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plan - the fault plan of this process, and the count of its calls. */

#include "plan.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct plan plan;
static pthread_once_t plan_once = PTHREAD_ONCE_INIT;
static uint64_t calls[CALL_COUNT];
static uint64_t control_calls;
static bool device_died;

static const bool is_control[CALL_COUNT] = {
#define X(name, control) [CALL_##name] = control,
	FAKE_CALLS(X)
#undef X
};

static const char *const names[CALL_COUNT] = {
#define X(name, control) [CALL_##name] = #name,
	FAKE_CALLS(X)
#undef X
};

static FILE *trace;

static void read_plan(void)
{
	const char *text = getenv("RB_FAKE");

	trace = report_open("RB_FAKE_TRACE");
	plan_parse(&plan, text ? text : "");
}

const struct plan *plan_get(void)
{
	pthread_once(&plan_once, read_plan);
	return &plan;
}

static int planned_errno(int call, uint64_t n)
{
	int i;

	for (i = 0; i < plan.nfail; i++) {
		const struct plan_fail *f = &plan.fail[i];

		if (f->call == call && (!f->n || f->n == n))
			return f->err;
	}
	return 0;
}

int plan_call(enum fake_call call)
{
	uint64_t n, total;
	int err;

	plan_get();
	n = __atomic_add_fetch(&calls[call], 1, __ATOMIC_RELAXED);
	if (trace)
		fprintf(trace, "%s#%llu\n", names[call],
			(unsigned long long)n);
	if (!is_control[call])
		return plan.nfail ? planned_errno(call, n) : 0;

	total = __atomic_add_fetch(&control_calls, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&device_died, __ATOMIC_RELAXED))
		return EIO;
	err = planned_errno(call, n);
	return err ? err : planned_errno(PLAN_CONTROL, total);
}

void plan_forget_calls(void)
{
	memset(calls, 0, sizeof(calls));
	control_calls = 0;
}

void plan_device_died(void)
{
	__atomic_store_n(&device_died, true, __ATOMIC_RELAXED);
}

bool plan_has(const uint64_t *list, int n, uint64_t value)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

void plan_close_trace(void)
{
	if (trace)
		fclose(trace);
	trace = NULL;
}

uint64_t plan_control_calls(void)
{
	return __atomic_load_n(&control_calls, __ATOMIC_RELAXED);
}
