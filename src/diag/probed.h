/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probed - "probes" of a snapshot: what was tried between two ends
 *
 * A snapshot can be of anybody: everything here takes any JSON.
 */
#ifndef RB_DIAG_PROBED_H
#define RB_DIAG_PROBED_H

#include <jansson.h>
#include <stdbool.h>

/* What the tests of a probe are about. */
enum rb_probed {
	RB_PROBED_SMALL, /* a connection, and a packet each way */
	RB_PROBED_FULL,	 /* packets of the path MTU each way */
	RB_PROBED_CM,	 /* a connection by rdma_cm */
};

enum rb_probe_outcome { RB_PROBE_NONE, RB_PROBE_PASS, RB_PROBE_FAIL };

/* The probe of this host's port; NULL: there is none. */
const json_t *rb_probe_of(const json_t *probes, const char *device,
			  const char *port);

/* Whether it was with that port of the other host. */
bool rb_probe_is_with(const json_t *probe, const char *device,
		      const char *port);

/*
 * How the tests of @what ended, and in *@test the one that decides: the first that
 * failed, else one that was not tried, else one that passed (NULL: there is none).
 */
enum rb_probe_outcome rb_probe_outcome(const json_t *probe, enum rb_probed what,
				       const json_t **test);

/* The section's "probes": known keys, texts made plain; NULL without any. */
json_t *rb_probes_json(const json_t *probes);

#endif
