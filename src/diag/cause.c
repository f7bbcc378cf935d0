/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cause - what the tables of explanations are made of: a cause, and how sure
 */
#include "diag/cause.h"

static const char *const names[] = {
	[RB_SURE_UNKNOWN] = "unknown",	   [RB_SURE_GUESS] = "guess",
	[RB_SURE_LIKELY] = "likely",	   [RB_SURE_CONFIRMED] = "confirmed",
	[RB_SURE_SOURCE] = "source",
};

const char *rb_sure_name(enum rb_sure sure)
{
	return names[sure];
}
