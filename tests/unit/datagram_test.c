/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* datagram_test - who sent a datagram, and the addresses of groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verbs/datagram.h"

static struct rb_gid mapped(enum rb_gid_type type)
{
	struct rb_gid gid = { .type = type };

	memcpy(gid.raw.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	return gid;
}

static struct rb_gid link_local(enum rb_gid_type type)
{
	struct rb_gid gid = { .type = type };

	memcpy(gid.raw.raw, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	return gid;
}

static void expect_text(const union ibv_gid *gid, const char *text)
{
	char buf[RB_GID_TEXT];

	assert_string_equal(rb_gid_text(gid, buf), text);
}

/* RoCE v2 over IPv4: the IP header is in the last 20 bytes, its source at 12. */
static void test_source_ipv4(void **state)
{
	uint8_t grh[RB_GRH_BYTES];
	struct rb_gid own = mapped(RB_GID_ROCE_V2);
	union ibv_gid source;

	(void)state;
	memset(grh, 0xa5, sizeof(grh));
	memcpy(grh + 20 + 12, "\x0a\0\0\2", 4);
	source = rb_grh_source(grh, &own);
	expect_text(&source, "10.0.0.2");
}

/* All others have a GRH or an IPv6 header: its source at 8. */
static void test_source_grh(void **state)
{
	uint8_t grh[RB_GRH_BYTES];
	struct rb_gid v6 = link_local(RB_GID_ROCE_V2);
	struct rb_gid v1 = mapped(RB_GID_ROCE_V1);
	union ibv_gid source;

	(void)state;
	memset(grh, 0xa5, sizeof(grh));
	memcpy(grh + 8, link_local(RB_GID_IB).raw.raw, 16);
	source = rb_grh_source(grh, &v6);
	expect_text(&source, "fe80::1");
	memcpy(grh + 8, mapped(RB_GID_IB).raw.raw, 16);
	source = rb_grh_source(grh, &v1);
	expect_text(&source, "10.0.0.1");
}

static void test_parse(void **state)
{
	static const struct {
		const char *text, *is; /* NULL: refused */
	} rows[] = {
		{ "239.1.2.3", "239.1.2.3" },
		{ "224.0.0.0", "224.0.0.0" },
		{ "ff15::1", "ff15::1" },
		{ "255:1:0:0:0:2:201:133:0:0:0:0:0:0:0:0", "ff01:0:2:c985::" },
		{ "::ffff:239.1.2.3", "239.1.2.3" },
		{ "10.0.0.1", NULL },
		{ "240.0.0.1", NULL },
		{ "fe80::1", NULL },
		{ "", NULL },
		{ "239.1.2", NULL },
		{ "255:1:0:0:0:2:201:133:0:0:0:0:0:0:0", NULL },
		{ "255:1:0:0:0:2:201:133:0:0:0:0:0:0:0:0:0", NULL },
		{ "255:1:0:0:0:2:201:256:0:0:0:0:0:0:0:0", NULL },
		{ "255:1:0:0:0:2:201:0133:0:0:0:0:0:0:0:0", NULL },
		{ "255:1:0:0:0:2::133:0:0:0:0:0:0:0:0", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union ibv_gid group;
		int err = rb_group_parse(rows[i].text, &group);

		assert_int_equal(!err, rows[i].is != NULL);
		if (!err)
			expect_text(&group, rows[i].is);
	}
}

static void test_make(void **state)
{
	struct rb_gid v4 = mapped(RB_GID_ROCE_V2);
	struct rb_gid v6 = link_local(RB_GID_ROCE_V2);
	union ibv_gid four = rb_group_make(&v4, 0x01020304);
	union ibv_gid six = rb_group_make(&v6, 0x01020304);

	(void)state;
	expect_text(&four, "239.2.3.4");
	expect_text(&six, "ff15::102:304");
	assert_true(rb_group_fits(&four, &v4) && rb_group_fits(&six, &v6));
	assert_false(rb_group_fits(&four, &v6) || rb_group_fits(&six, &v4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_ipv4),
		cmocka_unit_test(test_source_grh),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
