/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/push/push-request.h"

#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/facts/text/base64.h"
#include "src/facts/text/json-text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- where to ---------------------------------------------------------------------- */

static const struct {
	enum push_way way;
	const char *scheme; /* before http, NULL: none */
	const char *path;
} ways[] = {
	{PUSH_PYROSCOPE, "pyroscope+", "/push.v1.PusherService/Push"},
	{PUSH_INGEST, NULL, "/ingest"},
	{PUSH_PARCA, "parca+", "/profiles/writeraw"},
};

static bool is_http(const char *url)
{
	const char *host = strncmp(url, "http://", 7) == 0    ? url + 7
			   : strncmp(url, "https://", 8) == 0 ? url + 8
							      : "";
	return *host && *host != '/';
}

bool push_store_parse(struct push_store *store, const char *url, struct error *err)
{
	size_t length = strlen(url);
	while (length > 0 && url[length - 1] == '/')
		length--;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		size_t scheme = ways[i].scheme ? strlen(ways[i].scheme) : 0;
		size_t path = strlen(ways[i].path);
		bool is_short = scheme && strncmp(url, ways[i].scheme, scheme) == 0;
		bool is_long = length > path &&
			       strncmp(url + length - path, ways[i].path, path) == 0;
		const char *rest = is_short ? url + scheme : url;
		if ((!is_short && !is_long) || !is_http(rest))
			continue;
		store->way = ways[i].way;
		store->url = mem_printf("%.*s%s", (int)(url + length - rest), rest,
			is_long ? "" : ways[i].path);
		return true;
	}
	return error_set(err,
		"--push: %s is not pyroscope+http://HOST:4040, parca+http://HOST:7070, "
		"or a "
		"URL that ends in %s, %s or %s",
		url, ways[0].path, ways[1].path, ways[2].path);
}

void push_store_finish(struct push_store *store)
{
	free(store->url);
	store->url = NULL;
}

bool push_label_check(const char *text, struct error *err)
{
	size_t i = 0;
	while (isalpha((unsigned char)text[i]) || text[i] == '_' ||
		(i > 0 && isdigit((unsigned char)text[i])))
		i++;
	if (i > 0 && text[i] == '=' && text[i + 1] && strncmp(text, "__", 2) != 0)
		return true;
	return error_set(err,
		"--label: '%s' is not KEY=VALUE, KEY of letters, digits and _", text);
}

/* --- what --------------------------------------------------------------------------- */

static void put_label(const char *key, size_t length, const char *value, FILE *out)
{
	fprintf(out, "{\"name\": \"%.*s\", ", (int)length, key);
	json_text_put_pair("value", value, "}", out);
}

static bool names_service(const struct push_profile *profile)
{
	for (size_t i = 0; i < profile->n_labels; i++)
		if (strncmp(profile->labels[i], "service_name=", 13) == 0)
			return true;
	return false;
}

/* [{"name": ..., "value": ...}, ...] */
static void put_labels(const struct push_profile *profile, FILE *out)
{
	fputc('[', out);
	put_label("__name__", 8, "process_cpu", out);
	if (!names_service(profile)) {
		fputs(", ", out);
		put_label("service_name", 12, profile->program, out);
	}
	for (size_t i = 0; i < profile->n_labels; i++) {
		const char *label = profile->labels[i];
		size_t length = strcspn(label, "=");
		fputs(", ", out);
		put_label(label, length, label + length + 1, out);
	}
	fputc(']', out);
}

/* A UUID (RFC 9562, version 8) that is the same for the same file. */
static void put_id(const struct push_profile *profile, FILE *out)
{
	uint64_t a = strpool_hash(profile->name, strlen(profile->name));
	uint64_t b = strpool_hash(profile->bytes, profile->size);
	fprintf(out,
		"%08" PRIx64 "-%04" PRIx64 "-8%03" PRIx64 "-8%03" PRIx64 "-%012" PRIx64,
		a >> 32, a >> 16 & 0xffff, a & 0xfff, b >> 52 & 0xfff,
		b & 0xffffffffffff);
}

static void put_series(enum push_way way, const struct push_profile *profile, FILE *out)
{
	bool is_parca = way == PUSH_PARCA;
	fprintf(out, "{\"series\": [{\"labels\": %s", is_parca ? "{\"labels\": " : "");
	put_labels(profile, out);
	fprintf(out, "%s, \"samples\": [{", is_parca ? "}" : "");
	if (!is_parca) {
		fputs("\"ID\": \"", out);
		put_id(profile, out);
		fputs("\", ", out);
	}
	fputs("\"rawProfile\": \"", out);
	base64_put(profile->bytes, profile->size, out);
	fputs("\"}]}]}", out);
}

/* RFC 3986, but for what the characters of a series' name mean in one. */
static void put_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (isalnum(c) || strchr("-._~", c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

/* NAME{KEY=VALUE,...}: a value ends at a comma or a brace, so it has none. */
static void put_series_name(const struct push_profile *profile, FILE *out)
{
	const char *service = profile->program, *before = "{";
	for (size_t i = 0; i < profile->n_labels; i++)
		if (strncmp(profile->labels[i], "service_name=", 13) == 0)
			service = profile->labels[i] + 13;
	fputs(service, out);
	for (size_t i = 0; i < profile->n_labels; i++) {
		if (strncmp(profile->labels[i], "service_name=", 13) == 0)
			continue;
		fputs(before, out);
		for (const char *c = profile->labels[i]; *c; c++)
			fputc(strchr(",{}", *c) ? '_' : *c, out);
		before = ",";
	}
	if (*before == ',')
		fputc('}', out);
}

static char *ingest_url(
	const struct push_store *store, const struct push_profile *profile)
{
	char *url = NULL, *series = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&series, &size);
	put_series_name(profile, out);
	fclose(out);
	out = open_memstream(&url, &size);
	fprintf(out, "%s?name=", store->url);
	put_escaped(series, out);
	fprintf(out, "&from=%" PRId64 "&until=%" PRId64 "&format=pprof&spyName=cproftop",
		profile->begin_s, profile->end_s);
	fclose(out);
	free(series);
	return url;
}

void push_request_make(struct push_request *request, const struct push_store *store,
	const struct push_profile *profile)
{
	FILE *out = open_memstream(&request->body, &request->size);
	bool is_ingest = store->way == PUSH_INGEST;
	if (is_ingest)
		fwrite(profile->bytes, 1, profile->size, out);
	else
		put_series(store->way, profile, out);
	fclose(out);
	request->url = is_ingest ? ingest_url(store, profile) : mem_strdup(store->url);
	request->type = is_ingest ? "application/octet-stream" : "application/json";
}

void push_request_finish(struct push_request *request)
{
	free(request->url);
	free(request->body);
	*request = (struct push_request){0};
}
