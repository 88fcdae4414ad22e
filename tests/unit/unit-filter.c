/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes through another program, which may be missing, fail, print for ever or never end. */

#include "tests/lib/unit.h"

#include "src/base/worker/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1 << 20)

static char *through(const char *const *arguments, unsigned seconds, const void *bytes,
	size_t size, struct error *err)
{
	const struct filter filter = {arguments, "get it there", seconds, MOST_BYTES};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool done = filter_run(&filter, bytes, size, out, err);
	fclose(out);
	if (done)
		return text;
	free(text);
	return NULL;
}

static void assert_fails(const char *const *arguments, unsigned seconds, const char *why)
{
	struct error err = {""};
	assert_null(through(arguments, seconds, "x", 1, &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

/* More than a pipe holds. */
static void all_bytes_go_through(void **state)
{
	(void)state;
	const char *const arguments[] = {"cat", NULL};
	size_t size = MOST_BYTES - 1;
	char *bytes = malloc(MOST_BYTES);
	struct error err;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + i % 23);
	bytes[size] = '\0';
	char *text = through(arguments, 60, bytes, size, &err);
	assert_non_null(text);
	assert_string_equal(text, bytes);
	free(text);
	text = through(arguments, 60, "", 0, &err);
	assert_string_equal(text, "");
	free(text);
	free(bytes);
}

static void what_goes_wrong_is_said(void **state)
{
	(void)state;
	assert_fails((const char *const[]){"no such program", NULL}, 60, "get it there");
	assert_fails((const char *const[]){"false", NULL}, 60, "failed with status 1");
	assert_fails((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, 60,
		"failed with signal 9");
	assert_fails((const char *const[]){"yes", NULL}, 60, "prints more than 1048576");
	assert_fails(
		(const char *const[]){"sleep", "1000", NULL}, 1, "has not ended after 1");
	assert_fails((const char *const[]){"sh", "-c", "exec sleep 1000 >&-", NULL}, 1,
		"failed with signal 9");
}

static void it_has_no_rights(void **state)
{
	(void)state;
	struct error err;
	char *text = through(
		(const char *const[]){"cat", "/proc/self/status", NULL}, 60, "", 0, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "NoNewPrivs:\t1"));
	assert_non_null(strstr(text, "CapEff:\t0000000000000000"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes_go_through),
		cmocka_unit_test(what_goes_wrong_is_said),
		cmocka_unit_test(it_has_no_rights),
	};
	return unit_run(tests);
}
