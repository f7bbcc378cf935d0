/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dev_rate_test - codes of the verbs API in plain units and words
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "verbs/dev.h"
#include "verbs/devlist.h"

static const struct {
	const char *name;
	uint8_t speed, width;
	double gbits;
} rates[] = {
	{ "1X SDR", 1, 1, 2.5 },	{ "4X SDR", 1, 2, 10 },
	{ "4X DDR", 2, 2, 20 },		{ "12X DDR", 2, 8, 60 },
	{ "4X QDR", 4, 2, 40 },		{ "4X FDR10", 8, 2, 40 },
	{ "1X FDR10", 8, 1, 10 },	{ "4X FDR", 16, 2, 56 },
	{ "1X EDR", 32, 1, 25 },	{ "2X EDR", 32, 16, 50 },
	{ "4X EDR", 32, 2, 100 },	{ "8X EDR", 32, 4, 200 },
	{ "2X HDR", 64, 16, 100 },	{ "4X HDR", 64, 2, 200 },
	{ "4X NDR", 128, 2, 400 },	{ "no speed", 0, 2, 0 },
	{ "no width", 32, 0, 0 },	{ "two speeds", 3, 2, 0 },
	{ "unknown width", 32, 64, 0 }, { "nothing", 0, 0, 0 },
};

static void links_have_the_rates_of_their_names(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rates); i++) {
		uint64_t got = rb_link_rate(rates[i].speed, rates[i].width);

		if (got != (uint64_t)(rates[i].gbits * 1e9))
			fail_msg("%s: %ju", rates[i].name, (uintmax_t)got);
	}
}

static const struct {
	unsigned int code, bytes;
} mtus[] = { { 1, 256 }, { 2, 512 }, { 3, 1024 }, { 4, 2048 }, { 5, 4096 } };

static void mtus_have_codes_and_back(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(mtus); i++) {
		assert_int_equal(rb_mtu_bytes((enum ibv_mtu)mtus[i].code),
				 mtus[i].bytes);
		assert_int_equal(rb_mtu_code(mtus[i].bytes), mtus[i].code);
	}
	assert_int_equal(rb_mtu_bytes((enum ibv_mtu)0), 0);
	assert_int_equal(rb_mtu_bytes((enum ibv_mtu)6), 0);
	assert_int_equal(rb_mtu_code(1500), 0);
	assert_int_equal(rb_mtu_code(0), 0);
	assert_int_equal(rb_mtu_code(8192), 0);
}

static void numbers_without_a_word_are_unknown(void **state)
{
	assert_string_equal(rb_port_state_name(IBV_PORT_ACTIVE), "ACTIVE");
	assert_string_equal(rb_port_state_name(IBV_PORT_DOWN), "DOWN");
	assert_string_equal(rb_port_state_name((enum ibv_port_state)77),
			    "unknown");
	assert_string_equal(rb_phys_state_name(2), "Polling");
	assert_string_equal(rb_phys_state_name(5), "LinkUp");
	assert_string_equal(rb_phys_state_name(8), "unknown");
	assert_string_equal(rb_link_layer_name(IBV_LINK_LAYER_ETHERNET),
			    "Ethernet");
	assert_string_equal(rb_link_layer_name(IBV_LINK_LAYER_INFINIBAND),
			    "InfiniBand");
	assert_string_equal(rb_link_layer_name(9), "unspecified");
	assert_string_equal(rb_transport_name(IBV_TRANSPORT_IWARP), "iWARP");
	assert_string_equal(rb_transport_name(IBV_TRANSPORT_UNKNOWN),
			    "unspecified");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_have_the_rates_of_their_names),
		cmocka_unit_test(mtus_have_codes_and_back),
		cmocka_unit_test(numbers_without_a_word_are_unknown),
	};

	return cmocka_run_group_tests_name("dev_rate", tests, NULL, NULL);
}
