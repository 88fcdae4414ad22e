/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/rewrite.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/base/pattern.h"
#include "src/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_THREAD,
	KIND_FUNCTION,
	KINDS
};

static const char *const kind_names[KINDS] = {
	[KIND_THREAD] = "thread",
	[KIND_FUNCTION] = "function",
};

struct rule {
	enum kind kind;
	struct substitution *substitution;
};

struct rewrite {
	VEC(struct rule) rules;
	bool has[KINDS];
};

static bool compile(struct rule *rule, const char *value, struct error *err)
{
	char why[128] = "";
	rule->substitution = substitution_create(value, why, sizeof(why));
	return rule->substitution ||
	       error_set(err, "%s '%s': %s", kind_names[rule->kind], value, why);
}

static bool add_rule(struct rewrite *rewrite, const char *line, struct error *err)
{
	size_t length = strcspn(line, " ");
	for (enum kind kind = 0; kind < KINDS; kind++) {
		if (strlen(kind_names[kind]) != length ||
			strncmp(line, kind_names[kind], length) != 0)
			continue;
		struct rule rule = {.kind = kind};
		line += length;
		bool valid = compile(&rule, line + strspn(line, " "), err);
		vec_push(&rewrite->rules, rule);
		rewrite->has[kind] = true;
		return valid;
	}
	return error_set(err, "no rule is called '%.*s'", (int)length, line);
}

struct rewrite *rewrite_create(const char *text, struct error *err)
{
	struct rewrite *rewrite = mem_zalloc(sizeof(*rewrite));
	char *copy = mem_strdup(text), *rest = copy, *line;
	bool valid = true;
	while (valid && (line = strsep(&rest, "\n")))
		valid = !*line || add_rule(rewrite, line, err);
	free(copy);
	if (valid)
		return rewrite;
	rewrite_destroy(rewrite);
	return NULL;
}

void rewrite_destroy(struct rewrite *rewrite)
{
	if (!rewrite)
		return;
	vec_each (&rewrite->rules, rule)
		substitution_destroy(rule->substitution);
	vec_free(&rewrite->rules);
	free(rewrite);
}

bool rewrite_append(char *text, const char *kind, const char *value, struct error *err)
{
	char line[REWRITE_TEXT_MAX];
	size_t used = strlen(text);
	int length =
		snprintf(line, sizeof(line), "%s%s %s", used ? "\n" : "", kind, value);
	if (strchr(value, '\n'))
		return error_set(err, "%s: a rule has one line", kind);
	if (length < 0 || used + (size_t)length >= REWRITE_TEXT_MAX)
		return error_set(err, "%s: all rules together have at most %d bytes",
			kind, REWRITE_TEXT_MAX - 1);
	struct rewrite *rewrite = rewrite_create(line, err);
	if (!rewrite)
		return false;
	rewrite_destroy(rewrite);
	memcpy(text + used, line, (size_t)length + 1);
	return true;
}

bool rewrite_has_threads(const struct rewrite *rewrite)
{
	return rewrite->has[KIND_THREAD];
}

bool rewrite_has_functions(const struct rewrite *rewrite)
{
	return rewrite->has[KIND_FUNCTION];
}

/* NAME after all rules of KIND, cleaned, because a rule may cut a character in two. */
static bool rename_by(const struct rewrite *rewrite, enum kind kind, const char *name,
	char *out, size_t size)
{
	char now[CLEAN_MAX], next[CLEAN_MAX];
	bool changed = false;
	snprintf(now, sizeof(now), "%s", name);
	vec_each (&rewrite->rules, rule) {
		if (rule->kind != kind ||
			!substitution_apply(rule->substitution, now, next, sizeof(next)))
			continue;
		memcpy(now, next, sizeof(now));
		changed = true;
	}
	if (changed)
		clean_text(out, size, now, strlen(now));
	return changed;
}

bool rewrite_thread(
	const struct rewrite *rewrite, const char *name, char *out, size_t size)
{
	return rename_by(rewrite, KIND_THREAD, name, out, size);
}

bool rewrite_function(
	const struct rewrite *rewrite, const char *name, char *out, size_t size)
{
	return rename_by(rewrite, KIND_FUNCTION, name, out, size);
}
