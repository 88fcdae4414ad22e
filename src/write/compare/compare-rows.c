/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/compare/compare-rows.h"

#include "src/base/mem.h"
#include "src/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct report *both;
	const struct change *changes; /* NULL: by name */
};

static const char *name_of(const struct report *both, uint32_t row)
{
	return profile_function(both->profile, both->functions[row].function)->name;
}

static int compare(const void *a, const void *b, void *data)
{
	const struct order *order = data;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	if (!order->changes) {
		int names = strcmp(name_of(order->both, i), name_of(order->both, k));
		if (names)
			return names;
		return (i > k) - (i < k);
	}
	const struct change *x = &order->changes[i], *y = &order->changes[k];
	double size_x = fabs(change_of(x)), size_y = fabs(change_of(y));
	if (x->real != y->real)
		return x->real ? -1 : 1;
	if (size_x != size_y)
		return size_x > size_y ? -1 : 1;
	if (x->after != y->after)
		return x->after > y->after ? -1 : 1;
	return (i > k) - (i < k);
}

static struct compare_rows sorted(
	struct order order, size_t n, const struct change *wanted, size_t most)
{
	struct compare_rows rows = {.data = mem_alloc((n + 1) * sizeof(uint32_t))};
	for (uint32_t i = 0; i < n; i++)
		if (wanted[i].before > 0 || wanted[i].after > 0)
			rows.data[rows.len++] = i;
	if (rows.len)
		qsort_r(rows.data, rows.len, sizeof(*rows.data), compare, &order);
	if (most && rows.len > most)
		rows.len = most;
	return rows;
}

struct compare_rows compare_functions(
	const struct report *both, enum listing_order order, size_t most)
{
	const struct difference *difference = both->difference;
	struct order by = {both, order == LISTING_BY_NAME    ? NULL
				 : order == LISTING_BY_TOTAL ? difference->total
							     : difference->self};
	return sorted(by, both->n_functions, difference->total, most);
}

struct compare_rows compare_paths(const struct report *both, size_t most)
{
	const struct change *own = both->difference->node_self;
	return sorted((struct order){both, own}, both->n_nodes, own, most);
}

void compare_rows_finish(struct compare_rows *rows)
{
	free(rows->data);
}

void compare_path(const struct report *both, uint32_t node,
	void (*frame)(const char *name, size_t index, FILE *out), FILE *out)
{
	VEC(uint32_t) path = {0};
	for (; node != 0; node = both->nodes[node].parent)
		vec_push(&path, both->nodes[node].function);
	for (size_t i = path.len; i-- > 0;)
		frame(profile_function(both->profile, path.data[i])->name,
			path.len - 1 - i, out);
	vec_free(&path);
}
