/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/page/page-data.h"

#include "src/base/mem.h"
#include "src/count/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A callee of a caller, and of how many nodes of it. */
struct callee {
	uint32_t caller, function, count;
};

struct page_data {
	const struct page_tree *tree;
	const struct profile *profile;
	const struct module_hues *hues;
	FILE *out;
	VEC(const char *) modules;
	struct idmap module_places; /* (address of the name, 0) -> index */
	/* By caller, those of most nodes first; those of caller C begin at first[C]. The root
	   counts as a caller after the last function. */
	VEC(struct callee) callees;
	uint32_t *first;
	bool *is_listed;     /* of each caller */
	struct idmap places; /* (caller, function) -> index of callees */
	VEC(uint64_t) column;
};

static void put_number(uint64_t value, FILE *out)
{
	for (; value > 127; value >>= 7)
		fputc((int)(value & 127) | 128, out);
	fputc((int)value, out);
}

static void put_text(const char *text, FILE *out)
{
	size_t length = strlen(text);
	put_number(length, out);
	fwrite(text, 1, length, out);
}

/* The column, and empty it. */
static void put_column(struct page_data *data)
{
	uint64_t all = 0;
	unsigned width = 0;

	vec_each (&data->column, value)
		all |= *value;
	for (; all; all >>= 8)
		width++;
	put_number(data->column.len, data->out);
	put_number(width, data->out);
	for (unsigned byte = 0; byte < width; byte++)
		vec_each (&data->column, value)
			fputc((int)(*value >> 8 * byte & 255), data->out);
	data->column.len = 0;
}

static void put_real(double value, FILE *out)
{
	char *text = mem_printf("%.17g", value);
	put_text(text, out);
	free(text);
}

/* --- names ------------------------------------------------------------------------------ */

static uint32_t module_place(struct page_data *data, const char *module)
{
	uint64_t key = (uint64_t)(uintptr_t)module;
	const uint32_t *known = idmap_get(&data->module_places, key, 0);
	if (known)
		return *known;
	uint32_t place = (uint32_t)data->modules.len;
	idmap_put(&data->module_places, key, 0, place);
	vec_push(&data->modules, module);
	return place;
}

static void put_sides(struct page_data *data)
{
	const struct difference *difference = data->tree->report->difference;

	put_number(difference ? 2 : 1, data->out);
	if (!difference)
		return;
	put_real(difference->factor, data->out);
	put_real(difference->whole, data->out);
	put_number(difference->normalization != NORMALIZE_CPU, data->out);
}

/* Which changes of each function of the profile are more than noise; NULL: it is no report
   of two. */
static unsigned char *real_changes(const struct page_data *data)
{
	const struct report *report = data->tree->report;
	if (!report->difference)
		return NULL;
	uint32_t most = 0;
	vec_each (&data->tree->functions, id)
		most = *id > most ? *id : most;
	unsigned char *real = mem_zalloc((size_t)most + 1);
	for (size_t i = 0; i < report->n_functions; i++)
		if (report->functions[i].function <= most)
			real[report->functions[i].function] =
				(unsigned char)(report->difference->self[i].real |
						report->difference->total[i].real << 1);
	return real;
}

static void put_names(struct page_data *data)
{
	unsigned char *real = real_changes(data);
	FILE *out = data->out;

	vec_each (&data->tree->functions, id)
		module_place(data, profile_function(data->profile, *id)->module);
	put_number(data->modules.len, out);
	vec_each (&data->modules, module)
		put_text(*module, out);
	put_number(data->tree->functions.len, out);
	vec_each (&data->tree->functions, id) {
		const struct function *function = profile_function(data->profile, *id);
		put_number(module_place(data, function->module), out);
		put_text(function->name, out);
		put_number(module_hues_rgb(data->hues, function), out);
		if (real)
			put_number(real[*id], out);
	}
	put_number(data->tree->threads.len, out);
	vec_each (&data->tree->threads, id) {
		const struct thread *thread = profile_thread(data->profile, *id);
		char *text = thread->tid > 0 ? mem_printf("%s (%d)", thread->name,
						       (int)thread->tid)
					     : mem_strdup(thread->name);
		put_text(text, out);
		free(text);
	}
	free(real);
}

/* --- nodes ------------------------------------------------------------------------------ */

static uint32_t caller_of(const struct page_data *data, const struct page_node *node)
{
	return node->parent ? data->tree->nodes.data[node->parent - 1].function
			    : (uint32_t)data->tree->functions.len;
}

static int compare_callees(const void *a, const void *b)
{
	const struct callee *x = a, *y = b;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* To tell one of FUNCTIONS costs log2 of them in bits, and so does each row of the list that
   makes it cheaper. */
static bool is_worth_a_list(uint32_t nodes, uint32_t callees, size_t functions)
{
	double of_all = log2((double)functions + 1);
	return callees && nodes * (of_all - log2(callees)) > callees * of_all;
}

static void find_callees(struct page_data *data)
{
	size_t callers = data->tree->functions.len + 1;
	uint32_t *nodes = mem_zalloc(callers * sizeof(*nodes));

	vec_each (&data->tree->nodes, node) {
		uint32_t caller = caller_of(data, node);
		uint32_t *place = idmap_get(&data->places, caller, node->function);
		nodes[caller]++;
		if (place) {
			data->callees.data[*place].count++;
			continue;
		}
		idmap_put(&data->places, caller, node->function,
			(uint32_t)data->callees.len);
		vec_push(&data->callees, (struct callee){caller, node->function, 1});
	}
	if (data->callees.len)
		qsort(data->callees.data, data->callees.len, sizeof(*data->callees.data),
			compare_callees);
	data->first = mem_zalloc((callers + 1) * sizeof(*data->first));
	data->is_listed = mem_zalloc(callers * sizeof(*data->is_listed));
	for (size_t i = 0; i < data->callees.len; i++) {
		const struct callee *callee = &data->callees.data[i];
		data->first[callee->caller + 1]++;
		idmap_put(&data->places, callee->caller, callee->function, (uint32_t)i);
	}
	for (size_t i = 0; i < callers; i++) {
		data->is_listed[i] =
			is_worth_a_list(nodes[i], data->first[i + 1], callers - 1);
		data->first[i + 1] += data->first[i];
	}
	free(nodes);
}

static void put_callees(struct page_data *data)
{
	size_t callers = data->tree->functions.len + 1;
	for (size_t i = 0; i < callers; i++)
		vec_push(&data->column,
			data->is_listed[i] ? data->first[i + 1] - data->first[i] : 0);
	put_column(data);
	vec_each (&data->callees, callee)
		if (data->is_listed[callee->caller])
			vec_push(&data->column, callee->function);
	put_column(data);
}

static void put_levels(struct page_data *data)
{
	const struct page_tree *tree = data->tree;
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint32_t levels = 0;
		/* node I is the one before nodes.data[I] */
		for (uint32_t at = i; at != tree->nodes.data[i].parent; levels++)
			at = tree->nodes.data[at - 1].parent;
		vec_push(&data->column, levels);
	}
	put_column(data);
}

static void put_functions(struct page_data *data)
{
	vec_each (&data->tree->nodes, node) {
		uint32_t caller = caller_of(data, node);
		if (data->is_listed[caller])
			vec_push(&data->column,
				*idmap_get(&data->places, caller, node->function) -
					data->first[caller]);
	}
	put_column(data);
	vec_each (&data->tree->nodes, node)
		if (!data->is_listed[caller_of(data, node)])
			vec_push(&data->column, node->function);
	put_column(data);
}

static void put_real_nodes(struct page_data *data)
{
	const struct page_tree *tree = data->tree;
	for (uint32_t i = 1; i <= tree->nodes.len; i++)
		if (tree->nodes.data[i - 1].is_real)
			vec_push(&data->column, i);
	put_column(data);
}

/* --- entries ---------------------------------------------------------------------------- */

static void put_ends(struct page_data *data)
{
	const struct page_tree *tree = data->tree;
	size_t next = 0;

	for (uint32_t i = 0; i <= tree->nodes.len; i++) {
		size_t begin = next;
		while (next < tree->entries.len && tree->entries.data[next].node == i)
			next++;
		bool has_children =
			i < tree->nodes.len && tree->nodes.data[i].parent == i;
		vec_push(&data->column, next - begin - (i && !has_children));
	}
	put_column(data);
}

static void put_threads(struct page_data *data)
{
	vec_each (&data->tree->entries, entry)
		vec_push(&data->column, entry->thread);
	put_column(data);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static uint64_t weight_of(const struct page_entry *entry, bool before)
{
	return before ? entry->before : entry->weight;
}

/* Times of a clock that ticks in microseconds are multiples of 1000 ns. */
static void put_weights(struct page_data *data, bool before)
{
	uint64_t divisor = 0;
	vec_each (&data->tree->entries, entry)
		divisor = common_divisor(divisor, weight_of(entry, before));
	divisor += !divisor;
	put_number(divisor, data->out);
	vec_each (&data->tree->entries, entry)
		vec_push(&data->column, weight_of(entry, before) / divisor);
	put_column(data);
}

void page_data_write(
	const struct page_tree *tree, const struct page_facts *facts, FILE *out)
{
	const struct difference *difference = tree->report->difference;
	struct page_data data = {.tree = tree,
		.profile = tree->report->profile,
		.hues = facts->hues,
		.out = out};

	put_text(facts->title, out);
	put_text(facts->caption, out);
	put_text(facts->metric, out);
	put_number(facts->kind, out);
	put_sides(&data);
	put_names(&data);
	find_callees(&data);
	put_callees(&data);
	put_levels(&data);
	put_functions(&data);
	put_ends(&data);
	put_threads(&data);
	put_weights(&data, false);
	if (difference) {
		put_weights(&data, true);
		put_real_nodes(&data);
	}
	vec_free(&data.modules);
	vec_free(&data.callees);
	vec_free(&data.column);
	idmap_finish(&data.module_places);
	idmap_finish(&data.places);
	free(data.first);
	free(data.is_listed);
}
