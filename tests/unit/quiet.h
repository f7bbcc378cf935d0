/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * quiet - a log for a test: what is reported is remembered, not shown
 */
#ifndef RB_TEST_QUIET_H
#define RB_TEST_QUIET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct quiet {
	struct rb_log log;
	char *text; /* all lines so far: quiet_text() */
	size_t size;
};

static inline void quiet_begin(struct quiet *quiet)
{
	memset(quiet, 0, sizeof(*quiet));
	rb_log_init(&quiet->log, open_memstream(&quiet->text, &quiet->size),
		    "test");
	rb_log_bind(&quiet->log);
}

static inline const char *quiet_text(struct quiet *quiet)
{
	fflush(quiet->log.err);
	return quiet->text;
}

static inline void quiet_end(struct quiet *quiet)
{
	rb_log_bind(NULL);
	fclose(quiet->log.err);
	free(quiet->text);
	rb_log_fini(&quiet->log);
}

/* The code of the failure that was reported; "" when none was. */
static inline const char *quiet_code(const struct quiet *quiet)
{
	return quiet->log.failed ? quiet->log.first.code : "";
}

static inline bool quiet_warned(const struct quiet *quiet, const char *id)
{
	for (unsigned int i = 0; i < quiet->log.nwarnings; i++)
		if (!strcmp(quiet->log.warnings[i].id, id))
			return true;
	return false;
}

#endif
