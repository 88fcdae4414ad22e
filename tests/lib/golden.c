/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/golden.h"

#include "tests/lib/unit.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(FILE *file)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		return mem_strdup("");
	}
	return text;
}

/* The first line that differs tells more than two whole screens. */
static void fail_at_difference(const char *name, const char *expected, const char *actual)
{
	int line = 1;

	while (*expected != '\0' && *expected == *actual) {
		line += *expected == '\n';
		expected++;
		actual++;
	}
	fail_msg("%s differs in line %d: `%.*s' is now `%.*s'", name, line,
		(int)strcspn(expected, "\n"), expected, (int)strcspn(actual, "\n"),
		actual);
}

void golden_check(const char *name, const struct grid *grid)
{
	const char *srcdir = getenv("srcdir");
	char *path =
		mem_printf("%s/tests/golden/screens/%s.txt", srcdir ? srcdir : ".", name);
	char *actual = NULL, *expected;
	size_t size;
	FILE *file = open_memstream(&actual, &size);

	assert_non_null(file);
	grid_dump_styles(grid, file);
	assert_int_equal(fclose(file), 0);
	if (getenv("CPROFTOP_GOLDEN")) {
		file = fopen(path, "w");
		if (!file || fputs(actual, file) < 0 || fclose(file) != 0)
			fail_msg("cannot write %s", path);
	} else {
		file = fopen(path, "r");
		if (!file)
			fail_msg("no %s; `make golden' writes it", path);
		expected = read_all(file);
		fclose(file);
		if (strcmp(expected, actual) != 0)
			fail_at_difference(name, expected, actual);
		free(expected);
	}
	free(actual);
	free(path);
}
