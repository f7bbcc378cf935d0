/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * redact_test - other addresses keep the relations of the true ones
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/base.h"
#include "host/anon.h"
#include "host/redact.h"

/* A key that is the same each time: what is tested holds for every one. */
static const struct rb_anon fixed = { { 0x0123456789abcdefull, 42 } };

static uint32_t v4(const char *text)
{
	struct in_addr addr;

	assert_int_equal(inet_pton(AF_INET, text, &addr), 1);
	rb_anon_ipv4(&fixed, &addr);
	return ntohl(addr.s_addr);
}

static struct in6_addr v6(const char *text)
{
	struct in6_addr addr;

	assert_int_equal(inet_pton(AF_INET6, text, &addr), 1);
	rb_anon_ipv6(&fixed, &addr);
	return addr;
}

static void subnets_stay_subnets(void **state)
{
	uint32_t a = v4("10.1.2.3"), b = v4("10.1.2.77"), c = v4("10.1.3.3");

	assert_true((a ^ b) >> 8 == 0 && a != b);
	assert_true((a ^ c) >> 8 != 0);
	/* 2 and 3 differ in the last bit of the third byte, and nowhere above */
	assert_true((a ^ c) >> 9 == 0);
	assert_int_equal(a, v4("10.1.2.3"));
}

static const struct {
	const char *addr;
	unsigned int bits; /* that stay */
} kinds[] = {
	{ "10.1.2.3", 8 },     { "172.20.1.1", 12 }, { "192.168.7.7", 16 },
	{ "169.254.1.1", 16 }, { "100.64.1.1", 10 }, { "198.51.100.9", 8 },
	{ "127.0.0.1", 32 },   { "224.0.0.1", 32 },  { "0.0.0.0", 32 },
	{ "255.255.255.255", 32 },
};

static void kinds_of_addresses_stay(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(kinds); i++) {
		struct in_addr before;
		uint32_t turned;

		inet_pton(AF_INET, kinds[i].addr, &before);
		turned = ntohl(before.s_addr) ^ v4(kinds[i].addr);
		if (kinds[i].bits == 32 ? turned != 0 :
					  turned >> (32 - kinds[i].bits) ||
						  !turned)
			fail_msg("%s: 0x%08x", kinds[i].addr, turned);
	}
}

static void a_mapped_address_and_its_ipv4_stay_the_same(void **state)
{
	struct in6_addr gid = v6("::ffff:10.1.2.3");
	uint32_t last;

	assert_true(IN6_IS_ADDR_V4MAPPED(&gid));
	memcpy(&last, &gid.s6_addr[12], sizeof(last));
	assert_int_equal(ntohl(last), v4("10.1.2.3"));
}

static void a_link_local_address_follows_its_mac(void **state)
{
	uint8_t mac[RB_MAC_BYTES] = { 0xb8, 0x3f, 0xd2, 0xa1, 0xb2, 0xc4 };
	struct in6_addr addr = v6("fe80::ba3f:d2ff:fea1:b2c4");

	rb_anon_mac(&fixed, mac);
	assert_true(IN6_IS_ADDR_LINKLOCAL(&addr));
	assert_int_equal(addr.s6_addr[8], 0xba);
	assert_memory_equal(&addr.s6_addr[13], &mac[3], 3);
	assert_true(mac[3] != 0xa1);
	assert_int_equal(mac[0], 0xb8);
}

static void a_gid_follows_its_guid(void **state)
{
	uint8_t guid[RB_GUID_BYTES] = { 0xb8, 0x3f, 0xd2, 0x03,
					0x00, 0xa1, 0xb2, 0xc4 };
	struct in6_addr gid = v6("fe80::b83f:d203:a1:b2c4");

	rb_anon_guid(&fixed, guid);
	assert_memory_equal(&gid.s6_addr[8], guid, sizeof(guid));
	assert_true(guid[3] != 0x03);
}

static const char document[] =
	"{ 'schema': 'rbench-snapshot/1', 'redacted': false,"
	"  'host': { 'name': 'Alpha7.example.org',"
	"    'boot_options': [ 'iommu=pt', 'root=UUID=1234' ] },"
	"  'devices': { 'mlx5_0': { 'firmware': '10.0.0.7',"
	"    'description': 'alpha7 mlx5_0', 'node_guid': '0x0011223344556677' } },"
	"  'environment': { 'NCCL_IB_HCA': 'mlx5_0:1', 'UCX_TLS': 'rc,cuda',"
	"    'X': '10.0.0.1:18515', 'Y': 'beta9,beta9' },"
	"  'cgroup': { 'path': '/user.slice/joe' },"
	"  'routes': [ { 'destination': '10.0.0.0/24', 'gateway': '10.0.0.1' } ],"
	"  'netdevs': { 'e0': { 'mac': '00:11:22:33:44:55' } },"
	"  'pci': { '0000:3b:00.0': { 'path': [ '0000:3a:00.0' ] } },"
	"  'kernel_log': [ 'alpha7 at 10.0.0.1, peer 10.0.0.1: gone',"
	"    'guid 0011:2233:4455:6677 alpha77' ] }";

static json_t *redacted(void)
{
	char text[sizeof(document)];
	json_t *doc;

	memcpy(text, document, sizeof(text));
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	assert_int_equal(rb_redact(doc), 0);
	return doc;
}

static const char *at(const json_t *doc, const char *section, const char *key)
{
	return json_string_value(
		json_object_get(json_object_get(doc, section), key));
}

static void nothing_of_the_original_is_left(void **state)
{
	static const char *const gone[] = {
		"lpha7.",   "alpha7 ", "10.0.0.1\"", "10.0.0.1:", "33:44:55",
		"44556677", "beta9", "joe", "UUID",
	};
	json_t *doc = redacted();
	char *text = json_dumps(doc, JSON_INDENT(1));

	for (size_t i = 0; i < RB_ARRAY_SIZE(gone); i++)
		if (strstr(text, gone[i]))
			fail_msg("'%s' is left in %s", gone[i], text);
	free(text);
	json_decref(doc);
}

static void what_says_nothing_of_anybody_stays(void **state)
{
	json_t *doc = redacted();
	const json_t *device = json_object_get(json_object_get(doc, "devices"),
					       "mlx5_0");
	const json_t *pci = json_object_get(json_object_get(doc, "pci"),
					    "0000:3b:00.0");
	const char *word = at(doc, "environment", "Y");

	assert_string_equal(
		json_string_value(json_object_get(device, "firmware")),
		"10.0.0.7");
	assert_string_equal(
		json_string_value(json_object_get(device, "description")),
		"host-1 mlx5_0");
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(pci, "path"), 0)),
			    "0000:3a:00.0");
	assert_string_equal(at(doc, "environment", "NCCL_IB_HCA"), "mlx5_0:1");
	assert_string_equal(at(doc, "environment", "UCX_TLS"), "rc,cuda");
	/* the same word twice is the same twice */
	assert_string_equal(word, "word-1,word-1");
	assert_true(json_is_true(json_object_get(doc, "redacted")));
	json_decref(doc);
}

static void the_same_address_is_the_same_everywhere(void **state)
{
	json_t *doc = redacted();
	const json_t *route = json_array_get(json_object_get(doc, "routes"), 0);
	const char *gateway =
		json_string_value(json_object_get(route, "gateway"));
	const char *network =
		json_string_value(json_object_get(route, "destination"));
	const char *line = json_string_value(
		json_array_get(json_object_get(doc, "kernel_log"), 0));
	size_t n = strlen(gateway);

	assert_non_null(strstr(line, gateway));
	assert_int_equal(strncmp(at(doc, "environment", "X"), gateway, n), 0);
	assert_string_equal(at(doc, "environment", "X") + n, ":18515");
	assert_string_equal(strrchr(network, '.'), ".0/24");
	n = (size_t)(strrchr(gateway, '.') - gateway);
	assert_int_equal(strncmp(network, gateway, n), 0);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subnets_stay_subnets),
		cmocka_unit_test(kinds_of_addresses_stay),
		cmocka_unit_test(a_mapped_address_and_its_ipv4_stay_the_same),
		cmocka_unit_test(a_link_local_address_follows_its_mac),
		cmocka_unit_test(a_gid_follows_its_guid),
		cmocka_unit_test(nothing_of_the_original_is_left),
		cmocka_unit_test(what_says_nothing_of_anybody_stays),
		cmocka_unit_test(the_same_address_is_the_same_everywhere),
	};

	return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
