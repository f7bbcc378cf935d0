/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor - what wc.vendor_err means, provider by provider: plain look-up tables
 *
 * A value compares within one provider only: the key is provider, status and
 * code, and for some the queue. Where it comes from: the providers of rdma-core
 * (whose enums name the codes of most), and for mlx5, which documents nearly
 * nothing, public reports and published fault injection, each row with its
 * certainty.
 */
#ifndef RB_DIAG_VENDOR_H
#define RB_DIAG_VENDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag/cause.h"

enum rb_provider {
	RB_PROVIDER_UNKNOWN,
	RB_PROVIDER_MLX5,
	RB_PROVIDER_MLX4,
	RB_PROVIDER_MTHCA,
	RB_PROVIDER_BNXT_RE,
	RB_PROVIDER_IRDMA,
	RB_PROVIDER_EFA,
	RB_PROVIDER_HNS,
	RB_PROVIDER_ERDMA,
	RB_PROVIDER_MANA,
	RB_PROVIDER_CXGB4,
	RB_PROVIDER_IONIC,
	RB_PROVIDER_QEDR,
	RB_PROVIDER_OCRDMA,
	RB_PROVIDER_RXE,
	RB_PROVIDER_SIW,
	RB_PROVIDER_PVRDMA,
	RB_PROVIDER_RDMAVT, /* hfi1, qib */
	RB_PROVIDERS
};

struct rb_provider_row {
	const char *name;
	const char *drivers;  /* kernel modules, blanks between */
	const char *prefixes; /* of device names that the driver gives */
	const char *holds;    /* what vendor_err is there */
	bool silent;	      /* the field carries nothing */
};

struct rb_vendor_row {
	uint32_t code;
	int status; /* enum ibv_wc_status; -1: any */
	char queue; /* 'S', 'R', or 0 */
	bool older; /* of mlx5: seen on mlx4 and mthca too */
	const char *name; /* the vendor's own, or NULL */
	const char *meaning;
	enum rb_sure sure;
	const struct rb_cause *causes;
	const char *ref;
};

struct rb_vendor_table {
	const struct rb_vendor_row *rows;
	size_t n;
};

const struct rb_provider_row *rb_provider_row(enum rb_provider provider);

/* By provider, kernel module, or the usual name of a device ("mlx5_0"). */
enum rb_provider rb_provider_by_name(const char *name);

/* All rows of a provider; none for one whose field carries nothing. */
struct rb_vendor_table rb_vendor_table(enum rb_provider provider);

/*
 * The row of @code: of @status (-1: not known) and @queue ('S', 'R', 0: not
 * known) where there is one, else of the code alone; NULL: nobody knows it.
 */
const struct rb_vendor_row *rb_vendor_row(enum rb_provider provider, int status,
					  uint32_t code, char queue);

/*
 * The provider that has @code with @status, where no text tells it: the first
 * one; @others gets the number of further ones.
 */
enum rb_provider rb_vendor_guess(int status, uint32_t code,
				 unsigned int *others);

/* The tables themselves, one a file or a part of one. */
extern const struct rb_vendor_table rb_vendor_mlx5, rb_vendor_bnxt_re,
	rb_vendor_irdma, rb_vendor_efa, rb_vendor_hns, rb_vendor_erdma,
	rb_vendor_mana, rb_vendor_cxgb4, rb_vendor_ionic, rb_vendor_qedr,
	rb_vendor_ocrdma;

/* irdma's asynchronous events ("ae_id" of its kernel lines). */
struct rb_irdma_ae {
	uint32_t id;
	int status; /* of the completions that it flushes; -1: none */
	const char *name;
	const char *meaning; /* NULL: the name and the status say it */
};
const struct rb_irdma_ae *rb_irdma_ae(uint32_t id);

#endif
