/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clean: names from a hostile program, made safe to print. */

#include "tests/lib/unit.h"

#include "src/base/clean.h"

#include <string.h>

static void assert_cleaned(const char *dirty, const char *clean)
{
	char out[256];
	size_t length = clean_text(out, sizeof(out), dirty, strlen(dirty));
	assert_string_equal(out, clean);
	assert_int_equal(length, strlen(clean));
}

static void test_clean_lets_nothing_drive_the_terminal(void **state)
{
	(void)state;
	assert_cleaned("std::vector<int>::push_back", "std::vector<int>::push_back");
	assert_cleaned("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	assert_cleaned("\033[31mred\n", "\\x1b[31mred\\x0a");
	assert_cleaned("\x7f", "\\x7f");
	assert_cleaned("\xc2\x9b"
		       "2J",
		"\\xc2\\x9b2J"); /* C1 CSI */
	assert_cleaned("\xe2\x80\xae"
		       "abc",
		"\\xe2\\x80\\xae"
		"abc");						    /* U+202E */
	assert_cleaned("\xd8\x9c", "\\xd8\\x9c");		    /* U+061C */
	assert_cleaned("\xc2\xad", "\\xc2\\xad");		    /* U+00AD */
	assert_cleaned("\xe1\xa0\x8e", "\\xe1\\xa0\\x8e");	    /* U+180E */
	assert_cleaned("\xef\xbf\xb9", "\\xef\\xbf\\xb9");	    /* U+FFF9 */
	assert_cleaned("\xf3\xa0\x81\xa1", "\\xf3\\xa0\\x81\\xa1"); /* U+E0061 */
	assert_cleaned("\xff\xc0\x80", "\\xff\\xc0\\x80");	    /* not UTF-8 */
	assert_cleaned("\xed\xa0\x80", "\\xed\\xa0\\x80");	    /* a surrogate */
	assert_cleaned("\xe2\x82", "\\xe2\\x82");		    /* cut short */
	char small[6];
	assert_int_equal(clean_text(small, sizeof(small), "abc\xc3\xbc\xc3\xbc", 7), 5);
	assert_string_equal(small, "abc\xc3\xbc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean_lets_nothing_drive_the_terminal),
	};
	return unit_run(tests);
}
