/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/tags.h"

#include "src/base/mem.h"
#include "src/base/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag_filter {
	char *key; /* NULL: any */
	VEC(struct pattern *) patterns;
	bool is_range; /* then no patterns */
	int64_t least, most;
};

static void add_text(struct tags *tags, const char *key, const char *text)
{
	vec_push(tags, (struct label){.key = key, .text = text, .unit = ""});
}

static void add_number(struct tags *tags, const char *key, int64_t number)
{
	vec_push(tags,
		(struct label){.key = key, .text = "", .unit = "", .number = number});
}

void tags_of(const struct report *report, uint32_t thread, struct tags *tags)
{
	const struct origin *origin = report->origin;
	const struct thread *of = profile_thread(report->profile, thread);
	const struct profile_process *process = report_process(report, thread);
	tags->len = 0;
	if (origin) {
		struct label_range range = origin->of_thread.data[thread];
		for (uint32_t i = range.first; i < range.first + range.count; i++)
			vec_push(tags, origin->labels.data[i]);
		return;
	}
	add_text(tags, "thread", of->name);
	add_number(tags, "tid", of->tid);
	if (process) {
		add_text(tags, "process", process->name);
		add_number(tags, "pid", process->pid);
	}
}

/* The digits that *AT begins with, or DEFAULT_VALUE; *AT moves behind them. */
static int64_t take_number(const char **at, int64_t default_value)
{
	char *end;
	const char *digits = *at + (**at == '-' || **at == '+');
	if (!isdigit((unsigned char)*digits))
		return default_value;
	int64_t number = strtoll(*at, &end, 10);
	*at = end;
	return number;
}

/* "N", "N:", ":N", "N:M"? */
static bool parse_range(struct tag_filter *filter, const char *text)
{
	const char *at = text;
	filter->least = take_number(&at, INT64_MIN);
	bool first = at != text;
	if (!*at) {
		filter->most = filter->least;
		return first;
	}
	if (*at != ':')
		return false;
	const char *second = ++at;
	filter->most = take_number(&at, INT64_MAX);
	return !*at && (first || at != second);
}

static bool add_patterns(struct tag_filter *filter, const char *text, struct error *err)
{
	char *copy = mem_strdup(text), *rest = copy, *one;
	char why[128] = "";
	while (!why[0] && (one = strsep(&rest, ","))) {
		struct pattern *pattern = pattern_create(one, NULL, why, sizeof(why));
		if (pattern)
			vec_push(&filter->patterns, pattern);
	}
	free(copy);
	if (why[0])
		return error_set(err, "'%s': %s", text, why);
	return filter->patterns.len > 0 || error_set(err, "'%s': no pattern", text);
}

struct tag_filter *tag_filter_create(const char *text, struct error *err)
{
	struct tag_filter *filter = mem_zalloc(sizeof(*filter));
	const char *equals = strchr(text, '='), *value = equals ? equals + 1 : text;
	if (equals)
		filter->key = mem_printf("%.*s", (int)(equals - text), text);
	filter->is_range = parse_range(filter, value);
	if (filter->is_range || add_patterns(filter, value, err))
		return filter;
	tag_filter_destroy(filter);
	return NULL;
}

void tag_filter_destroy(struct tag_filter *filter)
{
	if (!filter)
		return;
	vec_each (&filter->patterns, pattern)
		pattern_destroy(*pattern);
	vec_free(&filter->patterns);
	free(filter->key);
	free(filter);
}

static bool is_key(const struct tag_filter *filter, const struct label *label)
{
	return !filter->key || strcmp(filter->key, label->key) == 0;
}

static bool in_range(const struct tag_filter *filter, const struct tags *tags)
{
	vec_each (tags, label)
		if (!label->text[0] && is_key(filter, label) &&
			label->number >= filter->least && label->number <= filter->most)
			return true;
	return false;
}

/* Does a label of the key, or of any, match PATTERN? */
static bool one_matches(const struct tag_filter *filter, const struct pattern *pattern,
	const struct tags *tags)
{
	vec_each (tags, label) {
		if (!label->text[0] || !is_key(filter, label))
			continue;
		char *text = filter->key ? mem_strdup(label->text)
					 : mem_printf("%s:%s", label->key, label->text);
		bool matches = pattern_matches(pattern, text);
		free(text);
		if (matches != pattern_is_inverted(pattern))
			return true;
	}
	return false;
}

bool tag_filter_matches(const struct tag_filter *filter, const struct tags *tags)
{
	if (filter->is_range)
		return in_range(filter, tags);
	vec_each (&filter->patterns, pattern)
		if (one_matches(filter, *pattern, tags) == (filter->key != NULL))
			return filter->key != NULL;
	return filter->key == NULL;
}
