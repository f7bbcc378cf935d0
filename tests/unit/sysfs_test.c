/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sysfs_test - facts of machines that are not this one
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/base.h"
#include "fixture.h"
#include "host/cpu.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "host/pci.h"
#include "host/sysfs.h"

static const struct {
	const char *path;
	int rc;
	const char *text;
} texts[] = {
	{ "class/infiniband/mlx5_0/fw_ver", 0, "16.35.2000" },
	{ "class/infiniband/mlx5_0/ports/1/state", 0, "4: ACTIVE" },
	{ "class/infiniband/mlx5_0/nothing", -ENOENT, "" },
	{ "class/infiniband/mlx5_0", -EISDIR, "" },
	{ "class/infiniband/mlx5_9/fw_ver", -ENOENT, "" },
};

static void files_are_read_to_their_first_line(void **state)
{
	char text[32];

	fixture_sys("mlx5");
	for (size_t i = 0; i < RB_ARRAY_SIZE(texts); i++) {
		int rc = rb_sysfs_text(text, sizeof(text), "%s", texts[i].path);

		if (rc != texts[i].rc || strcmp(text, texts[i].text))
			fail_msg("%s: %d, '%s'", texts[i].path, rc, text);
	}
}

static void numbers_are_strict(void **state)
{
	uint64_t u = 7;
	int i = 7;

	fixture_sys("mlx5");
	assert_int_equal(rb_sysfs_u64(&u, "class/net/ens1f0np0/flags"), 0);
	assert_int_equal(u, 0x1003);
	u = 7;
	assert_int_equal(rb_sysfs_u64(&u, "class/net/ib0/speed"), -EINVAL);
	assert_int_equal(u, 7);
	assert_int_equal(rb_sysfs_int(&i, "class/net/ib0/speed"), 0);
	assert_int_equal(i, -1);
	assert_int_equal(rb_sysfs_u64(&u,
				      "class/infiniband/mlx5_0/ports/1/state"),
			 -EINVAL);
	assert_int_equal(rb_sysfs_int(&i, "class/infiniband/mlx5_0/fw_ver"),
			 -EINVAL);
}

static void a_root_that_is_too_long_is_an_error(void **state)
{
	char root[2 * RB_SYSFS_PATH], text[8] = "old";

	memset(root, 'x', sizeof(root));
	root[sizeof(root) - 1] = '\0';
	setenv("SYSFS_PATH", root, 1);
	assert_int_equal(rb_sysfs_text(text, sizeof(text), "class"),
			 -ENAMETOOLONG);
	assert_string_equal(text, "");
}

static void names_come_sorted(void **state)
{
	struct rb_names names;

	fixture_sys("mlx5");
	assert_int_equal(rb_ibsys_devices(&names), 0);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.v[0], "mlx5_0");
	assert_string_equal(names.v[2], "mlx5_2");
	rb_names_free(&names);
	assert_int_equal(names.n, 0);
	assert_int_equal(rb_sysfs_list(&names, "nowhere"), -ENOENT);
	assert_int_equal(names.n, 0);
	rb_names_free(&names);
}

static const struct {
	const char *sys, *device, *driver;
	bool software;
	unsigned int nports;
	double gbits; /* of port 1 */
	const char *netdev;
} devices[] = {
	{ "mlx5", "mlx5_0", "mlx5_core", false, 1, 100, "ens1f0np0" },
	{ "mlx5", "mlx5_1", "mlx5_core", false, 1, 100, "ib0" },
	{ "mlx5", "mlx5_2", "mlx5_core", false, 1, 40, "" },
	{ "mlx5", "mlx5_9", "", false, 0, 0, "" },
	{ "rxe", "rxe0", "rdma_rxe", true, 1, 10, "v0" },
	{ "irdma", "irdma0", "ice", false, 1, 100, "ens2f0" },
};

static void devices_have_drivers_rates_and_netdevs(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(devices); i++) {
		const char *name = devices[i].device;
		char driver[RB_IBSYS_TEXT], netdev[IFNAMSIZ];

		fixture_sys(devices[i].sys);
		rb_ibsys_driver(name, driver);
		rb_ibsys_netdev(name, 1, netdev);
		if (strcmp(driver, devices[i].driver) ||
		    strcmp(netdev, devices[i].netdev) ||
		    rb_ibsys_is_software(name) != devices[i].software ||
		    rb_ibsys_nports(name) != devices[i].nports ||
		    rb_ibsys_rate(name, 1) !=
			    (uint64_t)(devices[i].gbits * 1e9))
			fail_msg("%s: '%s', '%s', %u ports, %ju", name, driver,
				 netdev, rb_ibsys_nports(name),
				 (uintmax_t)rb_ibsys_rate(name, 1));
	}
}

static void a_port_owns_its_netdev_and_the_vlans_above(void **state)
{
	fixture_sys("mlx5");
	assert_true(rb_ibsys_owns("mlx5_0", 1, "ens1f0np0"));
	assert_true(rb_ibsys_owns("mlx5_0", 1, "ens1f0np0.100"));
	assert_false(rb_ibsys_owns("mlx5_0", 1, "ib0"));
	assert_false(rb_ibsys_owns("mlx5_0", 2, "ens1f0np0"));
	assert_true(rb_ibsys_owns("mlx5_1", 1, "ib0"));
	assert_false(rb_ibsys_owns("mlx5_2", 1, "ens1f0np0"));
}

static const struct {
	const char *sys, *name;
	int rc, ifindex;
	enum rb_netdev_state state;
	unsigned int mtu;
	double gbits;
	const char *driver, *base;
	unsigned int vlan;
} netdevs[] = {
	/* clang-format off */
	{ "mlx5", "ens1f0np0", 0, 4, RB_NETDEV_UP, 9000, 100, "mlx5_core", "", 0 },
	{ "mlx5", "ens1f0np0.100", 0, 7, RB_NETDEV_NO_CARRIER, 9000, 0, "", "ens1f0np0", 100 },
	{ "mlx5", "ib0", 0, 5, RB_NETDEV_DOWN, 2044, 0, "mlx5_core", "", 0 },
	{ "rxe", "v0", 0, 3, RB_NETDEV_UP, 1500, 10, "", "", 0 },
	{ "rxe", "v9", -ENODEV, 0, 0, 0, 0, "", "", 0 },
	{ "rxe", "", -ENODEV, 0, 0, 0, 0, "", "", 0 },
	{ "rxe", "../net/v0", -ENODEV, 0, 0, 0, 0, "", "", 0 },
	{ "rxe", "a-name-beyond-IFNAMSIZ", -ENODEV, 0, 0, 0, 0, "", "", 0 },
	/* clang-format on */
};

static void netdevs_have_state_speed_and_base(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(netdevs); i++) {
		struct rb_netdev nd = { 0 };
		int rc;

		fixture_sys(netdevs[i].sys);
		rc = rb_netdev_read(netdevs[i].name, &nd);
		if (rc != netdevs[i].rc || nd.ifindex != netdevs[i].ifindex ||
		    nd.state != netdevs[i].state || nd.mtu != netdevs[i].mtu ||
		    nd.bits_per_s != (uint64_t)(netdevs[i].gbits * 1e9) ||
		    strcmp(nd.driver, netdevs[i].driver) ||
		    strcmp(nd.base, netdevs[i].base) ||
		    nd.vlan != netdevs[i].vlan)
			fail_msg("%s: %d, %s, MTU %u", netdevs[i].name, rc,
				 rb_netdev_state_name(nd.state), nd.mtu);
	}
}

static void pci_links_are_those_of_the_physical_function(void **state)
{
	struct rb_pci pci;
	json_t *json;

	fixture_sys("mlx5");
	assert_true(rb_pci_read("mlx5_0", &pci));
	assert_string_equal(pci.address, "0000:3b:00.0");
	assert_int_equal(pci.vendor_id, 0x15b3);
	assert_int_equal(pci.link.width, 8);
	assert_int_equal(pci.max.width, 16);
	assert_true(pci.link.gt_per_s == 8);
	assert_int_equal(pci.numa_node, 1);
	assert_false(pci.is_vf);
	assert_true(rb_pci_read("mlx5_2", &pci));
	assert_true(pci.is_vf);
	assert_string_equal(pci.address, "0000:3b:00.2");
	assert_int_equal(pci.link.width, 8);
	json = rb_pci_json(&pci);
	assert_string_equal(
		json_string_value(json_object_get(json, "vendor_id")),
		"0x15b3");
	json_decref(json);
}

static void what_is_not_on_pci_has_no_pci_facts(void **state)
{
	struct rb_pci pci;

	fixture_sys("rxe");
	assert_false(rb_pci_read("rxe0", &pci));
	assert_null(rb_pci_json(&pci));
	fixture_sys("irdma");
	assert_true(rb_pci_read("irdma0", &pci));
	assert_int_equal(pci.numa_node, -1);
}

static void a_host_without_sysfs_lacks_facts_and_nothing_else(void **state)
{
	char text[RB_IBSYS_TEXT], netdev[IFNAMSIZ];
	struct rb_names names;
	struct rb_cpu cpu;
	struct rb_pci pci;

	setenv("SYSFS_PATH", "/nonexistent", 1);
	assert_int_not_equal(rb_ibsys_devices(&names), 0);
	rb_ibsys_driver("mlx5_0", text);
	assert_string_equal(text, "");
	rb_ibsys_netdev("mlx5_0", 1, netdev);
	assert_string_equal(netdev, "");
	assert_false(rb_ibsys_is_software("mlx5_0"));
	assert_false(rb_pci_read("mlx5_0", &pci));
	rb_cpu_read(&cpu);
	assert_true(cpu.online >= 1);
	assert_int_equal(cpu.numa_nodes, 0);
	assert_string_equal(cpu.governor, "");
}

static void processors_have_governor_and_nodes(void **state)
{
	struct rb_cpu cpu;

	fixture_sys("mlx5");
	rb_cpu_read(&cpu);
	assert_string_equal(cpu.governor, "powersave");
	assert_int_equal(cpu.numa_nodes, 2);
}

static void addresses_have_one_form(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr other = { .sa_family = AF_UNIX };
	struct in6_addr a, b;
	char name[IFNAMSIZ];

	inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &in6.sin6_addr);
	assert_true(rb_netaddr_normal((struct sockaddr *)&in, &a));
	assert_true(rb_netaddr_normal((struct sockaddr *)&in6, &b));
	assert_memory_equal(&a, &b, sizeof(a));
	assert_false(rb_netaddr_normal(&other, &a));
	assert_false(rb_netaddr_normal(NULL, &a));
	unsetenv("SYSFS_PATH");
	assert_int_equal(rb_netdev_by_addr((struct sockaddr *)&in, name), 0);
	assert_string_equal(name, "lo");
	inet_pton(AF_INET, "203.0.113.77", &in.sin_addr);
	assert_int_equal(rb_netdev_by_addr((struct sockaddr *)&in, name),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_to_their_first_line),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(a_root_that_is_too_long_is_an_error),
		cmocka_unit_test(names_come_sorted),
		cmocka_unit_test(devices_have_drivers_rates_and_netdevs),
		cmocka_unit_test(a_port_owns_its_netdev_and_the_vlans_above),
		cmocka_unit_test(netdevs_have_state_speed_and_base),
		cmocka_unit_test(pci_links_are_those_of_the_physical_function),
		cmocka_unit_test(what_is_not_on_pci_has_no_pci_facts),
		cmocka_unit_test(
			a_host_without_sysfs_lacks_facts_and_nothing_else),
		cmocka_unit_test(processors_have_governor_and_nodes),
		cmocka_unit_test(addresses_have_one_form),
	};

	return cmocka_run_group_tests_name("sysfs", tests, NULL, NULL);
}
