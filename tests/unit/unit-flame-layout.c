/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph's geometry: exact examples, and its promises over random trees. */

#include "tests/lib/unit.h"

#include "ui/flame/flame-layout.h"

#include <stdlib.h>
#include <string.h>

/* --- trees -------------------------------------------------------------------------- */

struct tree {
	VEC(struct report_node) nodes;
	struct report report; /* borrows nodes */
};

static uint32_t tree_add(struct tree *tree, uint32_t parent, uint64_t total)
{
	struct report_node node = {.function = (uint32_t)tree->nodes.len,
		.parent = parent,
		.total = {.samples = total, .cpu_ns = total * 10000000}};
	uint32_t id = (uint32_t)tree->nodes.len;

	if (id > 0) {
		struct report_node *up = &tree->nodes.data[parent];
		if (up->n_children++ == 0)
			up->first_child = id;
		assert_int_equal(up->first_child + up->n_children - 1, id);
		node.depth = up->depth + 1;
	}
	vec_push(&tree->nodes, node);
	tree->report.nodes = tree->nodes.data;
	tree->report.n_nodes = tree->nodes.len;
	return id;
}

static void tree_add_all(
	struct tree *tree, uint32_t parent, const uint64_t *totals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tree_add(tree, parent, totals[i]);
}

static void tree_finish(struct tree *tree)
{
	vec_free(&tree->nodes);
}

/* Deterministic, so that a failure can be run again (Numerical Recipes' constants). */
static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void tree_grow(struct tree *tree, uint64_t *seed, size_t nodes)
{
	tree_add(tree, 0, 1 + draw(seed) % 1000000);
	for (uint32_t i = 0; i < tree->nodes.len && tree->nodes.len < nodes; i++) {
		uint64_t left = tree->nodes.data[i].total.samples;
		uint32_t children =
			draw(seed) % 8 == 0 ? draw(seed) % 200 : draw(seed) % 5;
		for (uint32_t c = 0; c < children && left > 0; c++) {
			uint64_t part = draw(seed) % (left + 1);
			if (draw(seed) % 2)
				part /= 1 + draw(seed) % 100;
			if (draw(seed) % 4 == 0 && c + 1 == children)
				part = left;
			tree_add(tree, i, part);
			left -= part;
		}
	}
}

/* --- examples ----------------------------------------------------------------------- */

static void test_share_is_largest_remainder(void **state)
{
	(void)state;
	uint32_t out[4];

	/* 47, 16, 15.8, 12 of 100 in 10: the textbook's case, the gap is the rest. */
	const uint64_t votes[] = {4700, 1600, 1580, 1200};
	assert_int_equal(flame_layout_share(votes, 4, 10000, 10, out), 1);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 2);
	assert_int_equal(out[2], 1);
	assert_int_equal(out[3], 1);

	/* A tie goes to the first, and 64-bit weights do not overflow. */
	const uint64_t huge[] = {UINT64_MAX / 2, UINT64_MAX / 2};
	assert_int_equal(flame_layout_share(huge, 2, UINT64_MAX - 1, 201, out), 0);
	assert_int_equal(out[0], 101);
	assert_int_equal(out[1], 100);
}

static void assert_cell(const struct flame_layout *layout, uint32_t row, size_t index,
	uint32_t node, uint32_t x, uint32_t width, uint32_t merged)
{
	size_t count;
	const struct flame_cell *cells = flame_layout_row(layout, row, &count);

	assert_in_range(index, 0, count - 1);
	assert_int_equal(cells[index].node, node);
	assert_int_equal(cells[index].x, x);
	assert_int_equal(cells[index].width, width);
	assert_int_equal(cells[index].merged, merged);
}

static void test_small_siblings_share_an_other_cell(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};
	size_t count;

	tree_add(&tree, 0, 1000);
	tree_add_all(&tree, 0, (const uint64_t[]){1, 600, 2, 100, 3}, 5);
	flame_layout_build(&layout, &tree.report, 0, 40, METRIC_CPU, 0, false);

	/* 600 and 100 keep their order; 1, 2, 3 are one cell; 294 are the root's own. */
	assert_cell(&layout, 0, 0, 0, 0, 40, 0);
	flame_layout_row(&layout, 1, &count);
	assert_int_equal(count, 3);
	assert_cell(&layout, 1, 0, 2, 0, 24, 0);
	assert_cell(&layout, 1, 1, 4, 24, 4, 0);
	assert_cell(&layout, 1, 2, 0, 28, 1, 3);
	assert_int_equal(layout.cells.data[3].weight, 6 * 10000000u);
	assert_null(flame_layout_at(&layout, 1, 29));
	assert_int_equal(flame_layout_at(&layout, 1, 27)->node, 4);
	assert_null(flame_layout_at(&layout, 2, 0));

	flame_layout_finish(&layout);
	tree_finish(&tree);
}

static void test_one_small_child_keeps_its_name_and_place(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};

	tree_add(&tree, 0, 100000);
	tree_add_all(&tree, 0, (const uint64_t[]){50000, 1, 49999}, 3);
	flame_layout_build(&layout, &tree.report, 0, 20, METRIC_SAMPLES, 0, false);
	assert_cell(&layout, 1, 0, 1, 0, 10, 0);
	assert_cell(&layout, 1, 1, 2, 10, 1, 0);
	assert_cell(&layout, 1, 2, 3, 11, 9, 0);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

static void test_what_is_below_the_least_is_merged(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};

	tree_add(&tree, 0, 100);
	tree_add_all(&tree, 0, (const uint64_t[]){20, 10, 10, 60}, 4);
	flame_layout_build(&layout, &tree.report, 0, 100, METRIC_SAMPLES, 20, false);
	assert_cell(&layout, 1, 0, 1, 0, 20, 0);
	assert_cell(&layout, 1, 1, 4, 20, 60, 0);
	assert_cell(&layout, 1, 2, 0, 80, 20, 2);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

static void test_one_column_shows_that_there_is_more(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};

	tree_add(&tree, 0, 10);
	tree_add(&tree, 0, 10);
	tree_add_all(&tree, 1, (const uint64_t[]){6, 4}, 2);
	flame_layout_build(&layout, &tree.report, 0, 1, METRIC_CPU, 0, false);
	assert_cell(&layout, 1, 0, 1, 0, 1, 0);
	assert_cell(&layout, 2, 0, 1, 0, 1, 2);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

/* A trunk of six, then two branches; one of them is seven deep, and its end is kept. */
static void test_trunks_are_folded(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};
	uint32_t node = tree_add(&tree, 0, 1000), tip;
	for (int i = 0; i < 6; i++)
		node = tree_add(&tree, node, 1000);
	tree_add_all(&tree, node, (const uint64_t[]){600, 400}, 2);
	for (tip = node + 1; tip < node + 9; tip += tip == node + 1 ? 2 : 1)
		tree_add(&tree, tip, 600);
	flame_layout_build(&layout, &tree.report, 0, 40, METRIC_CPU, 0, true);
	assert_cell(&layout, 1, 0, 1, 0, 40, 0);
	const struct flame_cell *trunk = &layout.cells.data[1];
	assert_int_equal(trunk->folded, 5);
	assert_int_equal(trunk->last, 5);
	assert_int_equal(trunk->next, node);
	assert_cell(&layout, 2, 0, node, 0, 40, 0);
	assert_cell(&layout, 3, 0, node + 1, 0, 24, 0);
	const struct flame_cell *branch = flame_layout_at(&layout, 3, 0);
	assert_int_equal(branch->folded, 4);
	assert_cell(&layout, 7, 0, node + 9, 0, 24, 0); /* the tip and three callers */
	assert_int_equal(layout.rows.len, 8);
	flame_layout_build(&layout, &tree.report, 0, 40, METRIC_CPU, 0, false);
	assert_int_equal(layout.cells.len, tree.nodes.len);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

static void test_a_zoomed_root_has_the_whole_width(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};

	tree_add(&tree, 0, 1000);
	tree_add_all(&tree, 0, (const uint64_t[]){990, 10}, 2);
	tree_add_all(&tree, 2, (const uint64_t[]){5, 5}, 2);
	flame_layout_build(&layout, &tree.report, 2, 60, METRIC_CPU, 0, false);
	assert_cell(&layout, 0, 0, 2, 0, 60, 0);
	assert_cell(&layout, 1, 0, 3, 0, 30, 0);
	assert_cell(&layout, 1, 1, 4, 30, 30, 0);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

static void test_an_empty_report_is_one_cell(void **state)
{
	(void)state;
	struct tree tree = {0};
	struct flame_layout layout = {0};

	tree_add(&tree, 0, 0);
	tree_add(&tree, 0, 0);
	flame_layout_build(&layout, &tree.report, 0, 80, METRIC_CPU, 0, false);
	assert_int_equal(layout.cells.len, 1);
	assert_cell(&layout, 0, 0, 0, 0, 80, 0);
	flame_layout_finish(&layout);
	tree_finish(&tree);
}

/* --- promises ----------------------------------------------------------------------- */

/* What holds between a cell and the cells below it. */
static void check_children(
	const struct flame_layout *layout, const struct report *report, uint32_t index)
{
	const struct flame_cell *cell = &layout->cells.data[index];
	const struct flame_cell *child = &layout->cells.data[cell->first_child];
	const struct report_node *node = &report->nodes[cell->node];
	uint64_t weight = 0, own = node->total.samples, other = 0, merged = 0;
	uint32_t x = cell->x, shown = 0;

	for (uint32_t i = 0; i < cell->n_children; i++, child++) {
		assert_int_equal(child->parent, index);
		assert_int_equal(child->row, cell->row + 1);
		assert_int_equal(child->x, x); /* no hole, no overlap */
		assert_in_range(child->width, 1, cell->width);
		x += child->width;
		weight += child->weight;
		if (child->merged) {
			assert_int_equal(i, cell->n_children - 1);
			merged = child->merged;
			other = child->weight;
			continue;
		}
		shown++;
		assert_int_equal(report->nodes[child->node].parent, cell->node);
		assert_int_equal(child->weight, report->nodes[child->node].total.samples);
		for (uint32_t j = 0; j < i; j++) { /* monotone, and in order */
			const struct flame_cell *before = child - i + j;
			assert_true(before->node < child->node);
			if (before->weight > child->weight)
				assert_true(before->width >= child->width);
			if (before->weight < child->weight)
				assert_true(before->width <= child->width);
		}
	}
	assert_true(x <= cell->x + cell->width);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint64_t samples = report->nodes[node->first_child + i].total.samples;
		own -= samples;
		weight -= samples; /* nothing vanishes: the cells hold every child */
		shown -= samples > 0;
	}
	assert_int_equal(weight, 0);
	assert_int_equal(-shown, merged);
	assert_true((merged > 0) == (other > 0));
	if (own == 0 && node->n_children > 0)
		assert_int_equal(x, cell->x + cell->width);
}

static void test_promises_hold_for_random_trees(void **state)
{
	(void)state;
	uint64_t seed = 20240607;

	for (int round = 0; round < 300; round++) {
		struct tree tree = {0};
		struct flame_layout layout = {0};
		uint32_t width = 1 + draw(&seed) % 220, cells = 0;

		tree_grow(&tree, &seed, 1 + draw(&seed) % 2000);
		flame_layout_build(
			&layout, &tree.report, 0, width, METRIC_SAMPLES, 0, false);
		for (uint32_t i = 0; i < layout.cells.len; i++) {
			if (layout.cells.data[i].merged)
				assert_int_equal(layout.cells.data[i].n_children, 0);
			else if (layout.cells.data[i].weight > 0)
				check_children(&layout, &tree.report, i);
		}
		for (uint32_t row = 0; row < layout.rows.len; row++) {
			size_t count;
			flame_layout_row(&layout, row, &count);
			assert_in_range(count, 1, width);
			cells += (uint32_t)count;
		}
		assert_int_equal(cells, layout.cells.len);
		flame_layout_finish(&layout);
		tree_finish(&tree);
	}
}

/* More weight to one child never takes columns from it. */
static void test_more_weight_is_never_narrower(void **state)
{
	(void)state;
	uint64_t seed = 7;

	for (int round = 0; round < 200; round++) {
		uint64_t weights[9];
		uint32_t before[9], after[9], width = 1 + draw(&seed) % 120;
		uint64_t sum = 0;
		for (int i = 0; i < 9; i++)
			sum += weights[i] = draw(&seed) % 1000;
		uint64_t whole = sum + 1 + draw(&seed) % 1000;
		size_t chosen = draw(&seed) % 9;

		flame_layout_share(weights, 9, whole, width, before);
		uint64_t grow = draw(&seed) % (whole - sum + 1);
		weights[chosen] += grow; /* taken from the gap: the others stay */
		flame_layout_share(weights, 9, whole, width, after);
		assert_true(after[chosen] >= before[chosen]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_is_largest_remainder),
		cmocka_unit_test(test_small_siblings_share_an_other_cell),
		cmocka_unit_test(test_one_small_child_keeps_its_name_and_place),
		cmocka_unit_test(test_what_is_below_the_least_is_merged),
		cmocka_unit_test(test_one_column_shows_that_there_is_more),
		cmocka_unit_test(test_trunks_are_folded),
		cmocka_unit_test(test_a_zoomed_root_has_the_whole_width),
		cmocka_unit_test(test_an_empty_report_is_one_cell),
		cmocka_unit_test(test_promises_hold_for_random_trees),
		cmocka_unit_test(test_more_weight_is_never_narrower),
	};
	return unit_run(tests);
}
