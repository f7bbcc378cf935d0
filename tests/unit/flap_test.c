/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flap_test - what counts as flapping, when it begins and when it has ended
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "watch/flap.h"

#define S 1000000000ull

static struct rb_flaps flaps;

/* @key goes to and fro @n times, each @step apart; the last verdict. */
static enum rb_flap_verdict toggle(const char *key, unsigned int n,
				   uint64_t *now, uint64_t step)
{
	enum rb_flap_verdict verdict = RB_FLAP_NONE;
	static int state;

	for (unsigned int i = 0; i < n; i++, *now += step)
		verdict = rb_flaps_note(&flaps, key, ++state, *now);
	return verdict;
}

static void a_few_changes_are_none(void **state)
{
	uint64_t now = S;

	rb_flaps_init(&flaps, 4, 10 * S);
	assert_int_equal(toggle("a", 3, &now, S), RB_FLAP_NONE);
	assert_int_equal(rb_flaps_due(&flaps), UINT64_MAX);
	assert_null(rb_flaps_ended(&flaps, now + 100 * S));
}

static void slow_changes_are_none(void **state)
{
	uint64_t now = S;

	rb_flaps_init(&flaps, 4, 10 * S);
	assert_int_equal(toggle("a", 40, &now, 4 * S), RB_FLAP_NONE);
}

static void the_state_again_is_no_change(void **state)
{
	rb_flaps_init(&flaps, 2, 10 * S);
	for (int i = 0; i < 10; i++)
		assert_int_equal(rb_flaps_note(&flaps, "a", 1, S),
				 RB_FLAP_NONE);
}

static void it_begins_goes_on_and_ends(void **state)
{
	const struct rb_flap *flap;
	uint64_t now = S, last;

	rb_flaps_init(&flaps, 4, 10 * S);
	assert_int_equal(toggle("a", 4, &now, S), RB_FLAP_BEGINS);
	assert_int_equal(rb_flaps_find(&flaps, "a")->changes, 4);
	assert_int_equal(toggle("a", 3, &now, S), RB_FLAP_GOES_ON);
	last = now - S;
	assert_int_equal(rb_flaps_due(&flaps), last + 10 * S);
	assert_null(rb_flaps_ended(&flaps, last + 10 * S - 1));
	flap = rb_flaps_ended(&flaps, last + 10 * S);
	assert_non_null(flap);
	assert_string_equal(flap->key, "a");
	assert_int_equal(flap->changes, 7);
	assert_int_equal(flap->last_ns - flap->began_ns, 6 * S);
	assert_null(rb_flaps_ended(&flaps, last + 20 * S));
}

static void it_may_begin_again(void **state)
{
	uint64_t now = S;

	rb_flaps_init(&flaps, 4, 10 * S);
	toggle("a", 9, &now, S);
	now += 30 * S;
	assert_non_null(rb_flaps_ended(&flaps, now));
	assert_int_equal(toggle("a", 3, &now, S), RB_FLAP_NONE);
	assert_int_equal(toggle("a", 1, &now, S), RB_FLAP_BEGINS);
}

static void things_flap_by_themselves(void **state)
{
	uint64_t now = S;

	rb_flaps_init(&flaps, 4, 10 * S);
	assert_int_equal(toggle("a", 3, &now, 1), RB_FLAP_NONE);
	assert_int_equal(toggle("b", 3, &now, 1), RB_FLAP_NONE);
	assert_int_equal(toggle("a", 1, &now, 1), RB_FLAP_BEGINS);
	assert_int_equal(toggle("b", 1, &now, 1), RB_FLAP_BEGINS);
}

static void too_many_things_flap_in_silence(void **state)
{
	uint64_t now = S;
	char key[16];

	rb_flaps_init(&flaps, 2, 10 * S);
	for (int i = 0; i < RB_FLAP_THINGS; i++) {
		snprintf(key, sizeof(key), "%d", i);
		toggle(key, 1, &now, 0);
	}
	assert_int_equal(toggle("more", 9, &now, 0), RB_FLAP_NONE);
	/* quiet ones make room */
	now += 11 * S;
	assert_int_equal(toggle("more", 2, &now, 0), RB_FLAP_BEGINS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_changes_are_none),
		cmocka_unit_test(slow_changes_are_none),
		cmocka_unit_test(the_state_again_is_no_change),
		cmocka_unit_test(it_begins_goes_on_and_ends),
		cmocka_unit_test(it_may_begin_again),
		cmocka_unit_test(things_flap_by_themselves),
		cmocka_unit_test(too_many_things_flap_in_silence),
	};

	return cmocka_run_group_tests_name("flap", tests, NULL, NULL);
}
