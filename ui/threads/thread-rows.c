/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/threads/thread-rows.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void thread_pool_name(char *out, const char *name)
{
	size_t length = 0;

	for (size_t i = 0; name[i] != '\0' && length < POOL_NAME_MAX - 1;) {
		size_t digits = strspn(name + i, "0123456789");
		unsigned char before = i > 0 ? (unsigned char)name[i - 1] : ' ';
		unsigned char after = (unsigned char)name[i + digits];
		/* x86_64 and GC1Worker are words; worker12, pool-3-x and #4 are
		   numbered. */
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

/* --- order -------------------------------------------------------------------------- */

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
	case THREADS_BY_CHANGE:
		return compare_numbers((uint64_t)fabs(change_of(&x->change)),
			(uint64_t)fabs(change_of(&y->change)));
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

/* --- building ----------------------------------------------------------------------- */

/* The state of a pool is that of its liveliest member: R before D, and so on. */
static bool is_livelier(char a, char b)
{
	static const char states[] = "RDSTtZX";
	const char *x = strchr(states, a), *y = strchr(states, b);
	return a != '\0' && x && (!y || b == '\0' || x < y);
}

/* Processes of one name are one, or by what the report's rules say. A text of the profile is
   known by its address. */
static uint64_t family_of(
	const struct report *report, const struct profile_process *process)
{
	const struct naming_rules *rules = &report->request.naming;

	if (!process || rules->processes == PROCESSES_AS_ONE)
		return 0;
	if (rules->processes == PROCESSES_BY_PID)
		return (uint64_t)process->pid;
	if (rules->processes == PROCESSES_BY_COMMAND && process->command[0] != '\0')
		return (uint64_t)(uintptr_t)process->command;
	return (uint64_t)(uintptr_t)process->name;
}

static struct thread_row make_row(
	const struct report *report, const struct report_thread *thread)
{
	const struct thread *named = profile_thread(report->profile, thread->thread);
	struct thread_row row = {
		.tid = named->tid,
		.state = thread->state,
		.top_function = thread->top_function,
		.is_outside = thread->is_outside,
		.weight = thread->is_outside ? thread->outside : thread->weight,
		.on_cpu_ns = thread->cpu_ns,
		.runq_ns = thread->runq_ns,
		.blocked_ns = thread->blocked_ns,
	};
	row.cpu_ns = row.weight.cpu_ns;
	if (report->difference)
		row.change = report->difference->threads[thread - report->threads];
	const struct profile_process *process = report_process(report, thread->thread);
	row.pid = process ? process->pid : 0;
	row.family = family_of(report, process);
	if (process && process->pid == named->tid && process->command[0] != '\0')
		row.title = process->command;
	snprintf(row.name, sizeof(row.name), "%s", named->name);
	return row;
}

/* The first member is the busiest one, because reports are sorted by CPU time. */
static void add_member(struct thread_row *pool, const struct thread_row *member)
{
	pool->members++;
	pool->is_outside = pool->is_outside && member->is_outside;
	pool->pid = pool->pid == member->pid ? pool->pid : 0;
	pool->title = pool->title == member->title ? pool->title : NULL;
	pool->weight.samples += member->weight.samples;
	pool->weight.cpu_ns += member->weight.cpu_ns;
	pool->weight.wall_ns += member->weight.wall_ns;
	pool->cpu_ns += member->cpu_ns;
	pool->on_cpu_ns += member->on_cpu_ns;
	pool->runq_ns += member->runq_ns;
	pool->blocked_ns += member->blocked_ns;
	pool->change.before += member->change.before;
	pool->change.after += member->change.after;
	pool->change.real = false;
	if (is_livelier(member->state, pool->state))
		pool->state = member->state;
}

/* The threads of each pool as a list, so that the time is linear in the number of
   threads. */
struct gathered {
	VEC(struct thread_row) pools;
	VEC(uint32_t) first; /* of each pool: a thread of the report */
	uint32_t *next;	     /* of each thread: another one of its pool, or NO_THREAD */
};

enum {
	NO_THREAD = UINT32_MAX
};

static void gather_pools(struct gathered *gathered, const struct report *report)
{
	struct strpool names = {0};
	struct idmap places = {0}; /* (name, family) -> pool */
	char name[POOL_NAME_MAX];

	gathered->next = mem_alloc(report->n_threads * sizeof(*gathered->next));
	for (size_t i = 0; i < report->n_threads; i++) {
		struct thread_row row = make_row(report, &report->threads[i]);
		thread_pool_name(name, row.name);
		uint64_t key = (uint64_t)(uintptr_t)strpool_intern(&names, name);
		uint32_t *place = idmap_get(&places, key, row.family);
		if (place) {
			add_member(&gathered->pools.data[*place], &row);
			gathered->next[i] = gathered->first.data[*place];
			gathered->first.data[*place] = (uint32_t)i;
			continue;
		}
		idmap_put(&places, key, row.family, (uint32_t)gathered->pools.len);
		memcpy(row.name, name, sizeof(name));
		row.members = 1;
		row.pool = (uint32_t)gathered->pools.len;
		gathered->next[i] = NO_THREAD;
		vec_push(&gathered->pools, row);
		vec_push(&gathered->first, (uint32_t)i);
	}
	idmap_finish(&places);
	strpool_finish(&names);
}

static void gathered_finish(struct gathered *gathered)
{
	vec_free(&gathered->pools);
	vec_free(&gathered->first);
	free(gathered->next);
}

static bool is_open(const char *name, const char (*open)[POOL_NAME_MAX], size_t n_open)
{
	for (size_t i = 0; i < n_open; i++) {
		if (strcmp(open[i], name) == 0)
			return true;
	}
	return false;
}

static void add_members(struct thread_rows *rows, const struct report *report,
	const struct gathered *gathered, const struct thread_row *pool,
	struct comparison *by)
{
	size_t first = rows->rows.len;

	for (uint32_t i = gathered->first.data[pool->pool]; i != NO_THREAD;
		i = gathered->next[i]) {
		struct thread_row row = make_row(report, &report->threads[i]);
		/* a pool with one member is shown as a thread */
		row.is_member = pool->members > 1;
		vec_push(&rows->rows, row);
	}
	sort_rows(rows->rows.data + first, rows->rows.len - first, by);
}

void thread_rows_build(struct thread_rows *rows, const struct report *report,
	enum thread_order order, bool reversed, bool pools,
	const char (*open)[POOL_NAME_MAX], size_t n_open)
{
	struct comparison by = {report, order, reversed};
	struct gathered gathered = {0};

	rows->rows.len = 0;
	if (!pools) {
		for (size_t i = 0; i < report->n_threads; i++)
			vec_push(&rows->rows, make_row(report, &report->threads[i]));
		sort_rows(rows->rows.data, rows->rows.len, &by);
		return;
	}
	gather_pools(&gathered, report);
	sort_rows(gathered.pools.data, gathered.pools.len, &by);
	vec_each (&gathered.pools, pool) {
		if (pool->members > 1) {
			pool->is_open = is_open(pool->name, open, n_open);
			vec_push(&rows->rows, *pool);
		}
		if (pool->members == 1 || pool->is_open)
			add_members(rows, report, &gathered, pool, &by);
	}
	gathered_finish(&gathered);
}

bool thread_is_member(const struct report *report, const struct report_thread *thread,
	const struct thread_row *pool)
{
	char name[POOL_NAME_MAX];

	thread_pool_name(name, profile_thread(report->profile, thread->thread)->name);
	return family_of(report, report_process(report, thread->thread)) ==
		       pool->family &&
	       strcmp(name, pool->name) == 0;
}

void thread_rows_finish(struct thread_rows *rows)
{
	vec_free(&rows->rows);
}
