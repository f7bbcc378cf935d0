/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fields - a row of fields as text, CSV and JSON, and read back from JSON
 */
#include "base/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/metric.h"
#include "base/report.h"

static const void *value_at(const struct rb_field *f, const void *result)
{
	return (const char *)result + f->offset;
}

static uint64_t uint_of(const struct rb_field *f, const void *result)
{
	return *(const uint64_t *)value_at(f, result);
}

static double real_of(const struct rb_field *f, const void *result)
{
	return *(const double *)value_at(f, result);
}

static const char *text_of(const struct rb_field *f, const void *result)
{
	return *(const char *const *)value_at(f, result);
}

static bool is_present(const struct rb_field *f, const void *result)
{
	switch (f->type) {
	case RB_FIELD_UINT:
		return uint_of(f, result) != RB_ABSENT;
	case RB_FIELD_REAL:
		return isfinite(real_of(f, result));
	default:
		return text_of(f, result) != NULL;
	}
}

void rb_fields_text_header(const struct rb_fields *fields, FILE *out)
{
	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].label)
			fprintf(out, " %*s", fields->rows[i].width,
				fields->rows[i].label);
	fputc('\n', out);
}

static void put_cell(FILE *out, const struct rb_field *f, const void *result)
{
	double scale = f->scale != 0 ? f->scale : 1;

	if (!is_present(f, result))
		fprintf(out, " %*s", f->width, "-");
	else if (f->type == RB_FIELD_TEXT)
		fprintf(out, " %*s", f->width, text_of(f, result));
	else if (f->type == RB_FIELD_UINT && !f->precision)
		fprintf(out, " %*" PRIu64, f->width, uint_of(f, result));
	else
		fprintf(out, " %*.*f", f->width, f->precision,
			scale * (f->type == RB_FIELD_UINT ?
					 (double)uint_of(f, result) :
					 real_of(f, result)));
}

void rb_fields_text(const struct rb_fields *fields, const void *result,
		    FILE *out)
{
	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].label)
			put_cell(out, &fields->rows[i], result);
	fputc('\n', out);
}

/* RFC 4180: quoted where the text holds a comma, a quote or a line end. */
static void put_csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void rb_fields_csv_header(const struct rb_fields *fields, FILE *out)
{
	for (size_t i = 0; i < fields->n; i++)
		fprintf(out, "%s%s", i ? "," : "", fields->rows[i].key);
	fputc('\n', out);
}

void rb_fields_csv(const struct rb_fields *fields, const void *result,
		   FILE *out)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];

		if (i)
			fputc(',', out);
		if (!is_present(f, result))
			continue;
		if (f->type == RB_FIELD_UINT)
			fprintf(out, "%" PRIu64, uint_of(f, result));
		else if (f->type == RB_FIELD_REAL)
			fprintf(out, "%.6g", real_of(f, result));
		else
			put_csv_text(out, text_of(f, result));
	}
	fputc('\n', out);
}

/* Set @value at the dotted @path below @object, making objects on the way. */
static void set_path(json_t *object, const char *path, json_t *value)
{
	char key[RB_METRIC_KEY];
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		json_t *child;

		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		child = json_object_get(object, key);
		if (!child) {
			child = json_object();
			json_object_set_new(object, key, child);
		}
		object = child;
		path = dot + 1;
	}
	json_object_set_new(object, path, value);
}

json_t *rb_fields_json(const struct rb_fields *fields, const void *result)
{
	json_t *object = json_object();

	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];

		if (!f->key || !is_present(f, result))
			continue;
		if (f->type == RB_FIELD_UINT)
			set_path(object, f->key,
				 json_integer((json_int_t)uint_of(f, result)));
		else if (f->type == RB_FIELD_REAL)
			set_path(object, f->key,
				 json_real(real_of(f, result)));
		else
			set_path(object, f->key,
				 rb_report_string(text_of(f, result)));
	}
	return object;
}

void rb_fields_load(const struct rb_fields *fields, void *result,
		    const json_t *object)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];
		const json_t *v =
			f->key ? rb_metric_at(object, f->key) : NULL;
		void *to = (char *)result + f->offset;

		if (f->type == RB_FIELD_UINT)
			*(uint64_t *)to =
				json_is_integer(v) &&
						json_integer_value(v) >= 0 ?
					(uint64_t)json_integer_value(v) :
					RB_ABSENT;
		else if (f->type == RB_FIELD_REAL)
			*(double *)to = json_is_number(v) &&
							json_number_value(v) >= 0 ?
						json_number_value(v) :
						RB_ABSENT_F;
	}
}
