/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that ends the waits of the others. It is not traced, and it sends signals
   only to threads that wait for one. */

#include "blocking.h"

#include "work.h"

#include <sys/prctl.h>
#include <unistd.h>

enum {
	ERRANDS_MAX = 32,
	EVERY_NS = 4 * 1000 * 1000,
};

struct errands {
	struct {
		void (*run)(long what);
		long what;
	} list[ERRANDS_MAX];
	size_t len;
};

static struct errands pokes, removals;
static pid_t callers;

static void add(struct errands *errands, void (*run)(long what), long what)
{
	if (errands->len == ERRANDS_MAX)
		abort();
	errands->list[errands->len].run = run;
	errands->list[errands->len++].what = what;
}

static void run_all(const struct errands *errands)
{
	for (size_t i = 0; i < errands->len; i++)
		errands->list[i].run(errands->list[i].what);
}

void poker_add(void (*poke)(long what), long what)
{
	add(&pokes, poke, what);
}

void poker_at_end(void (*remove)(long what), long what)
{
	add(&removals, remove, what);
}

void poker_finish(void)
{
	run_all(&removals);
}

void poker_signal(long what)
{
	kill(callers, (int)what);
}

void poker_start(void)
{
	callers = getpid();
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == callers) {
		run_all(&pokes);
		work_sleep_ns(EVERY_NS);
	}
	_exit(0);
}
