/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * klog - lines of the kernel's log about RDMA, NICs, PCI and the IOMMU
 *
 * Recorded: kmsg, the text of 'dmesg'.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"

#define LINES_MOST 200
#define RECORD_MOST 8192 /* kernel/printk: CONSOLE_EXT_LOG_MAX */
#define RECORDS_MOST 65536

/* What such a line has in it. */
static const char *const words[] = {
	"mlx5_",
	"mlx4_",
	"mlx_compat",
	"bnxt_",
	"irdma",
	"ice 0",
	"infiniband ",
	"rdma_rxe",
	"siw",
	"efa ",
	"hns_roce",
	"erdma",
	"ionic",
	"qedr",
	"iw_cxgb4",
	"mana",
	"ib_core",
	"ib_uverbs",
	"rdma_cm",
	"nvidia",
	"NVRM",
	"peermem",
	"AER:",
	"PCIe Bus Error",
	"DMAR:",
	"AMD-Vi",
	"IO_PAGE_FAULT",
	"arm-smmu",
	"disagrees about version",
	"Unknown symbol",
	"insufficient power",
	"Port module event",
	"pcieport",
	"hfi1",
};

static bool is_wanted(const char *line)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(words); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

static void add(json_t *list, const char *line)
{
	if (!is_wanted(line))
		return;
	if (json_array_size(list) >= LINES_MOST)
		json_array_remove(list, 0);
	json_array_append_new(list, rb_report_string(line));
}

/* A record: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT\n KEY=VALUE\n" */
static void add_record(json_t *list, char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	add(list, text);
}

static int read_kernel(json_t *list)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[RECORD_MOST + 1];
	int err = 0;

	if (fd < 0)
		return -errno;
	for (unsigned int i = 0; i < RECORDS_MOST; i++) {
		ssize_t n = read(fd, record, RECORD_MOST);

		/* EPIPE: records were overwritten under the reader */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n < 0 && errno != EAGAIN)
			err = -errno;
		if (n <= 0)
			break;
		record[n] = '\0';
		add_record(list, record);
	}
	close(fd);
	return err;
}

static int read_recorded(json_t *list)
{
	char *text, *rest, *line;
	int err = rb_file_read(&text, NULL, "kmsg");

	if (err)
		return err;
	rest = text;
	while ((line = rb_next_line(&rest)))
		add(list, line);
	free(text);
	return 0;
}

void rb_snap_kernel_log(const struct rb_place *doc)
{
	json_t *list = json_array();
	int err = rb_root_recorded() ? read_recorded(list) : read_kernel(list);

	rb_place_failed(doc, "kernel_log", "/dev/kmsg", err);
	if (err)
		json_decref(list);
	else
		rb_fact_value(doc->object, "kernel_log", list);
}
