/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor - what may end a run from outside: the device, the peer, the user
 *
 * While a loop runs, one thread waits for async events of the device, frames of
 * the side channel and signals, and sets "stop", which the loop sees within
 * 50 ms (it sleeps at most that long too: wake_fd). It also tells the peer once
 * a second (more often when the peer is impatient) that this end is alive, and
 * notices when the peer is not: a QP that died or a host that vanished never
 * leaves a run waiting.
 */
#ifndef RB_MONITOR_H
#define RB_MONITOR_H

#include <infiniband/verbs.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rb_dev;
struct rb_oob;
struct rb_intr;

#define RB_EVENTS_MAX 64

enum rb_stop { /* why a run ends early; 0: it does not */
	RB_STOP_NONE,
	RB_STOP_INTERRUPTED, /* by a signal here */
	RB_STOP_PEER_INTERRUPTED,
	RB_STOP_PEER_FAILED, /* it sent an error frame (queued in the oob) */
	RB_STOP_PEER_GONE,
	RB_STOP_PEER_SILENT,
	RB_STOP_PEER_GARBAGE,
	RB_STOP_QP_DIED,
	RB_STOP_DEVICE_DIED,
};

struct rb_event {
	uint64_t at_ns; /* after the monitor was made */
	enum ibv_event_type type;
	uint32_t number; /* QPN, port or 0 */
	bool is_qp, is_port;
};

struct rb_monitor {
	const struct rb_dev *dev;
	struct rb_oob *oob;
	struct rb_intr *intr;
	atomic_int stop;  /* enum rb_stop; the first reason stays */
	/* what a loop looks at: not 0 when it has to end, because of stop, or
	 * because the peer's result is there and nothing more will arrive */
	atomic_int halt;
	atomic_bool halt_on_result;
	int wake_fd;	  /* readable while halt is set: who sleeps in a loop */
	int leave_fd;	  /* readable while the thread has to end */
	uint64_t made_ns;
	pthread_t thread;
	bool running;
	atomic_bool leave; /* the thread has to end */
	/* of the thread while it runs, of the owner otherwise */
	struct rb_event events[RB_EVENTS_MAX];
	atomic_uint nevents; /* those before it can be read while it runs */
	struct ibv_async_event last; /* the one that stopped the run */
	uint64_t heard_ns, told_ns;
};

/* Prepare; the device's async descriptor is made non-blocking. 0 or -errno. */
int rb_monitor_init(struct rb_monitor *m, const struct rb_dev *dev,
		    struct rb_oob *oob, struct rb_intr *intr);
void rb_monitor_fini(struct rb_monitor *m);

/*
 * Whether the peer's result ends the loop (a receiver's). Called before each
 * start of the thread: what halted the run before is over, a stop is not; a
 * result that is there already halts at once.
 */
void rb_monitor_halt_on_result(struct rb_monitor *m, bool on);

/* Make the loops end, from one of them; it knows why. */
void rb_monitor_halt(struct rb_monitor *m);

/* Run in a thread of its own, and end that thread. */
int rb_monitor_start(struct rb_monitor *m);
void rb_monitor_join(struct rb_monitor *m);

/*
 * Do the same in the calling thread until a frame of @type has come (set in
 * *@frame, a new reference) or the run is to end (0 and *@frame NULL).
 */
int rb_monitor_await(struct rb_monitor *m, const char *type, json_t **frame);

/*
 * Where no thread of ours does: tell the peer that this end lives, if that is due.
 * 0, or a negative errno (reported): it is gone, in its own words if it left some.
 */
int rb_monitor_tell_alive(struct rb_monitor *m);

/* Report why the run ended early, as a failure; returns its negative errno. */
int rb_monitor_fail(struct rb_monitor *m);

/* Take async events that are there, without waiting. */
void rb_monitor_events(struct rb_monitor *m);

/*
 * After a completion error: did the peer's end cause it? Waits up to 100 ms for
 * its word or the end of its connection; true when there is a reason to report
 * by rb_monitor_fail.
 */
bool rb_monitor_blames_peer(struct rb_monitor *m);

/*
 * After a completion error: the device may be about to tell why. Waits up to
 * 100 ms for an event that explains it; returns the event's type, or -1.
 */
int rb_monitor_explains(struct rb_monitor *m);

/* One of the first m->nevents, as below; while the thread runs too. */
json_t *rb_monitor_event_json(const struct rb_monitor *m, unsigned int i);

/* [ { "at_ns", "type", "qpn" | "port", "device" }, ... ]; a new reference. */
json_t *rb_monitor_json(const struct rb_monitor *m);

#endif
