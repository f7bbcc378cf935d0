/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* wire - join the fabric, find the other processes, reach their arenas. */

#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ARENA_MAGIC 0x72626661u		/* and the layout's size, below */

struct wire_slot {
	int32_t pid;
	int32_t arena_fd;
	uint32_t gen;
	uint32_t pad;
};

struct wire_registry {
	uint32_t hint;			/* slots are taken in turn */
	uint32_t pad[3];
	struct wire_slot slot[WIRE_SLOTS];
};

struct fake_proc proc;

static pthread_mutex_t join_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wire_peer *peers[WIRE_SLOTS];
static struct wire_registry *registry;
static int registry_fd = -1;
static int arena_fd = -1;

static uint64_t arena_magic(void)
{
	return ((uint64_t)ARENA_MAGIC << 32) | (uint32_t)sizeof(struct wire_arena);
}

static int complain(const char *what, int err)
{
	fprintf(stderr, "libfakeverbs: %s: %s\n", what, strerror(err));
	return -err;
}

static void choose_dir(char *dir, size_t size)
{
	const char *env = getenv("RB_FAKE_DIR");
	const char *run = getenv("XDG_RUNTIME_DIR");

	if (env && *env)
		snprintf(dir, size, "%s", env);
	else if (run && *run && !access(run, W_OK))
		snprintf(dir, size, "%s/rbfake", run);
	else
		snprintf(dir, size, "/tmp/rbfake-%u", (unsigned int)getuid());
}

static int map_registry(void)
{
	char dir[3072], path[4096];
	struct stat st;
	void *map;

	choose_dir(dir, sizeof(dir));
	if (mkdir(dir, 0700) && errno != EEXIST)
		return complain(dir, errno);
	snprintf(path, sizeof(path), "%s/wire", dir);
	registry_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (registry_fd < 0)
		return complain(path, errno);
	if (fstat(registry_fd, &st) ||
	    (st.st_size < (off_t)sizeof(*registry) &&
	     ftruncate(registry_fd, sizeof(*registry))))
		return complain(path, errno);
	map = mmap(NULL, sizeof(*registry), PROT_READ | PROT_WRITE, MAP_SHARED,
		   registry_fd, 0);
	if (map == MAP_FAILED)
		return complain(path, errno);
	registry = map;
	return 0;
}

static struct flock slot_lock(uint32_t slot, short type)
{
	return (struct flock) {
		.l_type = type, .l_whence = SEEK_SET, .l_start = slot,
		.l_len = 1,
	};
}

static uint32_t take_slot(void)
{
	uint32_t first = __atomic_fetch_add(&registry->hint, 1,
					    __ATOMIC_RELAXED);
	uint32_t i;

	for (i = 0; i < WIRE_SLOTS - 1; i++) {
		uint32_t slot = 1 + (first + i) % (WIRE_SLOTS - 1);
		struct flock lock = slot_lock(slot, F_WRLCK);

		if (!fcntl(registry_fd, F_SETLK, &lock))
			return slot;
	}
	return 0;
}

static struct wire_arena *map_arena(int fd)
{
	void *map = mmap(NULL, WIRE_ARENA_BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, fd, 0);

	if (map == MAP_FAILED)
		return NULL;
	madvise(map, WIRE_ARENA_BYTES, MADV_DONTDUMP);
	return map;
}

static int make_arena(uint32_t slot)
{
	struct wire_arena *a;

	arena_fd = memfd_create("rbench-fake", MFD_CLOEXEC);
	if (arena_fd < 0 || ftruncate(arena_fd, WIRE_ARENA_BYTES))
		return complain("arena", errno);
	a = map_arena(arena_fd);
	if (!a)
		return complain("arena", errno);
	a->slot = slot;
	a->pid = getpid();
	a->gen = registry->slot[slot].gen + 1;
	a->magic = arena_magic();
	wire_lock_init(&a->atomic_lock);
	wire_lock_init(&a->event_lock);
	proc.self = (struct wire_peer) {
		.a = a, .pid = a->pid, .slot = slot, .gen = a->gen, .refs = 1,
		.is_self = true,
	};
	registry->slot[slot].pid = a->pid;
	registry->slot[slot].arena_fd = arena_fd;
	store32(&registry->slot[slot].gen, a->gen);
	return 0;
}

static int probe_copy(void)
{
	char from = 1, to = 0;
	struct iovec l = { &from, 1 }, r = { &to, 1 };

	if (process_vm_writev(getpid(), &l, 1, &r, 1, 0) != 1)
		return complain("process_vm_writev is not permitted here",
				errno);
	return 0;
}

static void after_fork(void)
{
	memset(&proc, 0, sizeof(proc));
	memset(peers, 0, sizeof(peers));
	plan_forget_calls();
	heap_forget();
	obj_forget();
	engine_forget_all();
	cm_forget();
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

static int join(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t slot;
	int err;

	pthread_once(&once, watch_forks);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	err = probe_copy();
	if (err)
		return err;
	if (!registry) {
		err = map_registry();
		if (err)
			return err;
	}
	slot = take_slot();
	if (!slot)
		return complain("too many processes on the fabric", EAGAIN);
	return make_arena(slot);
}

int wire_join(void)
{
	int err = 0;

	pthread_mutex_lock(&join_lock);
	if (!proc.self.a)
		err = join();
	pthread_mutex_unlock(&join_lock);
	return err;
}

static void peer_free(struct wire_peer *peer)
{
	munmap(peer->a, WIRE_ARENA_BYTES);
	free(peer);
}

void wire_leave(void)
{
	uint32_t slot;

	if (!proc.self.a)
		return;
	store32(&proc.self.a->closed, 1);
	for (slot = 0; slot < WIRE_SLOTS; slot++)
		if (peers[slot] && !peers[slot]->refs)
			peer_free(peers[slot]);
}

static pid_t slot_owner(uint32_t slot)
{
	struct flock lock = slot_lock(slot, F_WRLCK);

	if (fcntl(registry_fd, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

bool wire_peer_alive(const struct wire_peer *peer)
{
	if (peer->is_self)
		return true;
	if (load32(&peer->a->closed))
		return false;
	return load32(&registry->slot[peer->slot].gen) == peer->gen &&
	       slot_owner(peer->slot) == peer->pid;
}

static struct wire_arena *open_arena(pid_t pid, int number)
{
	struct wire_arena *a;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		if (errno == EACCES || errno == EPERM)
			complain("cannot reach the peer process", errno);
		return NULL;
	}
	a = map_arena(fd);
	close(fd);
	return a;
}

static struct wire_peer *peer_open(uint32_t slot)
{
	struct wire_slot s = registry->slot[slot];
	struct wire_peer *peer;
	struct wire_arena *a;

	if (!s.pid || slot_owner(slot) != s.pid)
		return NULL;
	a = open_arena(s.pid, s.arena_fd);
	if (!a)
		return NULL;
	peer = calloc(1, sizeof(*peer));
	if (!peer || a->magic != arena_magic() || a->slot != slot ||
	    a->gen != s.gen) {
		munmap(a, WIRE_ARENA_BYTES);
		free(peer);
		return NULL;
	}
	peer->a = a;
	peer->pid = s.pid;
	peer->slot = slot;
	peer->gen = s.gen;
	return peer;
}

/* A slot with a new owner: the old mapping stays for those who hold it. */
static void forget_stale(uint32_t slot)
{
	struct wire_peer *peer = peers[slot];

	if (!peer || peer->gen == load32(&registry->slot[slot].gen))
		return;
	peers[slot] = NULL;
	if (!peer->refs)
		peer_free(peer);
}

struct wire_peer *wire_peer_get(uint32_t slot)
{
	struct wire_peer *peer;

	if (!slot || slot >= WIRE_SLOTS)
		return NULL;
	if (slot == proc.self.slot)
		return &proc.self;
	pthread_mutex_lock(&peers_lock);
	forget_stale(slot);
	if (!peers[slot])
		peers[slot] = peer_open(slot);
	peer = peers[slot];
	if (peer)
		peer->refs++;
	pthread_mutex_unlock(&peers_lock);
	return peer;
}

void wire_peer_put(struct wire_peer *peer)
{
	if (!peer || peer->is_self)
		return;
	pthread_mutex_lock(&peers_lock);
	if (!--peer->refs && peers[peer->slot] != peer)
		peer_free(peer);
	pthread_mutex_unlock(&peers_lock);
}

void wire_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

void wire_lock(pthread_mutex_t *lock)
{
	if (pthread_mutex_lock(lock) == EOWNERDEAD)
		pthread_mutex_consistent(lock);
}

void wire_unlock(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
}
