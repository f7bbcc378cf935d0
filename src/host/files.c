/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * files - small files of /proc, /sys, /dev and /etc, here or as recorded
 */
#include "host/files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/sysfs.h"

#define FILE_MOST (1 << 20)
#define FILE_STEP 4096

const char *rb_root_recorded(void)
{
	const char *root = secure_getenv("RBENCH_ROOT");

	return root && *root ? root : NULL;
}

static RB_PRINTF(2, 0) int make_path(char path[static RB_FILE_PATH],
				     const char *fmt, va_list args)
{
	const char *root = rb_root_recorded();
	int n = snprintf(path, RB_FILE_PATH, "%s/", root ? root : "");
	int m;

	if (n >= RB_FILE_PATH)
		return -ENAMETOOLONG;
	m = vsnprintf(path + n, RB_FILE_PATH - (size_t)n, fmt, args);
	return m < RB_FILE_PATH - n ? 0 : -ENAMETOOLONG;
}

int rb_root_path(char path[static RB_FILE_PATH], const char *fmt, ...)
{
	va_list args;
	int err;

	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	return err;
}

int rb_path_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	text[RB_MAX(n, 0)] = '\0';
	if (n < 0)
		return (int)n;
	n = (ssize_t)strcspn(text, "\n");
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	text[n] = '\0';
	return 0;
}

int rb_file_line(char *text, size_t size, const char *fmt, ...)
{
	char path[RB_FILE_PATH];
	va_list args;
	int err;

	text[0] = '\0';
	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	return err ? err : rb_path_line(path, text, size);
}

static int read_all(int fd, char **textp, size_t *sizep)
{
	size_t n = 0, room = 0;
	char *text = NULL;
	ssize_t got = 0;

	do {
		char *more;

		n += (size_t)got;
		if (n + FILE_STEP > room) {
			room = room ? 2 * room : 2 * FILE_STEP;
			more = realloc(text, room);
			if (!more) {
				free(text);
				return -ENOMEM;
			}
			text = more;
		}
		got = read(fd, text + n, FILE_STEP - 1);
	} while (got > 0 && n < FILE_MOST);
	if (got < 0) {
		got = -errno;
		free(text);
		return (int)got;
	}
	text[n] = '\0';
	*textp = text;
	if (sizep)
		*sizep = n;
	return 0;
}

int rb_file_read(char **textp, size_t *sizep, const char *fmt, ...)
{
	char path[RB_FILE_PATH];
	va_list args;
	int fd, err;

	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_all(fd, textp, sizep);
	close(fd);
	return err;
}

int rb_file_link(char *target, size_t size, const char *fmt, ...)
{
	char path[RB_FILE_PATH];
	va_list args;
	ssize_t n;
	int err;

	target[0] = '\0';
	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	if (err)
		return err;
	n = readlink(path, target, size - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	return 0;
}

int rb_file_list(struct rb_names *names, const char *fmt, ...)
{
	char path[RB_FILE_PATH];
	va_list args;
	int err;

	memset(names, 0, sizeof(*names));
	va_start(args, fmt);
	err = make_path(path, fmt, args);
	va_end(args);
	return err ? err : rb_path_list(names, path);
}

char *rb_next_line(char **textp)
{
	char *line = *textp, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*textp = end ? end + 1 : NULL;
	return line;
}

const char *rb_line_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return NULL;
	line += n;
	while (isblank((unsigned char)*line))
		line++;
	if (*line != ':' && *line != '=')
		return NULL;
	line++;
	while (isblank((unsigned char)*line))
		line++;
	return line;
}
