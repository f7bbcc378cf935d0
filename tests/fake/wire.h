/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire - the memory that joins the processes of one fake fabric
 *
 * Each process owns one arena: a sparse memfd with every object that a peer
 * has to see (queue pairs and their receive queues, completion queues, memory
 * keys, CM listeners). A registry file in RB_FAKE_DIR has a slot a process;
 * a slot is owned by a POSIX lock on its byte, so the kernel frees it at death
 * and nothing has to be reaped. A peer opens the arena, and the pipes that
 * carry events, through /proc/PID/fd.
 *
 * The requester does all the work of a message: it copies the payload with
 * process_vm_writev, consumes the receive and writes the peer's completion.
 * Locks are robust, and each update is complete with its last store.
 *
 * Lock order: send queue, wire_qp, wire_rq, wire_cq, event_lock. A thread never holds the
 * wire_qp of two queue pairs.
 */
#ifndef FAKE_WIRE_H
#define FAKE_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/verbs.h>

enum {
	WIRE_SLOTS	= 1023,		/* processes; slot 0 is not used */
	WIRE_QP_BITS	= 14,
	WIRE_QPS	= 1 << WIRE_QP_BITS,
	WIRE_CQS	= 1 << 15,
	WIRE_MRS	= 1 << 16,
	WIRE_SRQS	= 1024,
	WIRE_CMIDS	= 4096,
	WIRE_DEVS	= 8,
	WIRE_GROUPS	= 4,		/* multicast groups of one QP */
	WIRE_SGE	= 16,
	WIRE_PRIVATE	= 196,		/* CM private data, longest case */
};

#define WIRE_ARENA_BYTES (4ull << 30)

struct wire_cqe {
	struct ibv_wc wc;
	uint64_t stamp_ns;
	uint32_t seq;			/* send queue entry that it retires */
	uint32_t srq;			/* XRC: of the receive, index + 1; 0: none */
};

enum wire_armed { ARMED_NOT, ARMED_SOLICITED, ARMED_ANY };

struct wire_cq {
	pthread_mutex_t lock;
	uint32_t ready;			/* lock initialised, once for ever */
	uint32_t gen;
	uint32_t live;
	uint32_t size;			/* entries that the program asked for */
	uint32_t mask;
	uint32_t head;			/* next to poll */
	uint32_t tail;			/* next to write */
	uint32_t armed;
	uint32_t overrun;
	uint32_t index;
	int32_t event_fd;		/* owner's number; -1: no channel */
	int32_t async_fd;
	int32_t stamped;		/* completions carry a time */
	uint64_t ring;			/* offset in the arena */
};

struct wire_rwqe {
	uint64_t wr_id;
	uint32_t nsge;
	uint32_t pad;
	struct ibv_sge sge[];
};

struct wire_rq {
	pthread_mutex_t lock;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t mask;
	uint32_t stride;
	uint32_t head;			/* next to consume */
	uint32_t tail;			/* next to write */
	uint32_t limit;			/* SRQ: event below this; 0: none */
	uint32_t pad;
	uint64_t ring;
};

struct wire_srq {
	struct wire_rq rq;
	uint32_t ready;
	uint32_t gen;
	uint32_t index;
	uint32_t pd;
	int32_t async_fd;
	uint32_t xrcd;			/* its domain; 0: an ordinary one */
	uint32_t cq;			/* XRC: index of its completion queue */
};

struct wire_qp {
	pthread_mutex_t lock;
	struct wire_rq rq;
	uint32_t ready;
	uint32_t gen;
	uint32_t qpn;			/* 0: free */
	uint32_t state;			/* enum ibv_qp_state */
	uint32_t dest_qpn;
	uint32_t qkey;
	uint32_t pd;
	uint32_t access;
	uint32_t rq_psn;
	uint32_t recv_cq;
	uint32_t srq;			/* index + 1; 0: own receive queue */
	uint32_t xrcd;			/* of an XRC_RECV */
	int32_t async_fd;
	uint8_t type;
	uint8_t dev;
	uint8_t mtu;
	uint8_t min_rnr_timer;
	uint8_t pkey_index;
	uint8_t max_dest_rd_atomic;
	uint8_t comm_est;
	uint8_t ngroups;
	uint8_t pad;
	uint8_t group[WIRE_GROUPS][16];
};

struct wire_mr {
	uint32_t key;			/* 0: free */
	uint32_t pd;
	uint32_t access;
	uint32_t pad;
	uint64_t iova;
	uint64_t addr;
	uint64_t length;
};

struct wire_cmid {
	uint32_t gen;
	uint32_t listening;
	uint32_t addr;			/* IPv4, network order */
	uint16_t port;			/* network order */
	uint16_t ps;
	int32_t event_fd;
	uint32_t hung_up;		/* DISCONNECTED was sent to it */
};

struct wire_arena {
	uint64_t magic;
	uint32_t slot;
	uint32_t gen;
	int32_t pid;
	uint32_t closed;
	uint32_t ngroups;		/* QPs of the process in a group */
	uint32_t nlisten;
	uint8_t port_down[WIRE_DEVS];
	uint8_t frozen[WIRE_DEVS];	/* after a fatal device event */
	pthread_mutex_t atomic_lock;
	pthread_mutex_t event_lock;	/* writing to the process's pipes */
	struct wire_qp qp[WIRE_QPS];
	struct wire_cq cq[WIRE_CQS];
	struct wire_srq srq[WIRE_SRQS];
	struct wire_mr mr[WIRE_MRS];
	struct wire_cmid cm[WIRE_CMIDS];
	uint64_t heap[];
};

struct wire_peer {
	struct wire_arena *a;
	pid_t pid;
	uint32_t slot;
	uint32_t gen;
	int refs;
	bool is_self;
};

/* What goes through the pipe of a completion channel or of async_fd. */
struct wire_event {
	uint32_t type;			/* enum ibv_event_type, or a CQ event */
	uint32_t index;
	uint32_t gen;
	uint32_t pad;
};

#define WIRE_CQ_EVENT 0xc0c0u

/* Join the fabric (idempotent). Returns 0 or a negative errno (reported). */
int wire_join(void);
void wire_leave(void);

/* A reference to the process in @slot, or NULL when there is none. */
struct wire_peer *wire_peer_get(uint32_t slot);
void wire_peer_put(struct wire_peer *peer);
bool wire_peer_alive(const struct wire_peer *peer);

/* What a pipe's records are: their size, and where the object's gen stands. */
struct wire_layout {
	size_t size, gen_at;
};

/* Take the records of @gen out of the own pipe with the reading end @fd. */
void wire_purge(int fd, const struct wire_layout *layout, uint32_t gen);

/* The next record, waiting for it unless @fd is non-blocking; -1: errno. */
int wire_read(int fd, void *record, size_t len);

/* Write one event record to descriptor number @fd of @peer; never blocks. */
void wire_signal(const struct wire_peer *peer, int fd, const void *record,
		 size_t len);

void wire_lock(pthread_mutex_t *lock);
void wire_unlock(pthread_mutex_t *lock);
void wire_lock_init(pthread_mutex_t *lock);

/* Space in the own arena, page aligned and zeroed; 0 when it is full. */
uint64_t wire_alloc(size_t size);
void wire_free(uint64_t offset, size_t size);

static inline void *wire_at(const struct wire_arena *a, uint64_t offset)
{
	return (char *)(uintptr_t)a + offset;
}

static inline uint32_t load32(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void store32(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline uint32_t round_pow2(uint32_t n)
{
	return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

#endif
