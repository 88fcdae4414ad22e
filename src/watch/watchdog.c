/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/watch/watchdog.h"

#include "src/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 100,
	SILENT_TOLD_MS = 1500, /* when told to end: no answer for so long is a hang */
	SILENT_MS = 10 * 1000, /* and otherwise */
	SILENT_FOR_EVER_MS = 60 * 1000,
	TWICE_MS = 5 * 1000, /* for main, after the second signal */
	LEAVE_MS = 6 * 1000, /* to end by itself, when all is written */
	FINISH_MS = 2000,    /* for a fork that is not needed any more */
	RESCUE_S = 8,	     /* for the fork */
	SIGNALS_AT_ONCE = 3,
};

enum stage {
	WATCHING,
	RESCUING, /* a fork is being made, or writes */
	RESCUED,
	LOST,	 /* it could not */
	WRITING, /* main writes */
	WRITTEN, /* and will end */
	LEFT,	 /* what is left takes the time that it takes */
};

struct watchdog {
	struct watchdog_duty duty;
	atomic_ulong pulse;
	atomic_uint ends; /* signals that asked for the end */
	atomic_int stage;
	atomic_uint ends_before; /* it was written: those had asked for that */
	_Atomic pid_t fork;	 /* 0: there is none */
	sem_t begun, wanted;	 /* a rescue */
	pthread_mutex_t
		mutex; /* guards the fork against being killed after it was reaped */
};

/* What the thread that looks has seen. */
struct looks {
	unsigned long pulse;
	unsigned silent_ms, told_ms, told_twice_ms, written_ms;
	bool silence_said, result_said;
};

static bool change(struct watchdog *watchdog, int from, int to)
{
	return atomic_compare_exchange_strong(&watchdog->stage, &from, to);
}

/* --- the thread that forks ---------------------------------------------------------------- */

static _Noreturn void write_and_exit(const struct watchdog_duty *duty)
{
	sigset_t alarm_only;
	prctl(PR_SET_NAME, "rescue");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(RESCUE_S); /* it may meet what the analyst hangs in */
	_exit(duty->rescue(duty->context) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Wait for CHILD; it is not reaped before its number is forgotten. */
static bool succeeds(struct watchdog *watchdog, pid_t child)
{
	siginfo_t info;
	int status = 0;
	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0 &&
		errno == EINTR)
		;
	pthread_mutex_lock(&watchdog->mutex);
	waitpid(child, &status, 0);
	watchdog->fork = 0;
	pthread_mutex_unlock(&watchdog->mutex);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/* A thread of its own, because fork(2) waits for the locks of malloc(3), and the analyst may
   hang with one of them. */
static void *rescue_thread(void *argument)
{
	struct watchdog *watchdog = argument;
	prctl(PR_SET_NAME, "rescue");
	sem_post(&watchdog->begun);
	for (;;) {
		while (sem_wait(&watchdog->wanted) != 0)
			;
		pthread_mutex_lock(&watchdog->mutex);
		pid_t child = watchdog->stage == RESCUING ? fork() : -1;
		if (child == 0)
			write_and_exit(&watchdog->duty);
		watchdog->fork = child > 0 ? child : 0;
		pthread_mutex_unlock(&watchdog->mutex);
		bool done = child > 0 && succeeds(watchdog, child);
		change(watchdog, RESCUING, done ? RESCUED : LOST);
	}
	return NULL;
}

/* --- the thread that looks ---------------------------------------------------------------- */

static void say(const char *before, const char *path, const char *after)
{
	char text[512];
	int length = snprintf(text, sizeof(text), "cproftop: %s%s%s\n", before,
		path ? path : "", after);
	size_t bytes = length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1;
	ssize_t ignored = write(STDERR_FILENO, text, bytes);
	(void)ignored;
}

static void tell_silence(struct looks *looks, unsigned limit_ms)
{
	if (looks->silent_ms == 0)
		looks->silence_said = false;
	if (looks->silent_ms < limit_ms || looks->silence_said)
		return;
	looks->silence_said = true;
	say("what names the samples does not answer: it hangs, or has much to read", NULL,
		"");
}

static void begin_rescue(struct watchdog *watchdog, struct looks *looks)
{
	if (!change(watchdog, WATCHING, watchdog->duty.rescue ? RESCUING : LOST))
		return;
	looks->result_said = !watchdog->duty.rescue;
	if (watchdog->duty.rescue)
		sem_post(&watchdog->wanted);
}

static void tell_result(const struct watchdog *watchdog, struct looks *looks)
{
	const struct watchdog_duty *duty = &watchdog->duty;
	if (looks->result_said)
		return;
	looks->result_said = true;
	if (watchdog->stage == RESCUED)
		say("wrote ", duty->path ? duty->path : "a file",
			", without the newest samples and without some lines");
	else
		say("that could not be written, and is lost if there is no answer", NULL,
			"");
}

static void count(struct watchdog *watchdog, struct looks *looks)
{
	unsigned long pulse = watchdog->pulse;
	bool is_silent = pulse == looks->pulse && (pulse != 0 || watchdog->ends > 0);
	looks->silent_ms = is_silent ? looks->silent_ms + LOOK_EVERY_MS : 0;
	looks->pulse = pulse;
	looks->told_ms += watchdog->ends > 0 ? LOOK_EVERY_MS : 0;
	looks->told_twice_ms += watchdog->ends > 1 ? LOOK_EVERY_MS : 0;
	looks->written_ms =
		watchdog->stage == WRITTEN ? looks->written_ms + LOOK_EVERY_MS : 0;
}

/* Told to end, and nobody is left who does. */
static bool is_enough(const struct watchdog *watchdog, const struct looks *looks)
{
	int stage = watchdog->stage;
	bool hangs = looks->silent_ms >= SILENT_TOLD_MS;
	if (watchdog->ends >= SIGNALS_AT_ONCE)
		return true;
	if (stage == WRITTEN || stage == LEFT)
		return false;
	/* Writing takes the time that it takes, unless somebody asks again meanwhile. */
	if (stage == WRITING)
		return watchdog->ends > 1 && watchdog->ends > watchdog->ends_before;
	if (watchdog->ends == 2)
		return hangs || looks->told_twice_ms >= TWICE_MS;
	return watchdog->ends == 1 && !watchdog->duty.rescue &&
	       looks->silent_ms >= SILENT_MS;
}

/* A rescue has ended, or there was none to begin. */
static void go_on_or_end(struct watchdog *watchdog, struct looks *looks, bool told)
{
	bool is_final = watchdog->stage == RESCUED && watchdog->duty.is_final;
	tell_result(watchdog, looks);
	if (is_final || looks->silent_ms >= (told ? SILENT_MS : SILENT_FOR_EVER_MS)) {
		say("there is no answer: ended", NULL, "");
		_exit(EXIT_FAILURE);
	}
	if (looks->silent_ms == 0 &&
		(change(watchdog, RESCUED, WATCHING) || change(watchdog, LOST, WATCHING)))
		say("it answers again", NULL, "");
}

static void see_to_rescue(struct watchdog *watchdog, struct looks *looks)
{
	bool told = looks->told_ms >= SILENT_TOLD_MS;
	unsigned limit_ms = told ? SILENT_TOLD_MS : SILENT_MS;
	int stage = watchdog->stage;
	if (stage == RESCUED || stage == LOST)
		go_on_or_end(watchdog, looks, told);
	if (stage != WATCHING)
		return;
	tell_silence(looks, limit_ms);
	if (looks->silent_ms >= (told				  ? SILENT_TOLD_MS
					: watchdog->duty.is_final ? SILENT_FOR_EVER_MS
								  : SILENT_MS))
		begin_rescue(watchdog, looks);
}

/* The file may have got its name just now, so what is said holds either way. */
static void tell_end(const struct watchdog *watchdog)
{
	const struct watchdog_duty *duty = &watchdog->duty;
	if (watchdog->stage != WRITING)
		say("told to end, and something does not: ended", NULL, "");
	else if (duty->is_final || !duty->path)
		say("told to end again: ended while ", duty->path ? duty->path : "a file",
			" was written");
	else
		say("told to end again: ended while ", duty->path,
			" was written; it is there whole, or not at all, or as it was");
}

static void look(struct watchdog *watchdog, struct looks *looks)
{
	count(watchdog, looks);
	if (is_enough(watchdog, looks)) {
		tell_end(watchdog);
		_exit(EXIT_FAILURE);
	}
	if (looks->written_ms >= LEAVE_MS) {
		say("all is done, but something does not end: ended", NULL, "");
		_exit(EXIT_FAILURE);
	}
	see_to_rescue(watchdog, looks);
}

static void *look_thread(void *argument)
{
	struct watchdog *watchdog = argument;
	struct looks looks = {0};
	prctl(PR_SET_NAME, "watchdog");
	sem_post(&watchdog->begun);
	for (;;) {
		poll(NULL, 0, LOOK_EVERY_MS);
		look(watchdog, &looks);
	}
	return NULL;
}

/* --- what others call --------------------------------------------------------------------- */

struct watchdog *watchdog_create(const struct watchdog_duty *duty, struct error *err)
{
	struct watchdog *watchdog = mem_zalloc(sizeof(*watchdog));
	pthread_t looks, rescues;
	watchdog->duty = *duty;
	sem_init(&watchdog->begun, 0, 0);
	sem_init(&watchdog->wanted, 0, 0);
	pthread_mutex_init(&watchdog->mutex, NULL);
	int errnum = pthread_create(&rescues, NULL, rescue_thread, watchdog);
	if (!errnum)
		errnum = pthread_create(&looks, NULL, look_thread, watchdog);
	if (errnum) {
		error_errno(err, errnum, "cannot start the watchdog's threads");
		return NULL; /* one of them may run: it is not freed */
	}
	pthread_detach(rescues);
	pthread_detach(looks);
	/* Until both run: see signals_open. */
	for (int i = 0; i < 2; i++)
		while (sem_wait(&watchdog->begun) != 0)
			;
	return watchdog;
}

atomic_ulong *watchdog_pulse(struct watchdog *watchdog)
{
	return &watchdog->pulse;
}

void watchdog_told_to_end(struct watchdog *watchdog)
{
	if (watchdog)
		watchdog->ends++;
}

bool watchdog_begin_writing(struct watchdog *watchdog)
{
	if (!watchdog)
		return true;
	while (watchdog->duty.is_final && watchdog->stage == RESCUING)
		poll(NULL, 0, LOOK_EVERY_MS);
	if (watchdog->duty.is_final && watchdog->stage == RESCUED)
		return false;
	watchdog->ends_before = watchdog->ends;
	watchdog->stage = WRITING;
	/* One that writes at this moment would leave a temporary file. */
	for (int left_ms = FINISH_MS; watchdog->fork && left_ms > 0;
		left_ms -= LOOK_EVERY_MS)
		poll(NULL, 0, LOOK_EVERY_MS);
	pthread_mutex_lock(&watchdog->mutex);
	if (watchdog->fork)
		kill(watchdog->fork, SIGKILL);
	pthread_mutex_unlock(&watchdog->mutex);
	return true;
}

void watchdog_end_writing(struct watchdog *watchdog, bool will_wait)
{
	if (!watchdog)
		return;
	watchdog->stage = will_wait ? WATCHING : WRITTEN;
}

void watchdog_leave(struct watchdog *watchdog)
{
	if (watchdog)
		watchdog->stage = LEFT;
}
