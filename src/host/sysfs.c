/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sysfs - read small files, links and folders below the sysfs root
 */
#include "host/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/files.h"

#define DEFAULT_ROOT "/sys"
#define NUMBER_TEXT 32

/* Set @path to the root followed by what @fmt makes. */
static RB_PRINTF(2, 0) int make_path(char path[static RB_SYSFS_PATH],
				     const char *fmt, va_list args)
{
	const char *sys = secure_getenv("SYSFS_PATH");
	const char *root = rb_root_recorded();
	int n, m;

	if (sys && *sys)
		n = snprintf(path, RB_SYSFS_PATH, "%s/", sys);
	else
		n = snprintf(path, RB_SYSFS_PATH, "%s" DEFAULT_ROOT "/",
			     root ? root : "");
	if (n >= RB_SYSFS_PATH)
		return -ENAMETOOLONG;
	m = vsnprintf(path + n, RB_SYSFS_PATH - (size_t)n, fmt, args);
	return m < RB_SYSFS_PATH - n ? 0 : -ENAMETOOLONG;
}

static RB_PRINTF(3, 0) int text_va(char *text, size_t size, const char *fmt,
				   va_list args)
{
	char path[RB_SYSFS_PATH];
	int err = make_path(path, fmt, args);

	if (!err)
		err = rb_path_line(path, text, size);
	if (err)
		text[0] = '\0';
	return err;
}

int rb_sysfs_text(char *text, size_t size, const char *fmt, ...)
{
	va_list args;
	int err;

	va_start(args, fmt);
	err = text_va(text, size, fmt, args);
	va_end(args);
	return err;
}

int rb_sysfs_u64(uint64_t *value, const char *fmt, ...)
{
	char text[NUMBER_TEXT], *end;
	unsigned long long v;
	va_list args;
	int err;

	va_start(args, fmt);
	err = text_va(text, sizeof(text), fmt, args);
	va_end(args);
	if (err)
		return err;
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || *end)
		return -EINVAL;
	*value = v;
	return 0;
}

int rb_sysfs_int(int *value, const char *fmt, ...)
{
	char text[NUMBER_TEXT], *end;
	va_list args;
	long v;
	int err;

	va_start(args, fmt);
	err = text_va(text, sizeof(text), fmt, args);
	va_end(args);
	if (err)
		return err;
	errno = 0;
	v = strtol(text, &end, 0);
	if (errno || *end || end == text || v < INT_MIN || v > INT_MAX)
		return -EINVAL;
	*value = (int)v;
	return 0;
}

int rb_sysfs_link(char *name, size_t size, const char *fmt, ...)
{
	char path[RB_SYSFS_PATH], target[PATH_MAX];
	const char *base;
	va_list args;
	ssize_t n;
	int err;

	name[0] = '\0';
	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	if (err)
		return err;
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return -ENAMETOOLONG;
	memcpy(name, base, strlen(base) + 1);
	return 0;
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* By name, but numbers by their value: mlx5_2 is before mlx5_10. */
static int by_version(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int take_names(struct rb_names *names, struct dirent **list, int n)
{
	int err = 0;

	names->v = calloc((size_t)n + 1, sizeof(*names->v));
	if (!names->v)
		err = -ENOMEM;
	for (int i = 0; i < n; i++) {
		if (!err) {
			names->v[i] = strdup(list[i]->d_name);
			err = names->v[i] ? 0 : -ENOMEM;
			names->n += !err;
		}
		free(list[i]);
	}
	free(list);
	if (err)
		rb_names_free(names);
	return err;
}

int rb_path_list(struct rb_names *names, const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, no_dot, by_version);

	memset(names, 0, sizeof(*names));
	return n < 0 ? -errno : take_names(names, list, n);
}

int rb_sysfs_list(struct rb_names *names, const char *fmt, ...)
{
	char path[RB_SYSFS_PATH];
	va_list args;
	int err;

	memset(names, 0, sizeof(*names));
	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	return err ? err : rb_path_list(names, path);
}

int rb_sysfs_path(char path[static RB_SYSFS_PATH], const char *fmt, ...)
{
	va_list args;
	int err;

	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	return err;
}

void rb_names_free(struct rb_names *names)
{
	for (unsigned int i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	memset(names, 0, sizeof(*names));
}
