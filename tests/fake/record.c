/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * record - when the program posted each message and got each completion
 *
 * A machine with other things to do lets nothing happen at the time that the
 * plan has for it. What did happen stands here, to compare a measurement with:
 *
 *     post TIME DUE     a request was handed over; by the plan it is complete at DUE
 *     send TIME         its completion was polled
 *     recv TIME         that of a receive
 *
 * Times are nanoseconds of CLOCK_MONOTONIC; DUE is 0 where the plan has no times.
 */

#include "fake.h"
#include "plan.h"

#include <stdlib.h>

struct entry {
	uint64_t ns, due_ns;
	const char *what;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static size_t n, room;
static int wanted = -1;

static bool is_wanted(void)
{
	if (wanted < 0)
		wanted = getenv("RB_FAKE_RECORD") != NULL;
	return wanted;
}

static void add(const char *what, uint64_t ns, uint64_t due_ns)
{
	pthread_mutex_lock(&lock);
	if (n == room) {
		size_t more = room ? 2 * room : 1 << 16;
		struct entry *larger = realloc(entries, more * sizeof(*larger));

		if (!larger)
			abort();
		entries = larger;
		room = more;
	}
	entries[n++] = (struct entry){ ns, due_ns, what };
	pthread_mutex_unlock(&lock);
}

/* Before the plan decides when the message is due; 0: nobody records. */
uint64_t record_now(void)
{
	return is_wanted() ? now_ns() : 0;
}

void record_post(uint64_t ns, uint64_t due_ns)
{
	if (is_wanted())
		add("post", ns, due_ns);
}

void record_taken(const struct ibv_wc *wc)
{
	if (is_wanted())
		add(wc->opcode & IBV_WC_RECV ? "recv" : "send", now_ns(), 0);
}

void record_write(void)
{
	FILE *f = is_wanted() ? report_open("RB_FAKE_RECORD") : NULL;

	if (!f)
		return;
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s %llu %llu\n", entries[i].what,
			(unsigned long long)entries[i].ns,
			(unsigned long long)entries[i].due_ns);
	fclose(f);
}
