/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/kernel-stack.h"

#include "src/base/clean.h"

#include <string.h>

enum {
	NAME_BYTES = 512, /* KSYM_NAME_LEN, include/linux/kallsyms.h */
};

/* The name in a LINE of LENGTH bytes, into NAME. False if the line has none. */
static bool name_of(const char *line, size_t length, char name[NAME_BYTES])
{
	const char *start = memchr(line, ' ', length);
	if (!start)
		return false;
	start++;
	const char *plus = memchr(start, '+', (size_t)(line + length - start));
	size_t size = plus ? (size_t)(plus - start) : 0;
	return size > 0 && clean_text(name, NAME_BYTES, start, size) > 0;
}

size_t kernel_stack_locate(const struct snapshot *record, struct profile *profile,
	uint32_t *out, size_t most)
{
	const char *at =
		(const char *)record->stack + record->stack_length + record->other_length;
	const char *limit = at + record->kernel_length;
	size_t count = 0;
	char name[NAME_BYTES];

	while (at < limit && count < most) {
		const char *end = memchr(at, '\n', (size_t)(limit - at));
		end = end ? end : limit;
		if (name_of(at, (size_t)(end - at), name))
			out[count++] = profile_intern_kernel(profile, name);
		at = end + 1;
	}
	return count;
}
