/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from standard input, one a line: are they read as libiberty reads them, which is asked
 * without any limit? Prints how many are not, and fails if there are any. The names should be
 * real ones: libiberty may take for ever. docs/lab/HOSTILE.md has figures. */

#include "src/facts/mangled/mangled.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OPTIONS = DMGL_PARAMS | DMGL_ANSI,
};

static char *read_by_libiberty(const char *symbol)
{
	char *plain = rust_demangle(symbol, OPTIONS);
	if (!plain)
		plain = cplus_demangle_v3(symbol, OPTIONS);
	return plain ? plain : dlang_demangle(symbol, OPTIONS);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
	static char line[MANGLED_MAX_BYTES + 2], plain[MANGLED_PLAIN_MAX_BYTES];
	size_t names = 0, theirs = 0, refused = 0, other = 0;
	double worst = 0;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		char *expected = read_by_libiberty(line);
		double start = seconds();
		bool is_read = mangled_read(line, true, plain, sizeof(plain));
		double took = seconds() - start;
		worst = took > worst ? took : worst;
		names++;
		theirs += expected != NULL;
		if (expected && expected[0] && !is_read) {
			refused++;
			printf("refused: %s\n", line);
		} else if (is_read && (!expected || strcmp(plain, expected) != 0)) {
			other++;
			printf("read otherwise: %s\n", line);
		}
		free(expected);
	}
	printf("%zu names, %zu that libiberty reads; of these %zu refused, %zu read "
	       "otherwise; %.1f ms at most\n",
		names, theirs, refused, other, worst * 1e3);
	return refused + other ? EXIT_FAILURE : EXIT_SUCCESS;
}
