/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnl_test - interfaces and addresses in rtnetlink's messages, real and made up
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "host/netlink.h"
#include "host/rtnl.h"

static struct nl_msg *link_message(int type, unsigned char family)
{
	struct ifinfomsg info = { .ifi_family = family,
				  .ifi_index = 7,
				  .ifi_flags = IFF_UP };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO),
			 0);
	return msg;
}

static void put_vlan(struct nl_msg *msg, const char *kind, uint16_t id)
{
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data;

	nla_put_string(msg, IFLA_INFO_KIND, kind);
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u16(msg, IFLA_VLAN_ID, id);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
}

static void an_interface_is_read(void **state)
{
	const uint8_t mac[] = { 2, 0, 0, 0, 0, 9 };
	struct nl_msg *msg = link_message(RTM_NEWLINK, AF_UNSPEC);
	struct rb_rtnl_link link;

	nla_put_string(msg, IFLA_IFNAME, "storage");
	nla_put_u32(msg, IFLA_MTU, 4200);
	nla_put_u8(msg, IFLA_OPERSTATE, RB_RTNL_OPER_UP);
	nla_put(msg, IFLA_ADDRESS, sizeof(mac), mac);
	put_vlan(msg, "vlan", 77);
	assert_true(rb_rtnl_link(nlmsg_hdr(msg), &link));
	assert_int_equal(link.ifindex, 7);
	assert_string_equal(link.name, "storage");
	assert_int_equal(link.mtu, 4200);
	assert_int_equal(link.operstate, RB_RTNL_OPER_UP);
	assert_int_equal(link.vlan, 77);
	assert_memory_equal(link.mac, mac, sizeof(mac));
	assert_false(link.gone);
	nlmsg_free(msg);
}

static void what_is_no_vlan_has_no_id(void **state)
{
	struct nl_msg *msg = link_message(RTM_DELLINK, AF_UNSPEC);
	struct rb_rtnl_link link;

	nla_put_string(msg, IFLA_IFNAME, "vx0");
	put_vlan(msg, "vxlan", 77);
	assert_true(rb_rtnl_link(nlmsg_hdr(msg), &link));
	assert_int_equal(link.vlan, 0);
	assert_true(link.gone);
	nlmsg_free(msg);
}

static void other_messages_are_passed_over(void **state)
{
	struct nl_msg *bridge = link_message(RTM_NEWLINK, AF_BRIDGE);
	struct nl_msg *nameless = link_message(RTM_NEWLINK, AF_UNSPEC);
	struct nl_msg *cut = nlmsg_alloc_simple(RTM_NEWADDR, 0);
	struct rb_rtnl_link link;
	struct rb_rtnl_addr addr;

	nla_put_string(bridge, IFLA_IFNAME, "br0");
	assert_false(rb_rtnl_link(nlmsg_hdr(bridge), &link));
	assert_false(rb_rtnl_link(nlmsg_hdr(nameless), &link));
	assert_false(rb_rtnl_link(nlmsg_hdr(cut), &link));
	assert_false(rb_rtnl_addr(nlmsg_hdr(cut), &addr));
	assert_false(rb_rtnl_addr(nlmsg_hdr(nameless), &addr));
	nlmsg_free(bridge);
	nlmsg_free(nameless);
	nlmsg_free(cut);
}

static struct nl_msg *addr_message(unsigned char family)
{
	struct ifaddrmsg info = { .ifa_family = family,
				  .ifa_index = 7,
				  .ifa_prefixlen = 24 };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWADDR, 0);

	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO),
			 0);
	return msg;
}

/* Of a point-to-point address, "address" is the other end's. */
static void an_address_is_this_end_s(void **state)
{
	struct nl_msg *msg = addr_message(AF_INET);
	const uint8_t own[] = { 10, 9, 0, 1 }, other[] = { 10, 9, 0, 2 };
	char text[INET6_ADDRSTRLEN];
	struct rb_rtnl_addr addr;

	nla_put(msg, IFA_ADDRESS, sizeof(other), other);
	nla_put(msg, IFA_LOCAL, sizeof(own), own);
	assert_true(rb_rtnl_addr(nlmsg_hdr(msg), &addr));
	inet_ntop(AF_INET6, &addr.addr, text, sizeof(text));
	assert_string_equal(text, "::ffff:10.9.0.1");
	assert_int_equal(addr.prefix, 24);
	nlmsg_free(msg);
}

static void an_address_of_a_wrong_length_is_none(void **state)
{
	struct nl_msg *v4 = addr_message(AF_INET), *v6 = addr_message(AF_INET6);
	const uint8_t bytes[16] = { 0 };
	struct rb_rtnl_addr addr;

	nla_put(v4, IFA_LOCAL, 3, bytes);
	nla_put(v6, IFA_ADDRESS, 4, bytes);
	assert_false(rb_rtnl_addr(nlmsg_hdr(v4), &addr));
	assert_false(rb_rtnl_addr(nlmsg_hdr(v6), &addr));
	nlmsg_free(v4);
	nlmsg_free(v6);
}

static void take_name(struct nlmsghdr *message, void *arg)
{
	struct rb_rtnl_link link;

	if (rb_rtnl_link(message, &link))
		memcpy(arg, link.name, sizeof(link.name));
}

static int ask_for_link(int ifindex, char name[static IFNAMSIZ])
{
	struct ifinfomsg info = { .ifi_index = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST);
	struct rb_netlink *nl;
	int err;

	nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	assert_int_equal(rb_netlink_open(&nl, NETLINK_ROUTE), 0);
	err = rb_netlink_ask(nl, msg, take_name, name);
	rb_netlink_close(nl);
	return err;
}

static void the_kernel_answers_or_refuses(void **state)
{
	char name[IFNAMSIZ] = "";

	assert_int_equal(ask_for_link((int)if_nametoindex("lo"), name), 0);
	assert_string_equal(name, "lo");
	assert_int_equal(ask_for_link(0x7ffffff0, name), -ENODEV);
	assert_int_equal(rb_rtnl_vlan((int)if_nametoindex("lo"), "lo"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interface_is_read),
		cmocka_unit_test(what_is_no_vlan_has_no_id),
		cmocka_unit_test(other_messages_are_passed_over),
		cmocka_unit_test(an_address_is_this_end_s),
		cmocka_unit_test(an_address_of_a_wrong_length_is_none),
		cmocka_unit_test(the_kernel_answers_or_refuses),
	};

	return cmocka_run_group_tests_name("rtnl", tests, NULL, NULL);
}
