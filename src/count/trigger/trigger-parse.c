/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of triggers. A function's name may have any character ("operator>"), so a
   condition is read from its end: the last '>' is the one that compares. */
#include "src/count/trigger/trigger.h"

#include "src/base/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_LEAST_S 0.1
#define WINDOW_MOST_S  300.0
#define SHARE_WINDOW_S 1.0
#define TIME_WINDOW_S  30.0

/* A match does not begin within "clock" or "block": blocked(lock) is of locks, and every
   program sleeps in clock_nanosleep. */
#define NOT_WITHIN_CLOCK "(?!(?<=[bc])lock)"

static const struct word {
	const char *name;
	enum trigger_kind kind;
	bool has_pattern;
	const char *prefix; /* of the pattern */
} words[] = {
	{"total", TRIGGER_TOTAL, true, ""},
	{"self", TRIGGER_SELF, true, ""},
	{"cpu", TRIGGER_CPU, false, ""},
	{"runq", TRIGGER_RUNQ, false, ""},
	{"blocked", TRIGGER_BLOCKED, true, NOT_WITHIN_CLOCK},
};

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The LENGTH bytes of TEXT, which must be a pattern by themselves, behind PREFIX. */
static bool take_pattern(struct trigger *trigger, const char *prefix, const char *text,
	size_t length, struct error *err)
{
	size_t most = sizeof(trigger->pattern) - 1 - sizeof("(?:)") - strlen(prefix);
	if (length > most)
		return error_set(err, "a pattern has at most %zu bytes", most);
	if (text[0] == '!')
		return error_set(
			err, "'!' at the start of a pattern has no meaning here");
	size_t offset;
	char why[128];
	snprintf(trigger->pattern, sizeof(trigger->pattern), "%.*s", (int)length, text);
	if (!report_pattern_valid(trigger->pattern, &offset, why, sizeof(why)))
		return error_set(
			err, "'%s': %s, at offset %zu", trigger->pattern, why, offset);
	if (*prefix)
		snprintf(trigger->pattern, sizeof(trigger->pattern), "%s(?:%.*s)", prefix,
			(int)length, text);
	return report_pattern_valid(trigger->pattern, &offset, why, sizeof(why)) ||
	       error_set(err, "'%.*s': %s here", (int)length, text, why);
}

/* "total(REGEX)" or "cpu": what is between TEXT and END, without spaces around it. */
static bool take_what(
	struct trigger *trigger, const char *text, const char *end, struct error *err)
{
	size_t length = 0;
	while (text + length < end && isalpha((unsigned char)text[length]))
		length++;
	const struct word *word = NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == length &&
			memcmp(words[i].name, text, length) == 0)
			word = &words[i];
	if (!word)
		return error_set(err,
			"'%.*s' is none of total(REGEX), self(REGEX), cpu, runq and "
			"blocked(REGEX)",
			(int)(end - text), text);
	trigger->kind = word->kind;
	const char *open = skip_spaces(text + length);
	if (!word->has_pattern)
		return open >= end || error_set(err, "%s stands alone, without '%.*s'",
					      word->name, (int)(end - open), open);
	if (open >= end || *open != '(' || end[-1] != ')' || end - open < 3)
		return error_set(
			err, "%s of what? Write %s(REGEX)", word->name, word->name);
	return take_pattern(
		trigger, word->prefix, open + 1, (size_t)(end - open) - 2, err);
}

/* A number and its unit; *TEXT is set behind them. */
static bool take_amount(
	const char **text, double *amount, bool *is_time, struct error *err)
{
	char *end;
	*amount = strtod(*text, &end);
	const char *unit = skip_spaces(end);
	bool is_ms = strncmp(unit, "ms", 2) == 0;
	*is_time = is_ms || *unit == 's';
	if (end == *text || (!*is_time && *unit != '%'))
		return error_set(err, "'%s' is no number with %%, s or ms", *text);
	if (!isfinite(*amount) || *amount < 0 || *amount > 1e6)
		return error_set(err, "'%s' is out of range: from 0 to 1000000", *text);
	*amount *= !*is_time ? 0.01 : is_ms ? 0.001 : 1;
	*text = skip_spaces(unit + (is_ms ? 2 : 1));
	return true;
}

/* "30% in 5s" */
static bool take_limit(struct trigger *trigger, const char *text, struct error *err)
{
	if (!take_amount(&text, &trigger->limit, &trigger->is_time, err))
		return false;
	double window_s = trigger->is_time ? TIME_WINDOW_S : SHARE_WINDOW_S;
	bool is_time = true;
	if (strncmp(text, "in", 2) == 0) {
		text = skip_spaces(text + 2);
		if (!take_amount(&text, &window_s, &is_time, err))
			return false;
	}
	if (*text)
		return error_set(err, "'%s' is too much: 'in TIME' may follow", text);
	if (!is_time || window_s < WINDOW_LEAST_S || window_s > WINDOW_MOST_S)
		return error_set(err, "'in' takes a time from %g s to %g s",
			WINDOW_LEAST_S, WINDOW_MOST_S);
	trigger->window_ns = (uint64_t)(window_s * NS_PER_SEC);
	return true;
}

bool trigger_parse(struct trigger *trigger, const char *text, struct error *err)
{
	*trigger = (struct trigger){.text = text};
	const char *greater = strrchr(text, '>');
	if (!greater)
		return error_set(err, "'%s' compares nothing: write 'cpu > 90%%'", text);
	const char *what = skip_spaces(text), *end = greater;
	while (end > what && isspace((unsigned char)end[-1]))
		end--;
	return take_what(trigger, what, end, err) &&
	       take_limit(trigger, skip_spaces(greater + 1), err);
}

bool trigger_quota_parse(struct trigger_quota *quota, const char *text, struct error *err)
{
	static const char units[] = "kMG";
	char *end;
	double amount = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (end == text || !isfinite(amount) || amount < 1 || amount > 1e6 ||
		(*end && (!unit || end[1])) || (!*end && amount != floor(amount)))
		return error_set(err,
			"'%s' is neither a number of files (20) nor of bytes (100M)",
			text);
	*quota = (struct trigger_quota){.files = UINT64_MAX, .bytes = UINT64_MAX};
	if (!*end) {
		quota->files = (uint64_t)amount;
		return true;
	}
	for (const char *u = units; u <= unit; u++)
		amount *= 1024;
	quota->bytes = (uint64_t)amount;
	return true;
}
