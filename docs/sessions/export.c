/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: write rows of a table, with most of the time in the allocator.
 *
 *	export SECONDS
 *
 * escape() takes memory for the longest field that there could be, and gives it back when the
 * field has been written; write_row() does so once a row. Compile it with -fno-builtin-malloc:
 * gcc sees through so simple a use, and leaves the memory out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIELDS = 16, FIELD_MAX = 4096 };

struct field {
	char text[8];
};

static struct field fields[FIELDS];
static unsigned long n_fields, n_rows;

__attribute__((noinline)) static void escape(struct field *to, const struct field *field)
{
	char *escaped = malloc(FIELD_MAX);

	memcpy(escaped, field->text, sizeof(field->text));
	memcpy(to->text, escaped, sizeof(to->text));
	free(escaped);
	n_fields++;
}

__attribute__((noinline)) static void write_row(void)
{
	struct field *row = malloc(FIELDS * sizeof(*row) + FIELD_MAX);

	for (size_t i = 0; i < FIELDS; i++)
		escape(&row[i], &fields[i]);
	free(row);
	n_rows++;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);

	while (time(NULL) < end)
		write_row();
	printf("%lu rows of %lu fields\n", n_rows, n_fields);
	return 0;
}
