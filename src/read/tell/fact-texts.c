/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/tell/fact-texts.h"

#include "src/base/clean.h"

#include <string.h>

static bool is_clean(const char *text, size_t length)
{
	return length < CLEAN_MAX && clean_is(text, length);
}

bool fact_texts_are_clean(const unsigned char *payload, size_t length, size_t count)
{
	const char *at = (const char *)payload, *limit = at + length;
	for (size_t i = 0; i < count; i++) {
		const char *end =
			at < limit ? memchr(at, '\0', (size_t)(limit - at)) : NULL;
		if (!end || !is_clean(at, (size_t)(end - at)))
			return false;
		at = end + 1;
	}
	return at == limit;
}
