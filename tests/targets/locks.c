/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds what, and who waits for it. For each kind of mutex three threads (plain-1,
 * plain-2, ...) take turns to hold one of that kind for a while. Six more (decoy-cond,
 * ...) wait for what is no mutex, one of them for a lock that main has for writing, one of them for a word in memory that looks like one,
 * with the TID of a living thread in it.
 *
 * At its end it prints, for each time that a mutex was held or waited for, "hold NAME
 * ADDRESS TID FROM TO" and "wait NAME ADDRESS TID FROM TO", in ns since 1970. FROM of a
 * hold is when the lock was there already, TO when it was not given back yet.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

enum {
	KINDS = 6,
	EACH = 3,
	TURNS = 2000, /* of one thread, remembered */
};

static const char *const kind_names[KINDS] = {
	"plain", "recursive", "checking", "adaptive", "robust", "inherit"};

/* 0: not yet */
struct turn {
	_Atomic uint64_t asked_ns, got_ns, done_ns;
};

struct worker {
	pthread_t thread;
	int kind, number;
	pid_t tid;
	size_t n_turns;
	struct turn turns[TURNS];
};

static pthread_mutex_t mutexes[KINDS];
static struct worker workers[KINDS][EACH];
static uint64_t end_ns;

static void make_mutex(int kind)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	static const int types[KINDS] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
		PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_NORMAL,
		PTHREAD_MUTEX_NORMAL};
	pthread_mutexattr_settype(&how, types[kind]);
	if (strcmp(kind_names[kind], "robust") == 0)
		pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
	if (strcmp(kind_names[kind], "inherit") == 0)
		pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(&mutexes[kind], &how) != 0)
		exit(1);
}

static VISIBLE void take(const struct worker *me)
{
	/* Some wait with an end, which is another call of the kernel. */
	struct timespec far = {.tv_sec = INT32_MAX};
	int failed = me->number == EACH - 1
			     ? pthread_mutex_timedlock(&mutexes[me->kind], &far)
			     : pthread_mutex_lock(&mutexes[me->kind]);
	if (failed)
		exit(1);
}

static VISIBLE void hold(unsigned seed)
{
	work_sleep_ns((150 + seed % 250) * MS);
}

static void *worker_run(void *argument)
{
	struct worker *me = argument;
	unsigned seed = (unsigned)(me->kind * EACH + me->number);
	char name[16];
	snprintf(name, sizeof(name), "%s-%d", kind_names[me->kind], me->number + 1);
	prctl(PR_SET_NAME, name);
	me->tid = (pid_t)syscall(SYS_gettid);
	while (work_goes_on(end_ns) && me->n_turns < TURNS) {
		struct turn *turn = &me->turns[me->n_turns];
		turn->asked_ns = clock_ns(CLOCK_REALTIME);
		take(me);
		turn->got_ns = clock_ns(CLOCK_REALTIME);
		seed = seed * 1103515245u + 12345u;
		hold(seed >> 16);
		turn->done_ns = clock_ns(CLOCK_REALTIME);
		me->n_turns++;
		pthread_mutex_unlock(&mutexes[me->kind]);
		work_sleep_ns(2 * MS);
	}
	return NULL;
}

/* --- what is no mutex ----------------------------------------------------------------- */

static pthread_mutex_t decoy_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static sem_t empty;
static pthread_mutex_t copy; /* its bytes are those of a mutex that is waited for */

static void wait_cond(void)
{
	pthread_mutex_lock(&decoy_mutex);
	for (;;)
		pthread_cond_wait(&never, &decoy_mutex);
}

static void wait_sem(void)
{
	for (;;)
		sem_wait(&empty);
}

static void wait_write(void)
{
	pthread_rwlock_wrlock(&written);
}

static void wait_join(void)
{
	pthread_join(workers[0][0].thread, NULL);
}

static void wait_file(void)
{
	flockfile(stderr); /* main has it */
}

static void wait_raw(void)
{
	copy.__data.__lock = 2;
	copy.__data.__owner = workers[0][0].tid;
	copy.__data.__nusers = 1;
	for (;;)
		syscall(SYS_futex, &copy, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void *decoy_run(void *function)
{
	((void (*)(void))function)();
	for (;;)
		pause();
	return NULL;
}

static void start_decoys(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} decoys[] = {{"decoy-cond", wait_cond}, {"decoy-sem", wait_sem},
		{"decoy-write", wait_write}, {"decoy-join", wait_join},
		{"decoy-file", wait_file}, {"decoy-raw", wait_raw}};
	sem_init(&empty, 0, 0);
	pthread_rwlock_wrlock(&written);
	flockfile(stderr);
	for (size_t i = 0; i < sizeof(decoys) / sizeof(*decoys); i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, decoy_run, (void *)decoys[i].run))
			exit(1);
		pthread_setname_np(thread, decoys[i].name);
	}
}

/* --- all together --------------------------------------------------------------------- */

static void print_turns(const struct worker *worker)
{
	const char *name = kind_names[worker->kind];
	uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	for (size_t i = 0; i < TURNS && worker->turns[i].asked_ns; i++) {
		const struct turn *turn = &worker->turns[i];
		uint64_t got_ns = turn->got_ns ? turn->got_ns : now_ns;
		uint64_t done_ns = turn->done_ns ? turn->done_ns : now_ns;
		printf("wait %s-%d %p %d %.0f %.0f\n", name, worker->number + 1,
			(void *)&mutexes[worker->kind], worker->tid,
			(double)turn->asked_ns, (double)got_ns);
		if (got_ns < now_ns)
			printf("hold %s-%d %p %d %.0f %.0f\n", name, worker->number + 1,
				(void *)&mutexes[worker->kind], worker->tid,
				(double)got_ns, (double)done_ns);
	}
}

int main(int argc, char **argv)
{
	end_ns = work_prepare(argc > 1 ? argv[1] : NULL);
	for (int kind = 0; kind < KINDS; kind++) {
		make_mutex(kind);
		for (int i = 0; i < EACH; i++) {
			struct worker *worker = &workers[kind][i];
			worker->kind = kind;
			worker->number = i;
			if (pthread_create(&worker->thread, NULL, worker_run, worker))
				return 1;
		}
	}
	work_sleep_ns(50 * MS); /* so that all have their TIDs */
	start_decoys();
	work_ready();
	while (work_goes_on(end_ns))
		work_sleep_ns(20 * MS);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < EACH; i++)
			print_turns(&workers[kind][i]);
	fflush(stdout);
	_exit(0); /* the decoys wait for ever */
}
