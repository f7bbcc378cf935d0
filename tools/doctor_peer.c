/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor_peer - 'rbench doctor PEER': is the word a host, ask it, keep what it said
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/report.h"
#include "doctor.h"
#include "run/consult.h"

#define PATH_TEXT 4096

bool rb_doctor_is_file(const char *word)
{
	const char *end = strrchr(word, '.');

	/* what can be no host name is a file that is missing */
	return !access(word, F_OK) || strchr(word, '/') || !strcmp(word, "-") ||
	       (end && !strcmp(end, ".json"));
}

static int resolve(const char *word)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	int err = getaddrinfo(word, NULL, &hints, &list);

	if (err)
		return rb_fail_hint(RB_FAULT_PEER_NAME, -ENOENT,
				    "there is no such file here, and the name has no address",
				    "give the path of a snapshot, or a host on which 'rbench server' runs",
				    "'%.200s' is neither a file nor a host: %s", word,
				    gai_strerror(err));
	freeaddrinfo(list);
	return 0;
}

int rb_doctor_consult(struct rb_consult *c, const char *host, json_t **docs)
{
	struct rb_intr intr = { .fd = -1 };
	int err = resolve(host);

	if (!err)
		err = rb_intr_init(&intr);
	c->intr = &intr;
	if (!err)
		err = rb_consult(c, host, docs);
	c->intr = NULL;
	rb_intr_fini(&intr);
	return err;
}

int rb_doctor_save(struct rb_report *report, const char *base,
		   json_t *const *docs, size_t n)
{
	static const char *const ends[] = { ".json", ".peer.json" };
	char path[PATH_TEXT];
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		if (snprintf(path, sizeof(path), "%s%s", base, ends[i]) >=
		    (int)sizeof(path))
			return rb_fail(RB_FAULT_OUTPUT, -ENAMETOOLONG,
				       "cannot write '%.60s...'", base);
		err = rb_report_file(report, docs[i], path);
	}
	return err;
}
