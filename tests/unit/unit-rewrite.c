/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite: a person's rules for names and frames, and sed's substitution behind them. */

#include "tests/lib/unit.h"

#include "src/base/pattern.h"
#include "src/facts/rewrite.h"

#include <stdio.h>
#include <string.h>

static void assert_substituted(const char *spelt, const char *text, const char *wanted)
{
	char why[128] = "", out[64] = "";
	struct substitution *substitution = substitution_create(spelt, why, sizeof(why));
	if (!substitution)
		fail_msg("%s: %s", spelt, why);
	bool replaced = substitution_apply(substitution, text, out, sizeof(out));
	if (wanted)
		assert_string_equal(out, wanted);
	assert_int_equal(replaced, wanted != NULL);
	substitution_destroy(substitution);
}

static void test_sed_is_understood(void **state)
{
	(void)state;
	assert_substituted(
		"s/^grpc-server-\\d+$/grpc-server/", "grpc-server-7", "grpc-server");
	assert_substituted("s/^grpc-server-\\d+$/grpc-server/", "Grpc-server-7", NULL);
	assert_substituted("s/^GRPC/x/i", "grpc", "x");
	assert_substituted("s/(.*)-(.*)/\\2 \\1/", "a-b", "b a");
	assert_substituted("s/b/[&]/", "abbc", "a[b]bc");
	assert_substituted("s/b/[\\&]/g", "abbc", "a[&][&]c");
	assert_substituted("s,/,|,g", "/usr/bin", "|usr|bin");
	assert_substituted("s/\\/usr/\\//", "/usr/bin", "//bin");
	assert_substituted("s/x/$1 ${y}/", "x", "$1 ${y}");
	assert_substituted("s/(a)|b/<\\1>/", "b", "<>");
	assert_substituted("s/a//", "a", "");
	assert_substituted(
		"s/a/"
		"0123456789012345678901234567890123456789012345678901234567890123456789/",
		"a", "012345678901234567890123456789012345678901234567890123456789012");
	assert_substituted(
		"s/(a+)+$/x/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", NULL);
}

static void test_what_is_no_sed_is_refused(void **state)
{
	static const char *const texts[] = {"", "s", "s/", "s/a", "s/a/b", "s/a/b/x",
		"s//b/", "y/a/b/", "sxaxbx", "s/(a/b/", "s/a/\\1/", "s/(a)/\\2/"};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char why[128] = "";
		if (substitution_create(texts[i], why, sizeof(why)))
			fail_msg("'%s' was taken", texts[i]);
		assert_true(why[0] != '\0');
	}
}

static void test_rules_in_their_order(void **state)
{
	char text[REWRITE_TEXT_MAX] = "", name[64];
	struct error err;
	(void)state;
	assert_true(rewrite_append(text, "function", "s/a/b/", &err));
	assert_true(rewrite_append(text, "function", "s/b/c/", &err));
	assert_string_equal(text, "function s/a/b/\nfunction s/b/c/");
	struct rewrite *rewrite = rewrite_create(text, &err);
	assert_non_null(rewrite);
	assert_true(rewrite_function(rewrite, "xa", name, sizeof(name)));
	assert_string_equal(name, "xc");
	assert_false(rewrite_function(rewrite, "x", name, sizeof(name)));
	assert_false(rewrite_has_threads(rewrite));
	assert_true(rewrite_has_functions(rewrite));
	rewrite_destroy(rewrite);
}

static void test_bad_rules_leave_the_text(void **state)
{
	char text[REWRITE_TEXT_MAX] = "thread s/x/y/", long_value[REWRITE_TEXT_MAX];
	struct error err;
	(void)state;
	assert_false(rewrite_append(text, "thread", "s/(/x/", &err));
	assert_non_null(strstr(err.text, "thread 's/(/x/'"));
	assert_false(rewrite_append(text, "thread", "", &err));
	assert_false(rewrite_append(text, "thread", "grpc", &err));
	assert_false(rewrite_append(text, "colour", "red", &err));
	assert_false(rewrite_append(text, "thread", "s/a/\nb/", &err));
	memset(long_value, 'a', sizeof(long_value));
	long_value[sizeof(long_value) - 1] = '\0';
	assert_false(rewrite_append(text, "thread", long_value, &err));
	assert_string_equal(text, "thread s/x/y/");
	assert_null(rewrite_create("thread s/(/x/", &err));
}

/* A rule must not make of a name what clean.h has taken out of it. */
static void test_new_names_are_clean(void **state)
{
	struct error err;
	char name[64];
	(void)state;
	struct rewrite *rewrite =
		rewrite_create("thread s/x/\\x1b[31m/\nthread s/y/\033[1m/", &err);
	assert_non_null(rewrite);
	assert_true(rewrite_thread(rewrite, "y", name, sizeof(name)));
	assert_null(strchr(name, '\033'));
	rewrite_destroy(rewrite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sed_is_understood),
		cmocka_unit_test(test_what_is_no_sed_is_refused),
		cmocka_unit_test(test_rules_in_their_order),
		cmocka_unit_test(test_bad_rules_leave_the_text),
		cmocka_unit_test(test_new_names_are_clean),
	};
	return unit_run(tests);
}
