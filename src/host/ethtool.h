/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ethtool - driver and statistics of a network interface by ioctl
 *
 * On a recorded host (host/files.h) they come from ethtool/N.info and
 * ethtool/N.stats: what 'ethtool -i' and 'ethtool -S' print.
 */
#ifndef RB_ETHTOOL_H
#define RB_ETHTOOL_H

#include <jansson.h>
#include <stdint.h>

/* Put driver, driver_version, firmware and bus into @to. */
void rb_ethtool_info(const char *netdev, json_t *to);

typedef void (*rb_ethtool_taker)(const char *name, uint64_t value, void *arg);

/*
 * Have every statistic taken but those of a single queue. 0 or -errno (not
 * reported); -EOPNOTSUPP when the driver has none.
 */
int rb_ethtool_stats(const char *netdev, rb_ethtool_taker take, void *arg);

#endif
