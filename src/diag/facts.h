/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * facts - what a text tells beside errors: GIDs, ports, limits, counters
 */
#ifndef RB_DIAG_FACTS_H
#define RB_DIAG_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag/text.h"

#define RB_FACT_TABLES 4
#define RB_FACT_GIDS 32
#define RB_FACT_PORTS 16
#define RB_FACT_COUNTERS 64
#define RB_FACT_FILES 16

enum rb_fact_type { RB_TYPE_UNKNOWN, RB_TYPE_IB, RB_TYPE_V1, RB_TYPE_V2 };

struct rb_fact_gid {
	int index;
	enum rb_fact_type type;
	uint8_t raw[16];
	char netdev[16];
};

struct rb_fact_table { /* of one port of one host */
	unsigned int file;
	char device[32];
	unsigned int n;
	struct rb_fact_gid gids[RB_FACT_GIDS];
};

struct rb_fact_port {
	unsigned int file;
	char device[32];
	char driver[24];
	char link_layer[16];
	char state[24], phys[24];
	unsigned int states; /* different ones, in the order of the text */
	unsigned int samples, down;
	uint32_t active_mtu, max_mtu;
	bool has_guid, zero_guid, has_lid;
	uint32_t lid, sm_lid;
};

struct rb_fact_counter {
	char name[40];
	uint64_t value;
	unsigned int file;
};

struct rb_facts {
	struct rb_fact_table tables[RB_FACT_TABLES];
	unsigned int ntables;
	struct rb_fact_port ports[RB_FACT_PORTS];
	unsigned int nports;
	struct rb_fact_counter counters[RB_FACT_COUNTERS];
	unsigned int ncounters;
	bool is_delta; /* the counters are differences: a time is told */
	uint64_t elapsed_us;
	int gid_index; /* that is in use; -1: not told */
	/* PCIe and IOMMU */
	unsigned int acs_lines, acs_on;
	bool link_downgraded;
	char pci_link[96];
	char iommu_type[16];
	bool cmdline, iommu_pt, iommu_off, iommu_on;
	bool peermem_missing;
	/* limits */
	bool memlock_unlimited, has_memlock;
	uint64_t memlock_kb;
	/* queue pair */
	int qp_timeout, retry_cnt, rnr_retry, min_rnr_timer, path_mtu[2];
	unsigned int path_mtus;
	/* perftest */
	bool in_rows;
	uint64_t last_size;
	bool client_all, server_all;
	uint64_t client_size, server_size;
	char client_tool[24], server_tool[24];
	/* messages and limits of size */
	uint64_t message_bytes, max_msg_sz;
	/* device nodes */
	unsigned int class_devices, nodes, open_failed;
	char node_names[96];
	char no_driver[96]; /* uverbs without a provider */
	unsigned int no_drivers;
	/* partition keys */
	unsigned int pkeys;
	uint32_t pkey[8];
	int pkey_index[8];
	/* Ethernet and IP */
	int arp_ignore, rp_filter;
};

/* Everything not told. */
void rb_facts_init(struct rb_facts *facts);

/* Take in what the line tells of GIDs; whether the next line may go on. */
bool rb_facts_gid_line(struct rb_facts *facts, unsigned int file,
		       struct rb_text line);
/* The same of ports, and of everything else. */
void rb_facts_port_line(struct rb_facts *facts, unsigned int file,
			struct rb_text line);
bool rb_facts_line(struct rb_facts *facts, unsigned int file,
		   struct rb_text line);

/* The counter @name of the text; false when it has none. */
bool rb_facts_counter(const struct rb_facts *facts, const char *name,
		      uint64_t *value);

#endif
