/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * server - one client after another, each with whatever it asks for
 *
 * The server has options of its own machine only; command, pattern and sizes
 * come with each client's agreement. A visit is one client's stay: it has its
 * own log (so its first failure is its own), its own document, and holds
 * nothing that another visit could see. Whatever happens in it, the server
 * says so in a line and goes on.
 */
#ifndef RB_SERVER_H
#define RB_SERVER_H

#include <jansson.h>
#include <stdint.h>

#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "peer/oob.h"

struct rb_intr;

struct rb_visit {
	uint64_t number;   /* from 1 */
	struct rb_oob oob; /* greeted */
	json_t *plan;	   /* the client's "agree" */
	struct rb_intr *intr;
	const struct rb_optset *set; /* of the server: its values hold */
	int argc;
	char **argv; /* of the server */
	bool discreet; /* the facts of this host are not for clients */
	char client[RB_OOB_NAME];
	char command[33]; /* that it asks for; "": it did not come so far */
	/* by whoever serves */
	enum rb_status status;
	char result[RB_LOG_TEXT]; /* what came out, in a sentence; "" */
};

/*
 * Serves one visit by the command that its plan names: 0, a negative errno
 * (reported), or -ENOSYS (not reported) when there is no such command.
 */
typedef int (*rb_serve_fn)(struct rb_visit *visit);

/*
 * Serve clients until a signal comes. Returns the process's exit code: 0 after
 * a signal, 1 when the port or the device cannot be had.
 */
int rb_server_run(rb_serve_fn serve, int argc, char **argv);

/* Write the help, or the list of options, to standard output. */
void rb_server_help(const char *summary);
void rb_server_list_options(void);

/* Take over the visit's channel and plan. */
struct rb_oob rb_visit_take(struct rb_visit *visit, json_t **plan);

/* Begin the visit's document: a line of its own where JSON is wanted, no text. */
int rb_visit_report(const struct rb_visit *visit, const char *command,
		    const struct rb_report_opts *opts,
		    struct rb_report *report);

#endif
