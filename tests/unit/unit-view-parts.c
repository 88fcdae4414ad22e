/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What views are made of: elided names, lists, columns, pools, places under other
   names. */

#include "tests/lib/unit.h"

#include "src/count/report-build.h"
#include "ui/draw/columns.h"
#include "ui/draw/elide.h"
#include "ui/draw/grid.h"
#include "ui/threads/thread-rows.h"
#include "ui/view/renamed.h"
#include "ui/widget/list.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

/* --- elide -------------------------------------------------------------------------- */

static const char *elided(const char *name, int columns)
{
	static char out[ELIDE_MAX];
	elide_name(out, sizeof(out), name, columns, "~");
	return out;
}

static void test_elide_drops_what_tells_least_first(void **state)
{
	(void)state;
	const char *push = "std::vector<Point, std::allocator<Point> >::push_back(Point "
			   "const&)";
	assert_string_equal(elided(push, 80), push);
	assert_string_equal(elided(push, 60),
		"std::vector<Point, std::allocator<Point> >::push_back");
	assert_string_equal(elided(push, 30), "std::vector<~>::push_back");
	assert_string_equal(elided(push, 24), "~::vector<~>::push_back");
	assert_string_equal(elided(push, 14), "~::push_back");
	assert_string_equal(elided(push, 8), "push~ack");
	assert_string_equal(elided(push, 3), "pu~");
	static const char node[] =
		"void tree<int>::_M_create_node<std::pair<int, int> >(int)";
	assert_string_equal(elided(node, 20), "~::_M_create_node<~>");
	assert_string_equal(elided(node, 17), "_M_create_node<~>");
	assert_string_equal(elided(node, 14), "_M_create_node");
	assert_string_equal(elided(node, 9), "_M_cr~ode");
	assert_string_equal(elided(push, 1), "~");
	assert_string_equal(elided(push, 0), "");
	/* The place stays. */
	const char *line = "std::vector<Point>::push_back stl_vector.h:1281";
	assert_string_equal(elided(line, 80), line);
	assert_string_equal(
		elided(line, 45), "std::vector<~>::push_back stl_vector.h:1281");
	assert_string_equal(elided(line, 30), "~::push_back stl_vector.h:1281");
	assert_string_equal(elided(line, 20), "push_back st~.h:1281");
	assert_string_equal(
		elided("app::compute 0x55d0c7a3f208", 25), "~::compute 0x55d0c7a3f208");
}

static void test_elide_knows_odd_names(void **state)
{
	(void)state;
	assert_string_equal(
		elided("void sort<int*, less>(int*, int*, less)", 12), "sort<~>");
	assert_string_equal(
		elided("Matrix<double>::operator*(Matrix<double> const&) const", 24),
		"Matrix<~>::operator*");
	assert_string_equal(
		elided("std::ostream& std::operator<< <char>(std::ostream&, char)", 20),
		"std::operator<< <~>");
	assert_string_equal(elided("Less<int>::operator()(int, int) const", 22),
		"Less<int>::operator()");
	assert_string_equal(
		elided("Ptr<Widget>::operator->() const", 20), "Ptr<~>::operator->");
	assert_string_equal(elided("operator new(unsigned long)", 14), "operator new");
	assert_string_equal(elided("app::(anonymous namespace)::parse(char const*)", 40),
		"app::(anonymous namespace)::parse");
	assert_string_equal(elided("main::{lambda(int)#1}::operator()(int) const", 40),
		"main::{lambda(int)#1}::operator()");
	assert_string_equal(
		elided("<core::iter::Map<I,F> as Iterator>::next::{{closure}}", 24),
		"<~>::next::{{closure}}");
	assert_string_equal(elided("[libc.so.6+0x9c3a1]", 12), "[libc.s~3a1]");
	assert_string_equal(elided("a_long_function_of_plain_c", 12), "a_long_~in_c");
	assert_string_equal(elided("net/http.(*conn).serve.func1", 14), "net/http~func1");
}

/* Any name in any width: never wider, never broken UTF-8, and a name that fits stays. */
static void test_elide_never_exceeds_its_columns(void **state)
{
	(void)state;
	static const char *const pieces[] = {"<", ">", "(", ")", "::", "operator", "a",
		"bc", " ", "{", "}", "\346\225\260", "\303\266", "-", "~", "*", ",", "[",
		"]"};
	uint64_t seed = 99;

	for (int round = 0; round < 20000; round++) {
		char name[600] = "";
		size_t n = (seed >> 40) % 60;
		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			strcat(name, pieces[(seed >> 33) %
					     (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		int columns = (int)((seed >> 50) % 60);
		const char *out = elided(name, columns);
		assert_in_range(grid_text_width(out), 0, columns);
		if (grid_text_width(name) <= columns)
			assert_string_equal(out, name);
		assert_null(strchr(out, '?')); /* what broken UTF-8 would be */
	}
}

/* --- list --------------------------------------------------------------------------- */

static void test_list_moves_and_scrolls(void **state)
{
	(void)state;
	struct list list = {0};

	assert_true(list_move(&list, ACTION_UP, 100, 10));
	assert_int_equal(list.cursor, 0);
	assert_true(list_move(&list, ACTION_PAGE_DOWN, 100, 10));
	assert_int_equal(list.cursor, 9);
	assert_int_equal(list.top, 9); /* one line of the old page stays */
	assert_true(list_move(&list, ACTION_LAST, 100, 10));
	assert_int_equal(list.cursor, 99);
	assert_int_equal(list.top, 90);
	assert_true(list_move(&list, ACTION_HALF_UP, 100, 10));
	assert_int_equal(list.cursor, 94);
	assert_true(list_move(&list, ACTION_FIRST, 100, 10));
	assert_int_equal(list.top, 0);
	assert_false(list_move(&list, ACTION_ZOOM, 100, 10));

	list.cursor = list.top = 90;
	list_reveal(&list, 5, 10); /* the list got short */
	assert_int_equal(list.cursor, 4);
	assert_int_equal(list.top, 0);
	list_reveal(&list, 0, 10);
	assert_int_equal(list.cursor, 0);
	assert_true(list_move(&list, ACTION_DOWN, 0, 0));
	assert_int_equal(list.cursor, 0);
}

/* --- columns ------------------------------------------------------------------------ */

static void test_columns_drop_by_rank_and_share_the_rest(void **state)
{
	(void)state;
	static const struct column table[] = {
		{"A", 5, 0, 0, 0, ALIGN_RIGHT},
		{"B", 5, 0, 2, 1, ALIGN_RIGHT},
		{"C", 5, 25, 1, 2, ALIGN_LEFT},
	};
	struct columns columns;

	columns_fit(&columns, table, 3, 17);
	assert_int_equal(columns.at[2], 12);
	assert_int_equal(columns.width[2], 5);
	columns_fit(&columns, table, 3, 16); /* B goes; C grows into its place */
	assert_int_equal(columns.width[1], 0);
	assert_int_equal(columns.at[2], 6);
	assert_int_equal(columns.width[2], 10);
	columns_fit(&columns, table, 3, 3); /* A is never dropped */
	assert_int_equal(columns.width[0], 5);
	assert_int_equal(columns.width[2], 0);
	columns_fit(&columns, table, 3, 300);
	assert_int_equal(columns.width[2], 25);
	assert_int_equal(columns_at(&columns, 13), 2);
	assert_int_equal(columns_at(&columns, 299), -1);
}

/* --- pools -------------------------------------------------------------------------- */

static void test_pool_names(void **state)
{
	(void)state;
	static const char *const names[][2] = {
		{"worker-12", "worker-*"},
		{"worker12", "worker*"},
		{"pool-1-thread-7", "pool-*-thread-*"},
		{"GC Thread#0", "GC Thread#*"},
		{"kworker/3:1", "kworker/*:*"},
		{"x86_64", "x86_*"},
		{"h2o", "h2o"},
		{"main", "main"},
		{"7", "7"},
		{"", ""},
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char out[POOL_NAME_MAX];
		thread_pool_name(out, names[i][0]);
		assert_string_equal(out, names[i][1]);
	}
}

/* A function of two lines, the rarer one first: by line it is the other. */
static void test_one_that_becomes_several_is_the_heaviest(void **state)
{
	(void)state;
	struct profile *profile = profile_create();
	struct naming *naming = naming_create(profile);
	struct stacktab *stacktab = stacktab_create();
	struct sample_log samples = {0};
	struct function function = {
		.name = "work", .system_name = "work", .module = "a", .file = "a.c"};
	uint32_t work = profile_intern_function(profile, &function);
	for (uint32_t i = 0; i < 10; i++) {
		struct line line = {work, i == 0 ? 7 : 8};
		uint32_t location =
			profile_add_location(profile, 0, 0x100 + line.line, &line, 1);
		struct sample sample = {
			.time_ns = 1 + i,
			.cpu_ns = 1,
			.thread = profile_intern_thread(profile, 1, "t"),
			.stack = stacktab_intern(stacktab, &location, 1, UNWIND_ROOT),
			.count = 1,
		};
		sample_log_add(&samples, &sample);
	}
	struct report_input input = {
		.profile = profile,
		.naming = naming,
		.stacktab = stacktab,
		.samples = &samples,
		.now_ns = 100,
	};
	struct report_request request = {0};
	struct report *before = report_build(&input, &request);
	request.naming.granularity = NAMING_LINE;
	struct report *now = report_build(&input, &request);
	struct renamed renamed;
	assert_true(renamed_differ(before, now));
	renamed_init(&renamed, before, now);
	uint32_t place = renamed_function(&renamed, work);
	assert_string_equal(profile_function(profile, place)->name, "work a.c:8");
	renamed_finish(&renamed);
	report_destroy(now);
	report_destroy(before);
	sample_log_finish(&samples);
	stacktab_unref(stacktab);
	naming_unref(naming);
	profile_unref(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elide_drops_what_tells_least_first),
		cmocka_unit_test(test_elide_knows_odd_names),
		cmocka_unit_test(test_elide_never_exceeds_its_columns),
		cmocka_unit_test(test_list_moves_and_scrolls),
		cmocka_unit_test(test_columns_drop_by_rank_and_share_the_rest),
		cmocka_unit_test(test_pool_names),
		cmocka_unit_test(test_one_that_becomes_several_is_the_heaviest),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
