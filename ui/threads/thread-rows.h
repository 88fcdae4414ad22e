/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-rows: the threads of a report as rows, singly or in pools.
 *
 * A pool is all threads whose names differ only in numbers (worker-1 and worker-12 are
 * worker-*), and whose processes are counted as one (naming_rules). Pure except for the memory of the rows, which they own. UI thread.
 */
#ifndef CPROFTOP_UI_THREAD_ROWS_H
#define CPROFTOP_UI_THREAD_ROWS_H

#include "src/base/vec.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum thread_order {
	THREADS_BY_CPU,
	THREADS_BY_SAMPLES,
	THREADS_BY_TID,
	THREADS_BY_NAME,
	THREADS_BY_STATE,
	THREADS_BY_FUNCTION,
	THREADS_BY_PID, /* then by CPU */
	THREADS_BY_CHANGE,
	THREAD_ORDERS
};

enum {
	POOL_NAME_MAX = 64
};

struct thread_row {
	char name[POOL_NAME_MAX]; /* the thread's, or the pool's with a '*' */
	uint32_t members;	  /* of a pool; 0: one thread */
	uint32_t pool;		  /* private */
	bool is_open;		  /* a pool; its members are the next rows */
	bool is_member;		  /* a member of the pool above */
	pid_t pid; /* its process, if there are several; 0: there is one, or of a pool of many */
	/* Equal for threads of processes that are counted as one; 0: of one process. */
	uint64_t family;
	/* what its process says that it is, of the first thread of one of several processes,
	   or of a pool of such; NULL: not known, or not the same. Belongs to the profile. */
	const char *title;
	/* of the thread, or of the busiest thread of the pool */
	pid_t tid;
	char state; /* of a pool: of its most active member */
	uint32_t top_function;
	bool is_outside;      /* it is not among the threads that were chosen */
	struct weight weight; /* of a thread outside: what it would be */
	/* Where its time in the range went, by the kernel's accounts; all 0: unknown. */
	uint64_t on_cpu_ns, runq_ns, blocked_ns;
	uint64_t cpu_ns; /* sampled */
	/* of a report of two; that of a pool is not tested */
	struct change change;
};

struct thread_rows {
	VEC(struct thread_row) rows;
};

/* Copy NAME to OUT[POOL_NAME_MAX] with a '*' for every number that ends a word. */
void thread_pool_name(char *out, const char *name);

/* Is THREAD of REPORT a member of POOL? */
bool thread_is_member(const struct report *report, const struct report_thread *thread,
	const struct thread_row *pool);

/* Fill ROWS. With POOLS, threads of one
   pool are one row, followed by its members if its name is among the N_OPEN names of
   OPEN. */
void thread_rows_build(struct thread_rows *rows, const struct report *report,
	enum thread_order order, bool reversed, bool pools,
	const char (*open)[POOL_NAME_MAX], size_t n_open);

void thread_rows_finish(struct thread_rows *rows);

#endif
