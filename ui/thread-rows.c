#include "ui/thread-rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void thread_pool_name(char *out, const char *name)
{
	size_t length = 0;

	for (size_t i = 0; name[i] != '\0' && length < POOL_NAME_MAX - 1;) {
		size_t digits = strspn(name + i, "0123456789");
		unsigned char before = i > 0 ? (unsigned char)name[i - 1] : ' ';
		unsigned char after = (unsigned char)name[i + digits];
		/* x86_64 and GC1Worker are words; worker12, pool-3-x and #4 are numbered.
		 */
		bool counts = digits > 0 &&
			      (after == '\0' || (!isalnum(after) && !isalpha(before)));
		if (counts && i > 0) {
			out[length++] = '*';
			i += digits;
			continue;
		}
		for (size_t n = digits > 0 ? digits : 1; n > 0; n--, i++) {
			if (length < POOL_NAME_MAX - 1)
				out[length++] = name[i];
		}
	}
	out[length] = '\0';
}

/* --- order
 * ------------------------------------------------------------------------------ */

struct comparison {
	const struct report *report;
	enum thread_order order;
	bool reversed;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0; /* the largest first */
}

static const char *function_name(const struct report *report, uint32_t function)
{
	return function == PROFILE_NONE
		       ? "\xff" /* after all names */
		       : profile_function(report->profile, function)->name;
}

static int compare_by(const struct comparison *by, const struct thread_row *x,
	const struct thread_row *y)
{
	switch (by->order) {
	case THREADS_BY_SAMPLES:
		return compare_numbers(x->weight.samples, y->weight.samples);
	case THREADS_BY_TID:
		return compare_numbers((uint64_t)y->tid, (uint64_t)x->tid);
	case THREADS_BY_NAME:
		return strcmp(x->name, y->name);
	case THREADS_BY_STATE:
		return x->state - y->state;
	case THREADS_BY_FUNCTION:
		return strcmp(function_name(by->report, x->top_function),
			function_name(by->report, y->top_function));
	case THREADS_BY_PID:
		if (x->pid != y->pid)
			return x->pid < y->pid ? -1 : 1;
		return compare_numbers(x->cpu_ns, y->cpu_ns);
	default:
		return compare_numbers(x->cpu_ns, y->cpu_ns);
	}
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct comparison *by = context;
	const struct thread_row *x = a, *y = b;
	int order = compare_by(by, x, y);

	if (order == 0)
		return x->tid < y->tid ? -1 : x->tid > y->tid;
	return by->reversed ? -order : order;
}

static void sort_rows(struct thread_row *rows, size_t count, struct comparison *by)
{
	if (count > 1)
		qsort_r(rows, count, sizeof(*rows), compare_rows, by);
}

/* --- building
 * --------------------------------------------------------------------------- */

/* R is livelier than D, and so on: what one wants to know of a pool. */
static bool is_livelier(char a, char b)
{
	static const char states[] = "RDSTtZX";
	const char *x = strchr(states, a), *y = strchr(states, b);
	return a != '\0' && x && (!y || b == '\0' || x < y);
}

static struct thread_row make_row(
	const struct report *report, const struct report_thread *thread)
{
	const struct thread *named = profile_thread(report->profile, thread->thread);
	struct thread_row row = {
		.tid = named->tid,
		.state = thread->state,
		.top_function = thread->top_function,
		.weight = thread->weight,
		.cpu_ns = thread->weight.cpu_ns,
		.on_cpu_ns = thread->cpu_ns,
		.runq_ns = thread->runq_ns,
		.blocked_ns = thread->blocked_ns,
	};
	const struct profile_process *process = report_process(report, thread->thread);
	row.pid = process ? process->pid : 0;
	snprintf(row.name, sizeof(row.name), "%s", named->name);
	return row;
}

/* The first member is the busiest: reports are sorted so. */
static void add_member(struct thread_row *pool, const struct thread_row *member)
{
	pool->members++;
	pool->weight.samples += member->weight.samples;
	pool->weight.cpu_ns += member->weight.cpu_ns;
	pool->weight.wall_ns += member->weight.wall_ns;
	pool->cpu_ns += member->cpu_ns;
	pool->on_cpu_ns += member->on_cpu_ns;
	pool->runq_ns += member->runq_ns;
	pool->blocked_ns += member->blocked_ns;
	if (is_livelier(member->state, pool->state))
		pool->state = member->state;
}

static void gather_pools(struct thread_rows *rows, const struct report *report)
{
	char name[POOL_NAME_MAX];

	for (size_t i = 0; i < report->n_threads; i++) {
		struct thread_row row = make_row(report, &report->threads[i]);
		struct thread_row *pool = NULL;

		thread_pool_name(name, row.name);
		vec_each (&rows->rows, seen) {
			if (seen->pid == row.pid && strcmp(seen->name, name) == 0)
				pool = seen;
		}
		if (!pool) {
			struct thread_row first = row;
			memcpy(first.name, name, sizeof(name));
			first.members = 1;
			vec_push(&rows->rows, first);
		} else {
			add_member(pool, &row);
		}
	}
}

static bool is_open(const char *name, const char (*open)[POOL_NAME_MAX], size_t n_open)
{
	for (size_t i = 0; i < n_open; i++) {
		if (strcmp(open[i], name) == 0)
			return true;
	}
	return false;
}

static size_t add_members(struct thread_rows *rows, const struct report *report,
	const struct thread_row *pool, struct comparison *by)
{
	size_t first = rows->rows.len;
	char name[POOL_NAME_MAX];

	for (size_t i = 0; i < report->n_threads; i++) {
		struct thread_row row = make_row(report, &report->threads[i]);
		thread_pool_name(name, row.name);
		if (row.pid != pool->pid || strcmp(name, pool->name) != 0)
			continue;
		row.is_member = true;
		vec_push(&rows->rows, row);
	}
	sort_rows(rows->rows.data + first, rows->rows.len - first, by);
	return rows->rows.len - first;
}

void thread_rows_build(struct thread_rows *rows, const struct report *report,
	enum thread_order order, bool reversed, bool pools,
	const char (*open)[POOL_NAME_MAX], size_t n_open)
{
	struct comparison by = {report, order, reversed};
	struct thread_rows gathered = {0};

	rows->rows.len = 0;
	if (!pools) {
		for (size_t i = 0; i < report->n_threads; i++)
			vec_push(&rows->rows, make_row(report, &report->threads[i]));
		sort_rows(rows->rows.data, rows->rows.len, &by);
		return;
	}
	gather_pools(&gathered, report);
	sort_rows(gathered.rows.data, gathered.rows.len, &by);
	vec_each (&gathered.rows, pool) {
		char name[POOL_NAME_MAX];
		memcpy(name, pool->name, sizeof(name));
		if (pool->members == 1) { /* a pool of one is a thread */
			add_members(rows, report, pool, &by);
			rows->rows.data[rows->rows.len - 1].is_member = false;
			continue;
		}
		pool->is_open = is_open(name, open, n_open);
		vec_push(&rows->rows, *pool);
		if (pool->is_open)
			add_members(rows, report, pool, &by);
	}
	thread_rows_finish(&gathered);
}

void thread_rows_finish(struct thread_rows *rows)
{
	vec_free(&rows->rows);
}
