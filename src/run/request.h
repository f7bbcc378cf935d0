/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * request - post one request, described as for ibv_post_send, by whichever
 * interface its queue pair was made for
 *
 * For what is no measured loop; those build theirs as they go (post.h).
 */
#ifndef RB_REQUEST_H
#define RB_REQUEST_H

#include <infiniband/verbs.h>

struct rb_flow;

/*
 * @wr->next is to be NULL. With a flow that has ibv_wr_* the operations are those
 * of the verbs that are measured; what goes inline is of one piece. 0 or an errno
 * value, as those calls return.
 */
int rb_request_post(const struct rb_flow *f, struct ibv_send_wr *wr);

#endif
