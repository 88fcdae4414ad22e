/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as a page: one file that needs no other, with a table, filters, and as many
 * stacks as there are (html-screen.js draws only what is to be seen).
 *
 * The data is a list of numbers and texts, seven bits a byte, compressed by gzip, in base64;
 * html-model.js reads it. It has each stack with each thread once, as a node of a tree, so
 * that the page itself adds up what is chosen there.
 */
#include "src/base/gzip.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/export/export.h"
#include "src/export/file-metric.h"
#include "src/report/stack-frames.h"
#include "src/text/base64.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Made from html-page.html and the two scripts (Makefile.inc). */
#include "src/export/html-page.inc"

struct node {
	uint32_t function, parent;
};

struct entry {
	uint32_t node, thread;
	uint64_t weight;
};

struct html {
	const struct report *report;
	struct file_metric metric;
	FILE *out;		/* what will be compressed */
	struct idmap children;	/* (parent, function) -> node */
	VEC(struct node) nodes; /* but the root of all, which is 0 */
	VEC(struct entry) entries;
	struct idmap function_places, module_places, thread_places;
	VEC(uint32_t) functions, threads; /* the profile's ids */
	VEC(const char *) modules;
	struct stack_frames frames;
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

/* The place of KEY in a list that is as long as PLACES; *IS_NEW: it has to be added. */
static uint32_t place_of(struct idmap *places, uint64_t key, bool *is_new)
{
	const uint32_t *known = idmap_get(places, key, 0);
	*is_new = !known;
	if (known)
		return *known;
	uint32_t place = (uint32_t)places->len;
	idmap_put(places, key, 0, place);
	return place;
}

static uint32_t function_place(struct html *html, uint32_t id)
{
	bool is_new;
	uint32_t place = place_of(&html->function_places, id, &is_new);
	if (is_new)
		vec_push(&html->functions, id);
	return place;
}

static uint32_t module_place(struct html *html, const char *module)
{
	bool is_new;
	uint32_t place =
		place_of(&html->module_places, (uint64_t)(uintptr_t)module, &is_new);
	if (is_new)
		vec_push(&html->modules, module);
	return place;
}

static uint32_t child_of(struct html *html, uint32_t parent, uint32_t function)
{
	const uint32_t *known = idmap_get(&html->children, parent, function);
	if (known)
		return *known;
	vec_push(&html->nodes, (struct node){function, parent});
	uint32_t node = (uint32_t)html->nodes.len;
	idmap_put(&html->children, parent, function, node);
	return node;
}

static void add_stack(struct html *html, const struct report_stack *stack)
{
	uint64_t weight = html->metric.of(&stack->weight);
	uint32_t node = 0;
	bool is_new;
	if (!weight)
		return;
	stack_frames_of(html->report, stack->stack, &html->frames);
	for (size_t i = html->frames.len; i-- > 0;)
		node = child_of(
			html, node, function_place(html, html->frames.data[i].function));
	uint32_t thread = place_of(&html->thread_places, stack->thread, &is_new);
	if (is_new)
		vec_push(&html->threads, stack->thread);
	vec_push(&html->entries, (struct entry){node, thread, weight});
}

/* By name, as the page has siblings. */
static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct html *html = context;
	const struct node *x = &html->nodes.data[*(const uint32_t *)a - 1],
			  *y = &html->nodes.data[*(const uint32_t *)b - 1];
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	const struct profile *profile = html->report->profile;
	int order = strcmp(
		profile_function(profile, html->functions.data[x->function])->name,
		profile_function(profile, html->functions.data[y->function])->name);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Number the nodes anew: each before its children, and those before its next sibling. So the
   page can add up and draw them from the first to the last. */
static void order_nodes(struct html *html)
{
	uint32_t n = (uint32_t)html->nodes.len, next = 0;
	uint32_t *sorted = mem_alloc((n + 1) * sizeof(*sorted));
	uint32_t *first = mem_zalloc((n + 3) * sizeof(*first)); /* children in SORTED */
	uint32_t *numbers = mem_zalloc((n + 1) * sizeof(*numbers));
	struct node *nodes = mem_alloc((n + 1) * sizeof(*nodes));
	VEC(uint32_t) open = {0};

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = i + 1;
	if (n)
		qsort_r(sorted, n, sizeof(*sorted), compare_nodes, html);
	for (uint32_t i = 0; i < n; i++)
		first[html->nodes.data[i].parent + 1]++;
	for (uint32_t i = 1; i <= n + 1; i++)
		first[i] += first[i - 1];
	vec_push(&open, 0);
	while (open.len) {
		uint32_t node = open.data[--open.len];
		if (node) {
			nodes[next] = html->nodes.data[node - 1];
			nodes[next].parent = numbers[nodes[next].parent];
			numbers[node] = ++next;
		}
		for (uint32_t i = first[node + 1]; i-- > first[node];)
			vec_push(&open, sorted[i]);
	}
	if (n)
		memcpy(html->nodes.data, nodes, n * sizeof(*nodes));
	vec_each (&html->entries, entry)
		entry->node = numbers[entry->node];
	if (html->entries.len)
		qsort(html->entries.data, html->entries.len, sizeof(*html->entries.data),
			compare_entries);
	vec_free(&open);
	free(nodes);
	free(numbers);
	free(first);
	free(sorted);
}

static void put_names(struct html *html)
{
	const struct profile *profile = html->report->profile;
	FILE *out = html->out;

	vec_each (&html->functions, id)
		module_place(html, profile_function(profile, *id)->module);
	put_number(html->modules.len, out);
	vec_each (&html->modules, module)
		put_text(*module, out);
	put_number(html->functions.len, out);
	vec_each (&html->functions, id) {
		const struct function *function = profile_function(profile, *id);
		put_number(module_place(html, function->module), out);
		put_text(function->name, out);
	}
	put_number(html->threads.len, out);
	vec_each (&html->threads, id) {
		const struct thread *thread = profile_thread(profile, *id);
		char *text = thread->tid > 0 ? mem_printf("%s (%d)", thread->name,
						       (int)thread->tid)
					     : mem_strdup(thread->name);
		put_text(text, out);
		free(text);
	}
}

/* From one node to the next, mostly one that was made after it. */
static void put_step(uint32_t from, uint32_t to, FILE *out)
{
	put_number(to >= from ? (uint64_t)(to - from) * 2 : (uint64_t)(from - to) * 2 - 1,
		out);
}

/* Column by column, as numbers of one kind compress best beside each other. */
static void put_stacks(struct html *html)
{
	uint32_t last = 0;
	put_number(html->nodes.len, html->out);
	for (uint32_t i = 0; i < html->nodes.len; i++)
		put_number(i - html->nodes.data[i].parent, html->out);
	vec_each (&html->nodes, node)
		put_number(node->function, html->out);
	put_number(html->entries.len, html->out);
	vec_each (&html->entries, entry) {
		put_step(last, entry->node, html->out);
		last = entry->node;
	}
	vec_each (&html->entries, entry)
		put_number(entry->thread, html->out);
	vec_each (&html->entries, entry)
		put_number(entry->weight, html->out);
}

/* All data, compressed. */
static bool put_data(struct html *html, const struct export_facts *facts, FILE *page,
	struct error *err)
{
	char *bytes = NULL, *packed = NULL;
	size_t size = 0, packed_size = 0;
	html->out = open_memstream(&bytes, &size);
	FILE *pack = open_memstream(&packed, &packed_size);
	bool done = html->out && pack;
	if (done) {
		put_text(facts->command ? facts->command : "Flame graph", html->out);
		put_text(html->metric.name, html->out);
		put_number(html->metric.kind, html->out);
		put_names(html);
		put_stacks(html);
	}
	done = html->out && fclose(html->out) == 0 && done &&
	       gzip_write(bytes, size, pack, err);
	if (pack && fclose(pack) == 0 && done)
		base64_put(packed, packed_size, page);
	else if (done || !pack || !html->out)
		done = error_errno(err, errno, "the page's data");
	free(bytes);
	free(packed);
	return done;
}

static bool write_page(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct html html = {.report = report, .metric = file_metric_of(report)};

	for (size_t i = 0; i < report->n_stacks; i++)
		add_stack(&html, &report->stacks[i]);
	order_nodes(&html);
	fputs(html_page, out);
	fputs("<script type=\"text/plain\" id=\"data\">", out);
	bool done = put_data(&html, facts, out, err);
	fprintf(out, "</script>\n<script>\n%s%s</script>\n</body></html>\n", html_model,
		html_screen);
	idmap_finish(&html.children);
	idmap_finish(&html.function_places);
	idmap_finish(&html.module_places);
	idmap_finish(&html.thread_places);
	vec_free(&html.nodes);
	vec_free(&html.entries);
	vec_free(&html.functions);
	vec_free(&html.threads);
	vec_free(&html.modules);
	vec_free(&html.frames);
	return done;
}

const struct export_format export_html = {
	.name = "html",
	.suffix = ".html",
	.description = "a page: a flame graph and a table, with search and filters",
	.open_with = "xdg-open %s",
	.write = write_page,
};
