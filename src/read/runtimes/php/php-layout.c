/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/php/php-layout.h"

#include <stdbool.h>
#include <string.h>

enum {
	PLACEHOLDER = 184, /* execute_fake */
	STACK = 456,
};

static const struct php_layout layouts[] = {
	{20210902, "8.1", STACK, 68, 72, 144, 152, PLACEHOLDER},
	{20220829, "8.2", STACK, 80, 88, 152, 160, PLACEHOLDER},
	{20230831, "8.3", STACK, 76, 80, 144, 152, PLACEHOLDER},
	{20240924, "8.4", STACK, 96, 104, 168, 176, PLACEHOLDER},
};

const struct php_layout *php_layout_of(uint32_t api)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].api == api)
			return &layouts[i];
	return NULL;
}

uint32_t php_api_in(const unsigned char *text, size_t length, bool *is_other)
{
	enum {
		HEAD = 3, /* "API" */
		DIGITS = 8,
		TAIL = 5, /* ",NTS" and the end, or ",TS" or ",NTS,debug" */
	};
	for (size_t i = 0; i + HEAD + DIGITS + TAIL <= length; i++) {
		const unsigned char *at = text + i;
		uint32_t api = 0;
		size_t digits = 0;
		if (memcmp(at, "API20", 5) != 0)
			continue;
		at += HEAD;
		for (; digits < DIGITS && at[digits] >= '0' && at[digits] <= '9';
			digits++)
			api = api * 10 + (uint32_t)(at[digits] - '0');
		at += DIGITS;
		if (digits < DIGITS ||
			(memcmp(at, ",NTS", 4) != 0 && memcmp(at, ",TS", 3) != 0))
			continue;
		*is_other = memcmp(at, ",NTS", TAIL) != 0;
		return api;
	}
	return 0;
}
