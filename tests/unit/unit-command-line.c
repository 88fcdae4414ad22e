/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command-line: titles of processes, in few characters. */

#include "tests/lib/unit.h"

#include "src/process/list/command-line.h"

#include <stdio.h>

static void assert_short(const char *command, size_t size, const char *expected)
{
	char out[COMMAND_SHORT_MAX];
	command_line_shorten(command, out, size);
	assert_string_equal(out, expected);
}

static void test_a_long_command_line_keeps_its_files(void **state)
{
	(void)state;
	assert_short("/usr/bin/make -j2", 40, "make -j2");
	assert_short("postgres: checkpointer ", 40, "postgres: checkpointer ");
	assert_short("/usr/lib/gcc/12/cc1plus -quiet -imultiarch x86_64-linux-gnu "
		     "-D_GNU_SOURCE src/parse.cpp -dumpbase parse.cpp -dumpbase-ext .cpp "
		     "-mtune=generic -O2 -o /tmp/ccX1.s",
		40, "cc1plus parse.cpp");
	assert_short("./tool one two three four five six", 16, "tool one two th");
	assert_short("", 16, "");
	/* A name that does not fit into what is left is left out, not cut. */
	assert_short("cc -c aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.c b.c", 16, "cc b.c");
}

static void assert_settled(const char *title, const char *now, const char *expected)
{
	char text[COMMAND_SHORT_MAX];
	snprintf(text, sizeof(text), "%s", title);
	command_line_settle(text, sizeof(text), now);
	assert_string_equal(text, expected);
}

static void test_a_title_keeps_what_does_not_change(void **state)
{
	(void)state;
	assert_settled("postgres: bob shop idle", "postgres: bob shop UPDATE waiting",
		"postgres: bob shop");
	assert_settled(
		"postgres: bob shop", "postgres: bob shop idle", "postgres: bob shop");
	assert_settled("nginx: master process nginx", "nginx: worker process",
		"nginx: worker process");
	assert_settled("one", "other", "other");
	assert_settled("same words", "same words", "same words");
	assert_settled("job 12", "job 123", "job 123");
	assert_settled("", "sh", "sh");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_long_command_line_keeps_its_files),
		cmocka_unit_test(test_a_title_keeps_what_does_not_change),
	};
	return unit_run(tests);
}
