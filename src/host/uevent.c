/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uevent - what the kernel announces of devices that come and go
 */
#include "host/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1 /* group 2 is udev's, after its rules ran */
#define MESSAGE_BYTES 4096 /* the kernel's own limit is 2048 and some (kobject_uevent.c) */

int rb_uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK,
				    .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static void parse(const char *text, size_t len, struct rb_uevent *event)
{
	static const char subsystem[] = "SUBSYSTEM=";
	const char *end = text + len, *slash = strrchr(text, '/');

	memset(event, 0, sizeof(*event));
	/* "add@/devices/virtual/infiniband/rxe0", then KEY=VALUE, each ended by
	 * a 0 */
	event->added = !strncmp(text, "add@", strlen("add@"));
	event->removed = !strncmp(text, "remove@", strlen("remove@"));
	if (slash)
		snprintf(event->name, sizeof(event->name), "%s", slash + 1);
	for (; text < end; text += strlen(text) + 1)
		if (!strncmp(text, subsystem, strlen(subsystem)))
			snprintf(event->subsystem, sizeof(event->subsystem),
				 "%s", text + strlen(subsystem));
}

bool rb_uevent_read(int fd, struct rb_uevent *event)
{
	char text[MESSAGE_BYTES + 1];
	struct sockaddr_nl from;
	ssize_t n;

	for (;;) {
		socklen_t len = sizeof(from);

		n = recvfrom(fd, text, MESSAGE_BYTES, 0,
			     (struct sockaddr *)&from, &len);
		if (n < 0 && errno == ENOBUFS)
			continue; /* some were lost: the rest still counts */
		if (n <= 0)
			return false;
		text[n] = '\0';
		/* anybody may send to a netlink socket: only the kernel is 0 */
		if (!from.nl_pid && strchr(text, '@')) {
			parse(text, (size_t)n, event);
			return true;
		}
	}
}
