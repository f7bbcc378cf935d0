/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ethstats - driver and statistics of a network interface by ioctl
 */
#include <ctype.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/report.h"
#include "host/ethtool.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/place.h"

#define STATS_MOST 65536
#define NAME_TEXT 128

/* Have the kernel fill @data, which begins with the command. 0 or -errno. */
static int ask(const char *netdev, void *data)
{
	struct ifreq request = { .ifr_data = data };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", netdev);
	err = ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
	close(fd);
	return err;
}

static void put_text(json_t *to, const char *key, const char *text)
{
	if (*text && strcmp(text, "N/A"))
		rb_fact_value(to, key, rb_report_string(text));
}

static const struct {
	const char *line, *key;
} info_rows[] = {
	{ "driver", "driver" },
	{ "version", "driver_version" },
	{ "firmware-version", "firmware" },
	{ "bus-info", "bus" },
};

static void recorded_info(const char *netdev, json_t *to)
{
	char *text, *rest, *line;

	if (rb_file_read(&text, NULL, "ethtool/%s.info", netdev))
		return;
	rest = text;
	while ((line = rb_next_line(&rest))) {
		for (size_t i = 0; i < RB_ARRAY_SIZE(info_rows); i++) {
			const char *value =
				rb_line_value(line, info_rows[i].line);

			if (value)
				put_text(to, info_rows[i].key, value);
		}
	}
	free(text);
}

void rb_ethtool_info(const char *netdev, json_t *to)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (rb_root_recorded()) {
		recorded_info(netdev, to);
		return;
	}
	if (ask(netdev, &info))
		return;
	put_text(to, "driver", info.driver);
	put_text(to, "driver_version", info.version);
	put_text(to, "firmware", info.fw_version);
	put_text(to, "bus", info.bus_info);
}

/* Beginnings after which the number of a queue stands. */
static const char *const queue_stems[] = {
	"rx",  "tx",	    "ch",	 "rx_xsk",    "rx-",
	"tx-", "queue_",    "rx_queue_", "tx_queue_", "rxq",
	"txq", "rx_xdp_tx", "tx_xdp",	 "ptp_ch",
};

/* "rx12_packets", "[3]: rx_ucast_packets", "rx_queue_0_drops" */
static bool is_of_queue(const char *name)
{
	if (*name == '[')
		return true;
	for (size_t i = 0; i < RB_ARRAY_SIZE(queue_stems); i++) {
		size_t n = strlen(queue_stems[i]);

		if (!strncmp(name, queue_stems[i], n) &&
		    isdigit((unsigned char)name[n]))
			return true;
	}
	return false;
}

/* "     rx_packets: 12" */
static int recorded_stats(const char *netdev, rb_ethtool_taker take, void *arg)
{
	char *text, *rest, *line;
	int err = rb_file_read(&text, NULL, "ethtool/%s.stats", netdev);

	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	rest = text;
	while ((line = rb_next_line(&rest))) {
		char *colon = strrchr(line, ':'), *end;
		uint64_t value;

		while (isblank((unsigned char)*line))
			line++;
		if (!colon || colon <= line)
			continue;
		*colon++ = '\0';
		value = strtoull(colon, &end, 10);
		if (end != colon && !is_of_queue(line))
			take(line, value, arg);
	}
	free(text);
	return 0;
}

static int count_stats(const char *netdev, uint32_t *n)
{
	/* one set is asked for: one number follows */
	union {
		struct ethtool_sset_info info;
		uint8_t bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} query = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			      .sset_mask = 1ull << ETH_SS_STATS } };
	uint32_t count;
	int err = ask(netdev, &query);

	if (err)
		return err;
	memcpy(&count, query.bytes + sizeof(query.info), sizeof(count));
	if (!query.info.sset_mask || !count || count > STATS_MOST)
		return -EOPNOTSUPP;
	*n = count;
	return 0;
}

static void take_stats(const struct ethtool_gstrings *names,
		       const struct ethtool_stats *stats, uint32_t n,
		       rb_ethtool_taker take, void *arg)
{
	char name[ETH_GSTRING_LEN + 1];

	for (uint32_t i = 0; i < n; i++) {
		memcpy(name, names->data + i * ETH_GSTRING_LEN,
		       ETH_GSTRING_LEN);
		name[ETH_GSTRING_LEN] = '\0';
		if (name[0] && !is_of_queue(name))
			take(name, stats->data[i], arg);
	}
}

int rb_ethtool_stats(const char *netdev, rb_ethtool_taker take, void *arg)
{
	struct ethtool_gstrings *names;
	struct ethtool_stats *stats;
	uint32_t n = 0;
	int err;

	if (rb_root_recorded())
		return recorded_stats(netdev, take, arg);
	err = count_stats(netdev, &n);
	if (err)
		return err;
	names = calloc(1, sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	stats = calloc(1, sizeof(*stats) + n * sizeof(stats->data[0]));
	err = names && stats ? 0 : -ENOMEM;
	if (!err) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = n;
		err = ask(netdev, names);
	}
	if (!err) {
		stats->cmd = ETHTOOL_GSTATS;
		stats->n_stats = n;
		err = ask(netdev, stats);
	}
	/* the number can change between the questions: no more than there was
	 */
	if (!err)
		take_stats(names, stats, RB_MIN(names->len, stats->n_stats),
			   take, arg);
	free(names);
	free(stats);
	return err;
}
