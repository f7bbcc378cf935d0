/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check - does RDMA work between these two ends, and does protection hold?
 */
#ifndef RB_CHECK_H
#define RB_CHECK_H

struct rb_visit;

/*
 * Run the command: to the host given, or between two ends in this process, or
 * (--responder) as the other end of one client. Returns the exit code: 0 all
 * passed, 3 one did not, 1 they could not be run, 2 usage.
 */
int rb_check_run(int argc, char **argv);

/* Be the other end for one client of a server. 0 or -errno (reported). */
int rb_check_serve(struct rb_visit *visit);

/* Write the help, or the list of options, to standard output. */
void rb_check_help(const char *summary);
void rb_check_list_options(void);

#endif
