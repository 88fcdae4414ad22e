/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names fit what somebody typed, and which fits best. */
#include "tests/lib/unit.h"

#include "src/facts/text/fuzzy.h"

#include <stdio.h>
#include <string.h>

static void test_letters_in_their_order_fit(void **state)
{
	(void)state;
	assert_true(fuzzy_score("prm", "is_prime") > 0);
	assert_true(fuzzy_score("", "anything") == 0);
	assert_true(fuzzy_score("  ", "anything") == 0);
	assert_int_equal(fuzzy_score("rpm", "is_prime"), FUZZY_NONE);
	assert_int_equal(fuzzy_score("primes", "is_prime"), FUZZY_NONE);
	assert_int_equal(fuzzy_score("a", ""), FUZZY_NONE);
}

static void test_words_fit_in_any_order(void **state)
{
	(void)state;
	assert_true(fuzzy_score("copy row", "copy the selected row") > 0);
	assert_true(fuzzy_score("row copy", "copy the selected row") ==
		    fuzzy_score("copy row", "copy the selected row"));
	assert_int_equal(fuzzy_score("row paste", "copy the selected row"), FUZZY_NONE);
}

static void test_capitals_count_if_there_are_any(void **state)
{
	(void)state;
	assert_true(fuzzy_score("matrix", "Matrix::times") > 0);
	assert_true(fuzzy_score("Mat", "Matrix::times") > 0);
	assert_int_equal(fuzzy_score("MAT", "Matrix::times"), FUZZY_NONE);
}

/* Each row: what is typed, the name that people mean, and one that they mean less. */
static void test_the_name_that_is_meant_comes_first(void **state)
{
	static const char *const rows[][3] = {
		{"sort", "sort_block", "some_other_rest"}, /* together */
		{"sort", "work_on_sorting", "resorting"},  /* at the begin of a word */
		{"ht", "hash_table", "weights"},	   /* first letters of words */
		{"ht", "HashTable", "weights"},		   /* or humps */
		{"read", "file::read", "thread"},
		{"win", "shorter window", "following"},
		{"ab", "xx_ab", "a_long_way_to_b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int better = fuzzy_score(rows[i][0], rows[i][1]);
		int worse = fuzzy_score(rows[i][0], rows[i][2]);
		if (worse == FUZZY_NONE || better <= worse)
			fail_msg("'%s': %s has %d, %s has %d", rows[i][0], rows[i][1],
				better, rows[i][2], worse);
	}
}

/* Not the first letters that fit are taken, but those of the best way. */
static void test_the_best_way_is_found(void **state)
{
	static const struct {
		const char *query, *name, *marks;
	} rows[] = {
		{"sort", "so_resort_sort", "          ^^^^"},
		{"ft", "lift_fast_table", "     ^    ^    "},
		{"b a", "a b", "^ ^"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool found[FUZZY_NAME_MAX];
		assert_int_equal(fuzzy_find(rows[i].query, rows[i].name, found),
			fuzzy_score(rows[i].query, rows[i].name));
		for (size_t c = 0; rows[i].name[c]; c++)
			if (found[c] != (rows[i].marks[c] == '^'))
				fail_msg("'%s' in '%s': letter %zu", rows[i].query,
					rows[i].name, c);
	}
}

/* Every mark is a letter of the query, in its order, whatever the name. */
static void test_marks_spell_the_query(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char name[24] = "", query[5] = "", spelt[24] = "";
		bool found[FUZZY_NAME_MAX];
		int size = 1 + (int)((seed = seed * 1103515245 + 12345) >> 16) % 22;
		for (int i = 0; i < size; i++)
			name[i] = "abAB_:"[(seed = seed * 1103515245 + 12345) >> 16 & 3];
		for (int i = 0; i < 1 + round % 4; i++)
			query[i] = "ab"[(seed = seed * 1103515245 + 12345) >> 16 & 1];
		if (fuzzy_find(query, name, found) == FUZZY_NONE)
			continue;
		for (int i = 0, n = 0; i < size; i++)
			if (found[i])
				spelt[n++] = name[i];
		if (strcasecmp(spelt, query) != 0)
			fail_msg("'%s' in '%s' is marked as '%s'", query, name, spelt);
	}
}

static void test_long_names_and_queries_are_cut(void **state)
{
	char name[3000], query[500];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(query, 'a', sizeof(query) - 1);
	query[sizeof(query) - 1] = '\0';
	assert_true(fuzzy_score(query, name) > 0);
	name[FUZZY_NAME_MAX] = 'b';
	assert_int_equal(fuzzy_score("b", name), FUZZY_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_letters_in_their_order_fit),
		cmocka_unit_test(test_words_fit_in_any_order),
		cmocka_unit_test(test_capitals_count_if_there_are_any),
		cmocka_unit_test(test_the_name_that_is_meant_comes_first),
		cmocka_unit_test(test_the_best_way_is_found),
		cmocka_unit_test(test_marks_spell_the_query),
		cmocka_unit_test(test_long_names_and_queries_are_cut),
	};
	return unit_run(tests);
}
