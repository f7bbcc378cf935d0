/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * firmware - what mlx5 writes about itself in codes: plain look-up tables
 *
 * Command status, error CQEs, and the health buffer, from the sources of
 * mlx5_core, mlx5_ib and libmlx5. The 24-bit syndrome of a command is private
 * to the firmware; the few that public reports tie to a cause have a row.
 */
#ifndef RB_DIAG_FIRMWARE_H
#define RB_DIAG_FIRMWARE_H

#include <stdint.h>

#include "diag/cause.h"

struct rb_code_name {
	uint32_t code;
	int value; /* an errno, a completion's status, or 0 */
	const char *name;
};

/* Status of a command: its text and the errno that the verb returns. */
const struct rb_code_name *rb_mlx5_command_status(uint32_t status);

/* Syndrome of an error CQE: its name, value the enum ibv_wc_status. */
const struct rb_code_name *rb_mlx5_syndrome(uint32_t syndrome);

/* Opcode of a request (WQE). */
const struct rb_code_name *rb_mlx5_opcode(uint32_t opcode);

/* Hardware syndrome beside vendor_err ("hw_synd"). */
const struct rb_code_name *rb_mlx5_hw_syndrome(uint32_t syndrome);

/* Syndrome of the health buffer. */
const struct rb_code_name *rb_mlx5_health(uint32_t syndrome);

struct rb_mlx5_command {
	const char *command;
	uint32_t syndrome;
	const char *meaning;
	const struct rb_cause *causes;
};

/* What is known of @syndrome of @command, or NULL. */
const struct rb_mlx5_command *rb_mlx5_command(const char *command,
					      uint32_t syndrome);

#endif
