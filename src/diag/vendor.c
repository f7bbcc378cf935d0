/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor - what wc.vendor_err means, provider by provider: plain look-up tables
 */
#include "diag/vendor.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"

/* clang-format off */
static const struct rb_provider_row providers[RB_PROVIDERS] = {
[RB_PROVIDER_UNKNOWN] = { "unknown", "", "", "not known: the text does not tell the provider", false },
[RB_PROVIDER_MLX5] = { "mlx5", "mlx5_core mlx5_ib", "mlx5", "byte vendor_err_synd of the error CQE; undocumented but for few", false },
[RB_PROVIDER_MLX4] = { "mlx4", "mlx4_core mlx4_ib", "mlx4", "byte vendor_err of the error CQE; undocumented", false },
[RB_PROVIDER_MTHCA] = { "mthca", "ib_mthca", "mthca", "byte vendor_err of the error CQE; undocumented", false },
[RB_PROVIDER_BNXT_RE] = { "bnxt_re", "bnxt_en", "bnxt", "status byte of the CQE; send and receive queue differ", false },
[RB_PROVIDER_IRDMA] = { "irdma", "i40iw ice", "irdma i40iw", "major error << 16 | minor error; major 1 is a flush with its reason", false },
[RB_PROVIDER_EFA] = { "efa", "", "efa", "status of the device", false },
[RB_PROVIDER_HNS] = { "hns", "hns_roce_hw_v2 hns_roce", "hns", "sub-status of the CQE; undocumented", false },
[RB_PROVIDER_ERDMA] = { "erdma", "", "erdma", "vendor enum made of the syndrome", false },
[RB_PROVIDER_MANA] = { "mana", "mana_ib", "mana", "code of the hardware; 0xfff flushed by software", false },
[RB_PROVIDER_CXGB4] = { "cxgb4", "iw_cxgb4", "cxgb4", "status of the T4 CQE", false },
[RB_PROVIDER_IONIC] = { "ionic", "ionic_rdma", "ionic", "status of the firmware", false },
[RB_PROVIDER_QEDR] = { "qedr", "qede", "qedr", "not set; libqedr prints RDMA_CQE_REQ_STS_... on standard error", true },
[RB_PROVIDER_OCRDMA] = { "ocrdma", "", "ocrdma", "not set", true },
[RB_PROVIDER_RXE] = { "rxe", "rdma_rxe", "rxe", "always 0", true },
[RB_PROVIDER_SIW] = { "siw", "", "siw", "always 0", true },
[RB_PROVIDER_PVRDMA] = { "vmw_pvrdma", "", "vmw_pvrdma", "always 0", true },
[RB_PROVIDER_RDMAVT] = { "hfi1", "ib_qib qib rdmavt", "hfi1 qib", "always 0", true },
};
/* clang-format on */

static const struct rb_vendor_table *const tables[RB_PROVIDERS] = {
	[RB_PROVIDER_MLX5] = &rb_vendor_mlx5,
	[RB_PROVIDER_MLX4] = &rb_vendor_mlx5, /* the rows marked older */
	[RB_PROVIDER_MTHCA] = &rb_vendor_mlx5,
	[RB_PROVIDER_BNXT_RE] = &rb_vendor_bnxt_re,
	[RB_PROVIDER_IRDMA] = &rb_vendor_irdma,
	[RB_PROVIDER_EFA] = &rb_vendor_efa,
	[RB_PROVIDER_HNS] = &rb_vendor_hns,
	[RB_PROVIDER_ERDMA] = &rb_vendor_erdma,
	[RB_PROVIDER_MANA] = &rb_vendor_mana,
	[RB_PROVIDER_CXGB4] = &rb_vendor_cxgb4,
	[RB_PROVIDER_IONIC] = &rb_vendor_ionic,
	[RB_PROVIDER_QEDR] = &rb_vendor_qedr,
	[RB_PROVIDER_OCRDMA] = &rb_vendor_ocrdma,
};

/* Where nothing names the provider: the more widespread first. */
static const enum rb_provider guesses[] = {
	RB_PROVIDER_MLX5, RB_PROVIDER_BNXT_RE, RB_PROVIDER_EFA,
	RB_PROVIDER_IRDMA, RB_PROVIDER_MANA,   RB_PROVIDER_ERDMA,
	RB_PROVIDER_IONIC,
};

const struct rb_provider_row *rb_provider_row(enum rb_provider provider)
{
	return &providers[provider < RB_PROVIDERS ? provider :
						    RB_PROVIDER_UNKNOWN];
}

/* Whether one of the @words (blanks between) is @name, or begins it. */
static bool among(const char *words, const char *name, bool begins)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (n && !strncasecmp(words, name, n) && (begins || !name[n]))
			return true;
		words += n;
		words += strspn(words, " ");
	}
	return false;
}

enum rb_provider rb_provider_by_name(const char *name)
{
	for (int i = 1; i < RB_PROVIDERS; i++)
		if (!strcasecmp(providers[i].name, name) ||
		    among(providers[i].drivers, name, false) ||
		    among(providers[i].prefixes, name, true))
			return (enum rb_provider)i;
	return RB_PROVIDER_UNKNOWN;
}

struct rb_vendor_table rb_vendor_table(enum rb_provider provider)
{
	const struct rb_vendor_table none = { NULL, 0 };

	return provider < RB_PROVIDERS && tables[provider] ? *tables[provider] :
							     none;
}

static bool applies(enum rb_provider provider, const struct rb_vendor_row *row)
{
	return row->older || (provider != RB_PROVIDER_MLX4 &&
			      provider != RB_PROVIDER_MTHCA);
}

const struct rb_vendor_row *rb_vendor_row(enum rb_provider provider, int status,
					  uint32_t code, char queue)
{
	struct rb_vendor_table t = rb_vendor_table(provider);
	const struct rb_vendor_row *best = NULL;
	int points, most = -1;

	for (size_t i = 0; i < t.n; i++) {
		const struct rb_vendor_row *row = &t.rows[i];

		if (row->code != code || !applies(provider, row))
			continue;
		if (queue && row->queue && queue != row->queue)
			continue;
		points = status >= 0 && row->status == status ? 2 :
			 row->status < 0		      ? 1 :
								0;
		if (points > most) {
			most = points;
			best = row;
		}
	}
	return best;
}

enum rb_provider rb_vendor_guess(int status, uint32_t code,
				 unsigned int *others)
{
	enum rb_provider first = RB_PROVIDER_UNKNOWN;

	*others = 0;
	for (size_t i = 0; i < RB_ARRAY_SIZE(guesses); i++) {
		const struct rb_vendor_row *row =
			rb_vendor_row(guesses[i], status, code, 0);

		if (!row || (status >= 0 && row->status >= 0 &&
			     row->status != status))
			continue;
		if (first)
			++*others;
		else
			first = guesses[i];
	}
	return first;
}
