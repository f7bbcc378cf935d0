/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * redacttext - names and addresses within one text, for redact
 */
#include "host/redacttext.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

#define HEX "0123456789abcdefABCDEF"
#define IB_LLADDR_BYTES 20

/* A text being written; what does not fit is cut. */
struct out {
	char text[RB_REDACT_TEXT];
	size_t n;
};

static void put(struct out *out, const char *text, size_t n)
{
	if (n > sizeof(out->text) - 1 - out->n)
		n = sizeof(out->text) - 1 - out->n;
	memcpy(out->text + out->n, text, n);
	out->n += n;
	out->text[out->n] = '\0';
}

/* "xx:xx:..." of @n bytes, or 0 when it is nothing of the kind. */
static size_t parse_bytes(const char *token, uint8_t *bytes, size_t most)
{
	size_t n = 0;

	for (const char *p = token;; p += 3) {
		if (n == most || !isxdigit((unsigned char)p[0]) ||
		    !isxdigit((unsigned char)p[1]) || (p[2] && p[2] != ':'))
			return 0;
		bytes[n++] =
			(uint8_t)strtoul((char[]){ p[0], p[1], 0 }, NULL, 16);
		if (!p[2])
			return n;
	}
}

static bool redact_mac(const struct rb_redaction *r, const char *token,
		       struct out *out)
{
	uint8_t bytes[IB_LLADDR_BYTES];
	size_t n = parse_bytes(token, bytes, sizeof(bytes));
	char text[4];

	if (n == RB_MAC_BYTES)
		rb_anon_mac(&r->anon, bytes);
	else if (n == IB_LLADDR_BYTES)
		rb_anon_guid(&r->anon, bytes + n - RB_GUID_BYTES);
	else
		return false;
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s%02x", i ? ":" : "", bytes[i]);
		put(out, text, strlen(text));
	}
	return true;
}

/* "0x" and 16 digits, or four groups of four: not an address of any kind. */
static bool redact_guid(const struct rb_redaction *r, const char *token,
			struct out *out)
{
	bool grouped = token[4] == ':';
	uint8_t guid[RB_GUID_BYTES];
	char digits[17], text[24];
	size_t n = 0;

	for (const char *p = grouped ? token : token + 2; *p && n < 16; p++)
		if (*p != ':')
			digits[n++] = *p;
	digits[n] = '\0';
	for (size_t i = 0; i < sizeof(guid); i++)
		guid[i] = (uint8_t)strtoul(
			(char[]){ digits[2 * i], digits[2 * i + 1], 0 }, NULL,
			16);
	rb_anon_guid(&r->anon, guid);
	if (!grouped)
		put(out, "0x", 2);
	for (size_t i = 0; i < sizeof(guid); i++) {
		snprintf(text, sizeof(text), "%s%02x",
			 grouped && i && i % 2 == 0 ? ":" : "", guid[i]);
		put(out, text, strlen(text));
	}
	return true;
}

static bool is_guid(const char *token)
{
	if (!strncmp(token, "0x", 2))
		return strspn(token + 2, HEX) == 16 && !token[18];
	return strlen(token) == 19 && token[4] == ':' && token[9] == ':' &&
	       token[14] == ':' && strspn(token, HEX ":") == 19;
}

/* Zero what is behind the first @bits, as it is in a network's address. */
static void mask(uint8_t *addr, size_t size, unsigned long bits)
{
	for (size_t i = 0; i < size; i++) {
		unsigned long first = i * RB_BITS_PER_BYTE;

		if (bits <= first)
			addr[i] = 0;
		else if (bits < first + RB_BITS_PER_BYTE)
			addr[i] &= (uint8_t)(0xff << (first + RB_BITS_PER_BYTE -
						      bits));
	}
}

static bool is_masked(const uint8_t *addr, size_t size, unsigned long bits)
{
	uint8_t copy[sizeof(struct in6_addr)];

	memcpy(copy, addr, size);
	mask(copy, size, bits);
	return !memcmp(copy, addr, size);
}

/* @rest is what follows in the text: "/24" makes it a network. */
static bool redact_ip(const struct rb_redaction *r, const char *token,
		      const char *rest, struct out *out)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	int family = strchr(token, ':') ? AF_INET6 : AF_INET;
	size_t size = family == AF_INET ? 4 : 16;
	unsigned long bits = 8 * size;
	bool net;

	if (inet_pton(family, token, &addr) != 1)
		return false;
	if (*rest == '/' && isdigit((unsigned char)rest[1]))
		bits = RB_MIN(bits, strtoul(rest + 1, NULL, 10));
	net = is_masked(addr.s6_addr, size, bits);
	if (family == AF_INET)
		rb_anon_ipv4(&r->anon, (struct in_addr *)(void *)&addr);
	else
		rb_anon_ipv6(&r->anon, &addr);
	if (net)
		mask(addr.s6_addr, size, bits);
	inet_ntop(family, &addr, text, sizeof(text));
	put(out, text, strlen(text));
	return true;
}

/* The host's name at @p, where a word begins: how long it is; 0: it is not. */
static size_t name_at(const struct rb_redaction *r, const char *p)
{
	const char *const names[] = { r->name, r->short_name };

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]);

		if (n && !strncasecmp(p, names[i], n) &&
		    !isalnum((unsigned char)p[n]))
			return n;
	}
	return 0;
}

static bool is_token_char(char c)
{
	return isxdigit((unsigned char)c) || c == ':' || c == '.' || c == 'x';
}

/* Copy the token at @p, replaced where it is an address; returns its end. */
static const char *redact_token(const struct rb_redaction *r, const char *p,
				struct out *out)
{
	char token[RB_REDACT_TOKEN];
	size_t n = 0;

	while (is_token_char(p[n]))
		n++;
	if (n < sizeof(token) && !isalnum((unsigned char)p[n])) {
		size_t trimmed = n;

		/* "10.0.0.1." or "10.0.0.1:18515" */
		while (trimmed && (p[trimmed - 1] == '.' ||
				   (p[trimmed - 1] == ':' &&
				    (trimmed < 2 || p[trimmed - 2] != ':'))))
			trimmed--;
		memcpy(token, p, trimmed);
		token[trimmed] = '\0';
		if (strchr(token, '.') && strchr(token, ':') &&
		    strchr(token, ':') == strrchr(token, ':')) {
			trimmed = strcspn(token, ":");
			token[trimmed] = '\0';
		}
		if (is_guid(token)
			    ? redact_guid(r, token, out)
			    : redact_mac(r, token, out) ||
				      redact_ip(r, token, p + trimmed, out))
			return p + trimmed;
	}
	put(out, p, n);
	return p + n;
}

/* All addresses and names in @text. */
json_t *rb_redact_text(const struct rb_redaction *r, const char *text)
{
	struct out out = { .n = 0 };

	for (const char *p = text; *p;) {
		bool begins = p == text ||
			      (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
		size_t n = begins ? name_at(r, p) : 0;

		if (n) {
			put(&out, RB_REDACT_HOST, strlen(RB_REDACT_HOST));
			p += n;
		} else if (begins && is_token_char(*p)) {
			p = redact_token(r, p, &out);
		} else {
			put(&out, p++, 1);
		}
	}
	return json_string(out.text);
}

/* Words of environment variables and options that tell nothing of anybody. */
static const char *const harmless[] = {
	"y",	    "n",	  "yes",      "no",	  "on",
	"off",	    "true",	  "false",    "all",	  "none",
	"any",	    "auto",	  "ib",	      "roce",	  "iw",
	"rc",	    "rc_x",	  "rc_v",     "rc_mlx5",  "ud",
	"ud_x",	    "ud_v",	  "ud_mlx5",  "dc",	  "dc_x",
	"dc_mlx5",  "tcp",	  "self",     "sm",	  "shm",
	"posix",    "sysv",	  "cma",      "knem",	  "xpmem",
	"cuda",	    "cuda_copy",  "cuda_ipc", "gdr_copy", "rocm",
	"srd",	    "efa",	  "verbs",    "ucx",	  "ofi",
	"pml",	    "vader",	  "openib",   "version",  "info",
	"warn",	    "error",	  "debug",    "trace",	  "init",
	"net",	    "graph",	  "sys",      "loc",	  "pix",
	"pxb",	    "phb",	  "node",     "ring",	  "tree",
	"simple",   "ll",	  "ll128",    "inf",	  "infinity",
	"ethernet", "infiniband", "try",      "host",	  "memory",
	"fatal",    "data",
};

static bool is_number(const char *word)
{
	char *end;

	strtod(word, &end);
	return end != word && strspn(end, "kKmMgGtTbBiusn%") == strlen(end);
}

/* Names of the document's devices and interfaces, with a port behind them. */
static bool is_known_name(const struct rb_redaction *r, const char *word)
{
	static const char *const sections[] = { "devices", "netdevs" };
	const char *name;
	json_t *value;

	for (size_t i = 0; i < RB_ARRAY_SIZE(sections); i++)
		json_object_foreach(json_object_get(r->doc, sections[i]), name,
				    value)
			if (!strcmp(name, word))
				return true;
	return false;
}

/* The replacement of a word: the same each time. */
static const char *word_for(const struct rb_redaction *r, const char *word)
{
	json_t *known = json_object_get(r->words, word);
	char text[32];

	if (!known) {
		snprintf(text, sizeof(text), "word-%zu",
			 json_object_size(r->words) + 1);
		known = json_string(text);
		json_object_set_new(r->words, word, known);
	}
	return json_string_value(known);
}

static void put_word(const struct rb_redaction *r, const char *word, size_t n,
		     struct out *out)
{
	char text[RB_REDACT_TOKEN];
	bool safe;

	if (!n)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)n, word);
	safe = n < sizeof(text) && (is_number(text) || is_known_name(r, text));
	for (size_t i = 0; i < RB_ARRAY_SIZE(harmless) && !safe; i++)
		safe = !strcasecmp(text, harmless[i]);
	if (!safe)
		snprintf(text, sizeof(text), "%s", word_for(r, text));
	put(out, text, strlen(text));
}

/* The value of a variable: addresses replaced, then words that say too much. */
json_t *rb_redact_value(const struct rb_redaction *r, const char *text)
{
	static const char between[] = ",=^ /;|+[]()";
	json_t *first = rb_redact_text(r, text);
	const char *p = json_string_value(first);
	struct out out = { .n = 0 };

	while (*p) {
		size_t n = strcspn(p, between);
		size_t colon = strcspn(p, ":");
		char word[RB_REDACT_TOKEN];
		struct in6_addr addr;

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		/* an address is replaced already; "mlx5_0:1" is two words */
		if (inet_pton(AF_INET6, word, &addr) != 1 && colon < n)
			n = colon;
		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		if (inet_pton(AF_INET6, word, &addr) == 1 ||
		    inet_pton(AF_INET, word, &addr) == 1)
			put(&out, word, strlen(word));
		else
			put_word(r, p, n, &out);
		p += n;
		if (*p)
			put(&out, p++, 1);
	}
	json_decref(first);
	return json_string(out.text);
}

