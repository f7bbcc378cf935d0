/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* object - the list of live objects, and what is written of it at exit. */

#include "fake.h"
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_obj list = { .next = &list, .prev = &list };
static int counts[KIND_COUNT];

static const char *const kind_names[KIND_COUNT] = {
	[KIND_CONTEXT] = "context", [KIND_PD] = "PD", [KIND_MR] = "MR",
	[KIND_CHANNEL] = "channel", [KIND_CQ] = "CQ", [KIND_SRQ] = "SRQ",
	[KIND_QP] = "QP", [KIND_AH] = "AH", [KIND_XRCD] = "XRCD",
	[KIND_CM_CHANNEL] = "cm_channel", [KIND_CM_ID] = "cm_id",
};

void obj_add(struct fake_obj *obj, enum fake_kind kind, uint32_t id)
{
	obj->kind = kind;
	obj->id = id;
	pthread_mutex_lock(&list_lock);
	obj->prev = list.prev;
	obj->next = &list;
	list.prev->next = obj;
	list.prev = obj;
	counts[kind]++;
	pthread_mutex_unlock(&list_lock);
}

void obj_del(struct fake_obj *obj)
{
	pthread_mutex_lock(&list_lock);
	obj->prev->next = obj->next;
	obj->next->prev = obj->prev;
	counts[obj->kind]--;
	pthread_mutex_unlock(&list_lock);
}

void obj_use(struct fake_obj *obj)
{
	__atomic_add_fetch(&obj->users, 1, __ATOMIC_RELAXED);
}

void obj_unuse(struct fake_obj *obj)
{
	__atomic_sub_fetch(&obj->users, 1, __ATOMIC_RELAXED);
}

int obj_count(enum fake_kind kind)
{
	int n;

	pthread_mutex_lock(&list_lock);
	n = counts[kind];
	pthread_mutex_unlock(&list_lock);
	return n;
}

void obj_forget(void)
{
	list.next = list.prev = &list;
	memset(counts, 0, sizeof(counts));
}

/* Of its own cache lines: threads of a program do not disturb each other here. */
void *lines_alloc(size_t size)
{
	void *p;

	size = (size + 63) & ~(size_t)63;
	p = aligned_alloc(64, size);
	return p ? memset(p, 0, size) : NULL;
}

/* In the name, %p is the process: two of them may share an environment. */
FILE *report_open(const char *variable)
{
	const char *name = getenv(variable), *mark;
	char path[4096];
	FILE *f;

	if (!name || !*name)
		return NULL;
	mark = strstr(name, "%p");
	if (mark)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(mark - name),
			 name, (int)getpid(), mark + 2);
	else
		snprintf(path, sizeof(path), "%s", name);
	f = fopen(path, "w");
	if (!f)
		perror(path);
	return f;
}

static void report_leaks(void)
{
	FILE *f = report_open("RB_FAKE_LEAKS");
	struct fake_obj *o;

	if (!f)
		return;
	for (o = list.next; o != &list; o = o->next)
		fprintf(f, "%s 0x%x\n", kind_names[o->kind], o->id);
	fclose(f);
}

static void report_count(void)
{
	FILE *f = report_open("RB_FAKE_COUNT");

	if (!f)
		return;
	fprintf(f, "%llu\n", (unsigned long long)plan_control_calls());
	fclose(f);
}

/* A process that made no verbs call (a shell, a helper) reports nothing. */
__attribute__((destructor)) static void report_at_exit(void)
{
	if (!plan_control_calls())
		return;
	engine_stop();
	cm_fini();
	report_leaks();
	report_count();
	record_write();
	plan_close_trace();
	notes_close();
	wire_leave();
}
