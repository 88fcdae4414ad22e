/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eintr-counter [SECONDS [children]]: counts EINTR returns that no signal explains, and
 * measures how late timed waits end.
 *
 * Truth: 0 EINTR undisturbed, as the program handles no signal but the SIGTERM that ends
 * it. One thread for each of the calls of blocking.h enters it again and again, with
 * short waits and some work in between, so that a stop meant for a running thread may hit
 * one that has just gone to sleep; four more play ping-pong between more work and
 * epoll_wait, where that happens often. The two of the 41 that wait for children have a
 * process of their own ("children"): while a thread is traced, a SIGCHLD that would be
 * ignored is queued, and may end a sigwaitinfo of another thread (docs/lab/RELIABILITY.md,
 * "Known limits").
 *
 *	eintr NAME COUNT of ROUNDS	"eintr NAME n/a" where the kernel lacks the call
 *	odd NAME COUNT			returns that were neither the end of the wait nor
 *					EINTR; a timed wait that ended early is one
 *	late NAME ROUNDS P50 P99 MAX	of a timed wait against its deadline, microseconds
 *
 * and "truth eintr TOTAL", "truth odd TOTAL", "truth calls KINDS", "truth late_p50_us",
 * "truth late_p99_us" and "truth late_max_us" over all.
 */
#include "blocking.h"

#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
	CALLERS_MAX = 64,
	SHORT_MS = 3,
	LONG_MS = 40, /* now and then, so that a restarted wait would be noticed */
	LONG_EVERY = 16,
	WORK_US = 50,
	PING_PONGS = 4,
	EARLY_US = 100,
	STEPS = 8, /* of a power of two, in a histogram */
	BUCKETS = 32 * STEPS,
};

struct lateness {
	atomic_uint buckets[BUCKETS];
	_Atomic uint64_t max_us;
};

struct caller {
	pthread_t thread;
	const struct blocking_call *call;
	char name[16];
	unsigned work_us;
	long what;
	atomic_uint eintr, odd, rounds;
	struct lateness late;
};

static struct caller callers[CALLERS_MAX];
static size_t callers_len;

static size_t bucket_of(uint64_t us)
{
	if (us < STEPS)
		return us;
	unsigned log2 = 63 - (unsigned)__builtin_clzll(us);
	size_t bucket = (log2 - 2) * STEPS + ((us >> (log2 - 3)) & (STEPS - 1));
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static uint64_t bucket_begin(size_t bucket)
{
	if (bucket < STEPS)
		return bucket;
	return (uint64_t)(STEPS + bucket % STEPS) << (bucket / STEPS - 1);
}

static void count_late(struct lateness *late, uint64_t us)
{
	late->buckets[bucket_of(us)]++;
	if (us > late->max_us)
		late->max_us = us;
}

static unsigned quantile(const unsigned buckets[BUCKETS], double share)
{
	double all = 0, below = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		all += buckets[i];
	for (size_t i = 0; i < BUCKETS; i++)
		if ((below += buckets[i]) >= share * all)
			return (unsigned)bucket_begin(i);
	return 0;
}

static VISIBLE void work_between_calls(uint64_t until)
{
	burn_until(until);
}

static bool has_timeout(const struct blocking_call *call)
{
	return call->end == BLOCKING_TIMED || call->end == BLOCKING_COARSE;
}

/* What a call that waited to its end returns. */
static bool is_ordinary(const struct caller *me, int result, int failure)
{
	if (!has_timeout(me->call))
		return result >= 0;
	return result >= 0 || failure == ETIMEDOUT || failure == EAGAIN ||
	       failure == ETIME;
}

static void enter(struct caller *me)
{
	bool is_long = me->rounds % LONG_EVERY == LONG_EVERY - 1;
	uint64_t timeout_ns = (is_long ? LONG_MS : SHORT_MS) * MS;
	uint64_t began_ns = monotonic_ns();
	errno = 0;
	int result = me->call->enter(me->what, timeout_ns);
	int failure = errno;
	uint64_t took_us = (monotonic_ns() - began_ns) / US;
	if (result < 0 && failure == EINTR)
		me->eintr++;
	else if (!is_ordinary(me, result, failure))
		me->odd++;
	else if (has_timeout(me->call)) {
		uint64_t wanted_us = timeout_ns / US;
		me->odd +=
			me->call->end == BLOCKING_TIMED && took_us + EARLY_US < wanted_us;
		count_late(&me->late, took_us < wanted_us ? 0 : took_us - wanted_us);
	}
	me->rounds++;
}

/* Never returns: threads that wait without end are ended with the process. */
static void *caller_run(void *argument)
{
	struct caller *me = argument;
	for (;;) {
		enter(me);
		work_between_calls(thread_cpu_ns() + me->work_us * US);
	}
	return NULL;
}

static void add(const struct blocking_call *call, const char *name, unsigned work_us)
{
	struct caller *caller = &callers[callers_len++];
	caller->call = call;
	caller->work_us = work_us;
	caller->what = call->prepare();
	snprintf(caller->name, sizeof(caller->name), "%s", name);
}

static void add_those(const struct blocking_call *calls, size_t count, bool children)
{
	for (size_t i = 0; i < count; i++)
		if ((calls[i].end == BLOCKING_CHILD) == children)
			add(&calls[i], calls[i].name, WORK_US);
}

static void add_all(bool children)
{
	add_those(blocking_timed, blocking_timed_count, children);
	add_those(blocking_files, blocking_files_count, children);
	add_those(blocking_queues, blocking_queues_count, children);
	for (unsigned i = 1; i <= PING_PONGS && !children; i++) {
		char name[16];
		snprintf(name, sizeof(name), "ping-pong-%u", i);
		add(&blocking_timed[0], name, i * 100);
	}
}

static void start_all(void)
{
	for (size_t i = 0; i < callers_len; i++) {
		struct caller *caller = &callers[i];
		if (caller->what < 0)
			continue;
		if (pthread_create(&caller->thread, NULL, caller_run, caller))
			exit(1);
		pthread_setname_np(caller->thread, caller->name);
	}
}

static void print_late(const char *name, const unsigned buckets[BUCKETS], uint64_t max_us)
{
	unsigned all = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		all += buckets[i];
	if (all > 0)
		printf("late %s %u %u %u %.0f\n", name, all, quantile(buckets, 0.5),
			quantile(buckets, 0.99), (double)max_us);
}

static void print_all(void)
{
	static unsigned all[BUCKETS], one[BUCKETS];
	unsigned eintr = 0, odd = 0, calls = 0;
	uint64_t max_us = 0;
	for (size_t i = 0; i < callers_len; i++) {
		struct caller *caller = &callers[i];
		if (caller->what < 0) {
			printf("eintr %s n/a\n", caller->name);
			continue;
		}
		printf("eintr %s %u of %u\n", caller->name, caller->eintr,
			caller->rounds);
		if (caller->odd)
			printf("odd %s %u\n", caller->name, caller->odd);
		for (size_t b = 0; b < BUCKETS; b++)
			all[b] += one[b] = caller->late.buckets[b];
		print_late(caller->name, one, caller->late.max_us);
		bool counts = caller->rounds > 0 || caller->call->end == BLOCKING_NEVER;
		calls += counts && strncmp(caller->name, "ping-pong", 9) != 0;
		eintr += caller->eintr;
		odd += caller->odd;
		if (caller->late.max_us > max_us)
			max_us = caller->late.max_us;
	}
	printf("truth eintr %u\ntruth odd %u\ntruth calls %u\n", eintr, odd, calls);
	printf("truth late_p50_us %u\ntruth late_p99_us %u\ntruth late_max_us %.0f\n",
		quantile(all, 0.5), quantile(all, 0.99), (double)max_us);
}

int main(int argc, char **argv)
{
	/* SIGTERM is for main, which is the only one allowed to be interrupted; the
	   others are waited for by some calls. */
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGUSR2);
	sigaddset(&blocked, SIGRTMIN);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);

	add_all(argc > 2 && strcmp(argv[2], "children") == 0);
	poker_start();
	start_all();

	uint64_t end = work_prepare(argc > 1 ? argv[1] : NULL);
	sigset_t term;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	work_ready();
	while (work_goes_on(end))
		work_sleep_ns(10 * MS);

	print_all();
	poker_finish();
	/* The callers still run: leave without giving anything back to them. */
	fflush(stdout);
	_exit(0);
}
