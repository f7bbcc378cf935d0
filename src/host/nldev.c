/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nldev - the queue pairs of all processes, as 'rdma resource' shows them
 */
#include "host/nldev.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "host/netlink.h"

#define COMMAND(op) RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op)

struct search {
	const char *name;
	uint32_t index;
	int found;
};

static void take_device(struct nlmsghdr *message, void *arg)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX];
	struct search *s = arg;

	if (nlmsg_parse(message, 0, attrs, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_NAME] ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_INDEX] ||
	    nla_strcmp(attrs[RDMA_NLDEV_ATTR_DEV_NAME], s->name))
		return;
	s->index = nla_get_u32(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]);
	s->found = 1;
}

struct listing {
	rb_nldev_qp_fn take;
	void *arg;
};

static void read_comm(struct rb_nldev_qp *qp)
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", qp->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(qp->comm, sizeof(qp->comm), file))
		qp->comm[0] = '\0';
	fclose(file);
	qp->comm[strcspn(qp->comm, "\n")] = '\0';
}

static uint32_t u32_of(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static void take_entry(const struct listing *l, struct nlattr *entry)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX];
	struct rb_nldev_qp qp = { 0 };

	if (nla_parse_nested(attrs, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_RES_LQPN] ||
	    !attrs[RDMA_NLDEV_ATTR_RES_STATE])
		return;
	qp.qpn = nla_get_u32(attrs[RDMA_NLDEV_ATTR_RES_LQPN]);
	qp.state = nla_get_u8(attrs[RDMA_NLDEV_ATTR_RES_STATE]);
	if (attrs[RDMA_NLDEV_ATTR_RES_TYPE])
		qp.type = nla_get_u8(attrs[RDMA_NLDEV_ATTR_RES_TYPE]);
	qp.port = u32_of(attrs[RDMA_NLDEV_ATTR_PORT_INDEX]);
	qp.pid = u32_of(attrs[RDMA_NLDEV_ATTR_RES_PID]);
	if (attrs[RDMA_NLDEV_ATTR_RES_KERN_NAME])
		nla_strlcpy(qp.comm, attrs[RDMA_NLDEV_ATTR_RES_KERN_NAME],
			    sizeof(qp.comm));
	else if (qp.pid)
		read_comm(&qp);
	l->take(&qp, l->arg);
}

static void take_qps(struct nlmsghdr *message, void *arg)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX], *entry;
	int left;

	if (nlmsg_parse(message, 0, attrs, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_RES_QP])
		return;
	nla_for_each_nested(entry, attrs[RDMA_NLDEV_ATTR_RES_QP], left)
		take_entry(arg, entry);
}

static struct nl_msg *make_question(int op)
{
	return nlmsg_alloc_simple(COMMAND(op), NLM_F_REQUEST | NLM_F_DUMP);
}

int rb_nldev_qps(struct rb_netlink *nl, const char *device, rb_nldev_qp_fn take,
		 void *arg)
{
	struct search s = { .name = device };
	struct listing l = { .take = take, .arg = arg };
	struct nl_msg *question;
	int err = rb_netlink_ask(nl, make_question(RDMA_NLDEV_CMD_GET),
				 take_device, &s);

	if (err)
		return err;
	if (!s.found)
		return -ENODEV;
	question = make_question(RDMA_NLDEV_CMD_RES_QP_GET);
	if (question &&
	    nla_put_u32(question, RDMA_NLDEV_ATTR_DEV_INDEX, s.index)) {
		nlmsg_free(question);
		question = NULL;
	}
	return rb_netlink_ask(nl, question, take_qps, &l);
}
