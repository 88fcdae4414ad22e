/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names fit what somebody typed, and which fits best. */
#include "tests/lib/unit.h"

#include "src/facts/text/typed.h"

#include <string.h>

static int score(const char *query, const char *name)
{
	return typed_score(query, name, NULL);
}

static void test_parts_of_a_name_fit(void **state)
{
	(void)state;
	assert_true(score("prime", "is_prime") > 0);
	assert_int_equal(score("", "anything"), 0);
	assert_int_equal(score("  ", "anything"), 0);
	assert_int_equal(score("primes", "is_prime"), TYPED_NONE);
	assert_int_equal(score("a", ""), TYPED_NONE);
	assert_int_equal(score("copy row", "copy the selected row"),
		score("row copy", "copy the selected row"));
	assert_int_equal(score("row paste", "copy the selected row"), TYPED_NONE);
}

static void test_capitals_count_if_there_are_any(void **state)
{
	(void)state;
	assert_true(score("matrix", "Matrix::times") > 0);
	assert_true(score("Mat", "Matrix::times") > 0);
	assert_int_equal(score("MAT", "Matrix::times"), TYPED_NONE);
}

static void test_begins_of_words_come_first(void **state)
{
	(void)state;
	assert_true(score("sort", "work_on_sorting") > score("sort", "resorting"));
	assert_true(score("read", "file::read") > score("read", "thread"));
	assert_true(score("table", "HashTable") > score("table", "stable"));
}

static void test_what_was_found_is_marked(void **state)
{
	static const struct {
		const char *query, *name, *marks;
	} rows[] = {
		{"sort", "so_resort_sort", "          ^^^^"},
		{"b a", "a b", "^ ^"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool found[TYPED_NAME_MAX];
		assert_true(typed_score(rows[i].query, rows[i].name, found) > 0);
		for (size_t c = 0; rows[i].name[c]; c++)
			assert_int_equal(found[c], rows[i].marks[c] == '^');
	}
}

static void test_long_names_and_queries_are_cut(void **state)
{
	char name[3000], query[1000];
	bool found[TYPED_NAME_MAX];
	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(query, 'a', sizeof(query) - 1);
	query[sizeof(query) - 1] = '\0';
	assert_int_equal(typed_score(query, name, found), TYPED_NONE);
	query[TYPED_NAME_MAX] = '\0';
	assert_true(typed_score(query, name, found) > 0);
	name[TYPED_NAME_MAX] = 'b';
	assert_int_equal(typed_score("b", name, found), TYPED_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_of_a_name_fit),
		cmocka_unit_test(test_capitals_count_if_there_are_any),
		cmocka_unit_test(test_begins_of_words_come_first),
		cmocka_unit_test(test_what_was_found_is_marked),
		cmocka_unit_test(test_long_names_and_queries_are_cut),
	};
	return unit_run(tests);
}
