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
