/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cores - the processors that threads are placed on
 */
#ifndef RB_CORES_H
#define RB_CORES_H

#define RB_CORES_MAX 1024

struct rb_cores {
	unsigned int n;
	unsigned int v[RB_CORES_MAX];
};

/* A list as the kernel writes it: "0-3,8". 0, or -EINVAL. */
int rb_cores_parse(const char *text, struct rb_cores *cores);

/*
 * Those on which this process may run and that are near the RDMA device @ibdev (of
 * its NUMA node), the first thread of each physical core before all second ones;
 * without any near one, all on which it may run.
 */
void rb_cores_near(const char *ibdev, struct rb_cores *cores);

/* How far NUMA node @node is from the farthest of @cores (cpu.h); 0: unknown. */
unsigned int rb_cores_distance(const struct rb_cores *cores, int node);

#endif
