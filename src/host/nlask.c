/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nlask - one question to the kernel by netlink, and all of its answers
 */
#include "host/nlask.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "host/files.h"
#include "host/netlink.h"

#define ANY_FAMILY 0x20

void rb_nl_add(struct rb_nl_ask *ask, const void *data, size_t size)
{
	size_t room = NLMSG_ALIGN(size);

	if (room > sizeof(ask->body) - ask->size)
		return;
	memcpy(ask->body + ask->size, data, size);
	ask->size += room;
}

void rb_nl_add_attr(struct rb_nl_ask *ask, uint16_t type, const void *data,
		    size_t size)
{
	const struct nlattr head = { .nla_len = (uint16_t)(NLA_HDRLEN + size),
				     .nla_type = type };

	if (NLA_HDRLEN + NLMSG_ALIGN(size) > sizeof(ask->body) - ask->size)
		return;
	rb_nl_add(ask, &head, sizeof(head));
	rb_nl_add(ask, data, size);
}

void rb_nl_add_text(struct rb_nl_ask *ask, uint16_t type, const char *text)
{
	rb_nl_add_attr(ask, type, text, strlen(text) + 1);
}

void rb_nl_add_u32(struct rb_nl_ask *ask, uint16_t type, uint32_t value)
{
	rb_nl_add_attr(ask, type, &value, sizeof(value));
}

enum progress { GOING_ON, DONE };

/*
 * Hand the messages in @data to @take. GOING_ON, DONE, or the refusal. Without
 * a dump the first answer is the only one.
 */
static int take_messages(const struct rb_nl_ask *ask, const void *data,
			 size_t size, rb_nl_taker take, void *arg)
{
	const struct nlmsghdr *msg = data;
	int left = (int)size;

	for (; NLMSG_OK(msg, left); msg = NLMSG_NEXT(msg, left)) {
		if (msg->nlmsg_type == NLMSG_DONE)
			return DONE;
		if (msg->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(msg);

			if (msg->nlmsg_len < NLMSG_LENGTH(sizeof(*error)))
				return -EPROTO;
			return error->error ? error->error : DONE;
		}
		if (msg->nlmsg_type != NLMSG_NOOP)
			take(msg, arg);
		if (!(ask->flags & NLM_F_DUMP))
			return DONE;
	}
	return GOING_ON;
}

static int ask_recorded(const struct rb_nl_ask *ask, rb_nl_taker take,
			void *arg)
{
	size_t size;
	char *data;
	int err = rb_file_read(&data, &size, "nl/%s.bin", ask->name);

	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	err = take_messages(ask, data, size, take, arg);
	free(data);
	return err < 0 ? err : 0;
}

/* What rb_netlink_ask hands on, for the taker here. */
struct handing {
	rb_nl_taker take;
	void *arg;
};

static void hand_on(struct nlmsghdr *msg, void *arg)
{
	const struct handing *to = arg;

	to->take(msg, to->arg);
}

static struct nl_msg *make_question(const struct rb_nl_ask *ask)
{
	struct nl_msg *msg = nlmsg_alloc_simple(ask->type,
						NLM_F_REQUEST | ask->flags);

	if (msg && nlmsg_append(msg, (void *)(uintptr_t)ask->body, ask->size,
				NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int rb_nl_ask(const struct rb_nl_ask *ask, rb_nl_taker take, void *arg)
{
	struct handing to = { take, arg };
	struct rb_netlink *nl;
	int err;

	if (rb_root_recorded())
		return ask_recorded(ask, take, arg);
	err = rb_netlink_open(&nl, ask->protocol);
	if (err)
		return err;
	err = rb_netlink_ask(nl, make_question(ask), hand_on, &to);
	rb_netlink_close(nl);
	return err;
}

static void take_family(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	uint16_t *family = arg;

	if (nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg, GENL_HDRLEN, attrs,
			CTRL_ATTR_MAX, NULL) < 0)
		return;
	if (attrs[CTRL_ATTR_FAMILY_ID])
		*family = (uint16_t)rb_nl_uint(attrs[CTRL_ATTR_FAMILY_ID]);
}

int rb_nl_family(const char *name, uint16_t *family)
{
	const struct genlmsghdr head = { .cmd = CTRL_CMD_GETFAMILY,
					 .version = 1 };
	struct rb_nl_ask ask = { .protocol = NETLINK_GENERIC,
				 .type = GENL_ID_CTRL };
	uint16_t found = 0;
	int err;

	if (rb_root_recorded()) {
		*family = ANY_FAMILY;
		return 0;
	}
	rb_nl_add(&ask, &head, sizeof(head));
	rb_nl_add_text(&ask, CTRL_ATTR_FAMILY_NAME, name);
	err = rb_nl_ask(&ask, take_family, &found);
	if (!err && !found)
		err = -ENOENT;
	if (!err)
		*family = found;
	return err == -ENOENT ? -EOPNOTSUPP : err;
}
