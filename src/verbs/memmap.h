/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * memmap - where memory comes from: ordinary pages, huge ones, a file
 */
#ifndef RB_MEMMAP_H
#define RB_MEMMAP_H

struct rb_mem_opts;
struct rb_pool;

/*
 * Map what @opts (NULL: ordinary pages) asks for, of pool->size bytes at least: set
 * pool->base and pool->mapped. 0 or a negative errno (reported).
 */
int rb_memory_map(const struct rb_mem_opts *opts, struct rb_pool *pool);

#endif
