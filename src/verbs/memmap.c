/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * memmap - where memory comes from: ordinary pages, huge ones, a file
 */
#include "verbs/memmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"
#include "base/units.h"
#include "verbs/mem.h"

#define HUGE_PAGE (2u << 20) /* where the kernel does not tell */

static const struct rb_opt mem_rows[] = {
	/* clang-format off */
	{ .name = "hugepages", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_mem_opts, hugepages),
	  .help = "memory of this end in huge pages" },
	{ .name = "relaxed-ordering", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_mem_opts, relaxed),
	  .help = "the device may reorder its writes to memory of this end (PCIe)" },
	{ .name = "odp", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_mem_opts, on_demand),
	  .help = "memory of this end paged on demand in place of locked" },
	{ .name = "mmap", .type = RB_OPT_STRING, .arg = "FILE", .offset = offsetof(struct rb_mem_opts, file),
	  .help = "memory of this end is that of FILE, which is written to" },
	{ .name = "mmap-offset", .type = RB_OPT_SIZE, .def = "0", .max = 1ull << 62, .arg = "BYTES",
	  .offset = offsetof(struct rb_mem_opts, at),
	  .help = "where in FILE it begins, a multiple of the page size" },
	/* clang-format on */
};

const struct rb_optgroup rb_mem_optgroup = { "Memory", mem_rows,
					     RB_ARRAY_SIZE(mem_rows) };

/* Of the kind that MAP_HUGETLB takes (proc_meminfo(5)). */
static size_t huge_page(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long kib = 0;
	char line[128];

	while (f && !kib && fgets(line, sizeof(line), f))
		if (sscanf(line, "Hugepagesize: %lu kB", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	return kib ? kib << 10 : HUGE_PAGE;
}

static int map(struct rb_pool *pool, int flags, int fd, uint64_t at)
{
	pool->base = mmap(NULL, pool->mapped, PROT_READ | PROT_WRITE,
			  MAP_POPULATE | flags, fd, (off_t)at);
	return pool->base == MAP_FAILED ? -errno : 0;
}

static int map_huge(struct rb_pool *pool)
{
	size_t page = huge_page();
	char text[RB_TEXT_SIZE], each[RB_TEXT_SIZE];
	int err;

	pool->mapped = (pool->size + page - 1) / page * page;
	err = map(pool, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	return err ? rb_fail(RB_FAULT_HUGEPAGES, err,
			     "cannot map %s of memory in pages of %s",
			     rb_format_size(pool->mapped, text),
			     rb_format_size(page, each)) :
		     0;
}

/* A regular file has to hold it all: beyond its end there is SIGBUS. */
static int check_file(const struct rb_mem_opts *opts, const struct rb_pool *pool,
		      int fd)
{
	char text[RB_TEXT_SIZE];
	struct stat st;

	if (opts->at % rb_page_round(1))
		return rb_fail_cause(RB_FAULT_MEMORY_FILE, -EINVAL,
				     "memory is mapped by whole pages",
				     "--mmap-offset is no multiple of the page size, %zu",
				     rb_page_round(1));
	if (fstat(fd, &st))
		return rb_fail(RB_FAULT_MEMORY_FILE, -errno, "cannot use '%s'",
			       opts->file);
	if (!S_ISREG(st.st_mode) ||
	    (opts->at <= (uint64_t)st.st_size &&
	     pool->size <= (uint64_t)st.st_size - opts->at))
		return 0;
	return rb_fail_cause(RB_FAULT_MEMORY_FILE, -ENOSPC,
			     "the file is shorter than the memory of the run",
			     "'%s' does not have %s from %llu on", opts->file,
			     rb_format_size(pool->size, text),
			     (unsigned long long)opts->at);
}

static int map_file(const struct rb_mem_opts *opts, struct rb_pool *pool)
{
	int fd = open(opts->file, O_RDWR | O_CLOEXEC);
	int err;

	if (fd < 0)
		return rb_fail(RB_FAULT_MEMORY_FILE, -errno,
			       "cannot open '%s'", opts->file);
	err = check_file(opts, pool, fd);
	if (!err) {
		err = map(pool, MAP_SHARED, fd, opts->at);
		if (err)
			rb_fail(RB_FAULT_MEMORY_FILE, err, "cannot map '%s'",
				opts->file);
	}
	close(fd);
	return err;
}

int rb_memory_map(const struct rb_mem_opts *opts, struct rb_pool *pool)
{
	char text[RB_TEXT_SIZE];
	int err;

	pool->mapped = pool->size;
	if (opts && opts->file)
		return map_file(opts, pool);
	if (opts && opts->hugepages)
		return map_huge(pool);
	err = map(pool, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return err ? rb_fail(RB_FAULT_NO_MEMORY, err, "cannot map %s of memory",
			     rb_format_size(pool->size, text)) :
		     0;
}
