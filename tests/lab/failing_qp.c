/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * failing_qp - a process with a queue pair that goes to the error state
 *
 *   failing_qp DEVICE
 *
 * Prints the number of a queue pair in INIT; with each line of standard input it
 * takes a step: to ERR (it says "ERR"), then to its end. Soft-RoCE retries for
 * ever by default, so a cut path makes no queue pair fail there.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

static struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static struct ibv_qp *make_qp(struct ibv_context *ctx)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	return pd && cq ? ibv_create_qp(pd, &attr) : NULL;
}

static int wait_for_line(void)
{
	char line[8];

	return fgets(line, sizeof(line), stdin) ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = argc == 2 ? open_named(argv[1]) : NULL;
	struct ibv_qp *qp = ctx ? make_qp(ctx) : NULL;
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!qp || ibv_modify_qp(qp, &init,
				 IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					 IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) {
		fprintf(stderr, "failing_qp: no queue pair\n");
		return 1;
	}
	printf("%u\n", qp->qp_num);
	if (wait_for_line() || ibv_modify_qp(qp, &error, IBV_QP_STATE))
		return 1;
	printf("ERR\n");
	return wait_for_line() ? 1 : 0;
}
