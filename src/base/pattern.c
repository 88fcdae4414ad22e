/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/pattern.h"

#include "src/base/mem.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	MATCH_LIMIT = 100000
}; /* steps of one match; an ordinary pattern needs far fewer */

struct substitution {
	pcre2_code *code;
	pcre2_match_context *limits;
	char *replacement; /* as PCRE2 spells it: ${1}, $$ */
	uint32_t options;
};

struct pattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	bool inverted;
};

static bool has_upper_case(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++; /* \W and \S are classes, not capitals */
		else if (isupper((unsigned char)*text))
			return true;
	}
	return false;
}

struct pattern *pattern_create(
	const char *text, size_t *offset, char *why, size_t why_size)
{
	bool inverted = text[0] == '!';
	const char *body = text + inverted;
	if (why && why_size)
		why[0] = '\0';
	if (!*body)
		return NULL;

	uint32_t options = PCRE2_UTF | (has_upper_case(body) ? 0 : PCRE2_CASELESS);
	int code = 0;
	PCRE2_SIZE where = 0;
	pcre2_code *compiled = pcre2_compile(
		(PCRE2_SPTR)body, PCRE2_ZERO_TERMINATED, options, &code, &where, NULL);
	if (!compiled) {
		if (offset)
			*offset = where + inverted;
		if (why)
			pcre2_get_error_message(code, (PCRE2_UCHAR *)why, why_size);
		return NULL;
	}

	struct pattern *pattern = mem_zalloc(sizeof(*pattern));
	*pattern = (struct pattern){
		.code = compiled,
		.match = pcre2_match_data_create(1, NULL),
		.limits = pcre2_match_context_create(NULL),
		.inverted = inverted,
	};
	if (!pattern->match || !pattern->limits)
		mem_alloc(SIZE_MAX); /* out of memory */
	pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
	return pattern;
}

void pattern_destroy(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_match_context_free(pattern->limits);
	pcre2_match_data_free(pattern->match);
	pcre2_code_free(pattern->code);
	free(pattern);
}

bool pattern_matches(const struct pattern *pattern, const char *text)
{
	return pcre2_match(pattern->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0,
		       pattern->match, pattern->limits) >= 0;
}

bool pattern_is_inverted(const struct pattern *pattern)
{
	return pattern->inverted;
}

/* --- substitution ------------------------------------------------------------------ */

/* The part of a sed command up to DELIMITER, in which a backslash before DELIMITER is left
   out; *AT ends up behind the delimiter. NULL if there is none. */
static char *part_of(const char **at, char delimiter)
{
	char *part = mem_alloc(strlen(*at) + 1), *end = part;
	const char *c = *at;
	for (; *c && *c != delimiter; c++) {
		if (*c == '\\' && c[1] == delimiter)
			c++;
		else if (*c == '\\' && c[1])
			*end++ = *c++;
		*end++ = *c;
	}
	*end = '\0';
	if (*c == delimiter) {
		*at = c + 1;
		return part;
	}
	free(part);
	return NULL;
}

/* sed's TEXT as PCRE2 spells it; the caller frees it. *GROUPS is the largest N of its \N. */
static char *spell_replacement(const char *text, uint32_t *groups)
{
	char *spelt = mem_alloc(4 * strlen(text) + 1), *end = spelt;
	for (; *text; text++) {
		if (*text == '\\' && isdigit((unsigned char)text[1])) {
			end += sprintf(end, "${%c}", *++text);
			if ((uint32_t)(*text - '0') > *groups)
				*groups = (uint32_t)(*text - '0');
			continue;
		}
		if (*text == '&') {
			end += sprintf(end, "${0}");
			continue;
		}
		if (*text == '\\' && text[1])
			text++;
		if (*text == '$')
			*end++ = '$';
		*end++ = *text;
	}
	*end = '\0';
	return spelt;
}

static bool take_flags(const char *flags, uint32_t *of_code, uint32_t *of_substitution)
{
	for (; *flags; flags++) {
		if (*flags == 'g')
			*of_substitution |= PCRE2_SUBSTITUTE_GLOBAL;
		else if (*flags == 'i' || *flags == 'I')
			*of_code |= PCRE2_CASELESS;
		else
			return false;
	}
	return true;
}

static struct substitution *compile(
	const char *regex, uint32_t options, char *why, size_t why_size)
{
	int code = 0;
	PCRE2_SIZE where = 0;
	pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED,
		options | PCRE2_UTF, &code, &where, NULL);
	if (!compiled) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, why_size);
		return NULL;
	}
	struct substitution *substitution = mem_zalloc(sizeof(*substitution));
	substitution->code = compiled;
	substitution->limits = pcre2_match_context_create(NULL);
	if (!substitution->limits)
		mem_alloc(SIZE_MAX); /* out of memory */
	pcre2_set_match_limit(substitution->limits, MATCH_LIMIT);
	return substitution;
}

struct substitution *substitution_create(const char *spelt, char *why, size_t why_size)
{
	uint32_t of_code = 0, options = PCRE2_SUBSTITUTE_UNSET_EMPTY;
	struct substitution *substitution = NULL;
	const char *at = spelt + 2;
	char *regex = NULL, *text = NULL;
	if (spelt[0] == 's' && spelt[1] && !isalnum((unsigned char)spelt[1]) &&
		spelt[1] != '\\' && (regex = part_of(&at, spelt[1])))
		text = part_of(&at, spelt[1]);
	if (!text || !*regex || !take_flags(at, &of_code, &options))
		snprintf(why, why_size, "it is not s/REGEX/TEXT/ with g or i behind it");
	else
		substitution = compile(regex, of_code, why, why_size);
	if (substitution) {
		substitution->options = options;
		uint32_t wanted = 0, groups = 0;
		substitution->replacement = spell_replacement(text, &wanted);
		pcre2_pattern_info(substitution->code, PCRE2_INFO_CAPTURECOUNT, &groups);
		if (wanted > groups) {
			snprintf(why, why_size, "there is no group %u", wanted);
			substitution_destroy(substitution);
			substitution = NULL;
		}
	}
	free(regex);
	free(text);
	return substitution;
}

void substitution_destroy(struct substitution *substitution)
{
	if (!substitution)
		return;
	pcre2_match_context_free(substitution->limits);
	pcre2_code_free(substitution->code);
	free(substitution->replacement);
	free(substitution);
}

bool substitution_apply(
	const struct substitution *substitution, const char *text, char *out, size_t size)
{
	PCRE2_SIZE length = size;
	char *whole = NULL;
	int replaced = pcre2_substitute(substitution->code, (PCRE2_SPTR)text,
		PCRE2_ZERO_TERMINATED, 0,
		substitution->options | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH, NULL,
		substitution->limits, (PCRE2_SPTR)substitution->replacement,
		PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)out, &length);
	if (replaced != PCRE2_ERROR_NOMEMORY)
		return replaced > 0;
	whole = mem_alloc(length);
	replaced = pcre2_substitute(substitution->code, (PCRE2_SPTR)text,
		PCRE2_ZERO_TERMINATED, 0, substitution->options, NULL,
		substitution->limits, (PCRE2_SPTR)substitution->replacement,
		PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)whole, &length);
	if (replaced > 0)
		snprintf(out, size, "%s", whole);
	free(whole);
	return replaced > 0;
}
