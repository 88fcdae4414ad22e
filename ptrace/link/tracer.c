/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/tracer.h"

#include "ptrace/explain.h"
#include "ptrace/link/deaths.h"
#include "ptrace/link/subjects.h"
#include "ptrace/link/tracer-process.h"
#include "ptrace/perf/perf-open.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/base/shared.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 1000, /* in case no signal comes */
	ENDING_LOOK_EVERY_MS = 250,
	ANSWER_WITHIN_MS = 10 * 1000,
	END_WITHIN_MS = 5 * 1000,
};

struct tracer {
	struct tracer_options options;
	struct tracer_control *control; /* shared */
	void (*wake)(void *context);
	tracer_born *born; /* NULL: no spare was given */
	void *context;
	pthread_t thread;
	int child_fd; /* readable when SIGCHLD has come; -1: none */

	pthread_mutex_t mutex; /* guards what follows, and sending */
	pthread_cond_t changed;
	struct tracer_process process;
	struct subjects subjects;
	bool is_held, has_ended;
	_Atomic bool is_stopping;
	uint64_t end_by_ns; /* deadline, while it is stopping */
	bool held_answered;
	/* What each tracer guards; the terminal is that of the control. */
	bool has_terminal;
	int pipe_fd;
	struct deaths deaths;
};

static void say(struct tracer *tracer, enum tracer_message_kind kind)
{
	struct tracer_message message = {.kind = kind};
	pthread_mutex_lock(&tracer->mutex);
	if (tracer->process.socket >= 0)
		tracer_send(tracer->process.socket, &message, NULL, 0);
	pthread_mutex_unlock(&tracer->mutex);
}

/* The caller holds the mutex. While main is stopped, the terminal belongs to the shell. */
static void send_guarded(struct tracer *tracer)
{
	const struct guarded_terminal *terminal = &tracer->control->terminal;
	int fds[] = {terminal->in_fd, terminal->out_fd};
	struct tracer_message message = {.kind = TRACER_TERMINAL},
			      pipe = {.kind = TRACER_PIPE};
	if (tracer->process.socket < 0)
		return;
	tracer_send(tracer->process.socket, &message, fds,
		tracer->has_terminal && !tracer->is_held ? 2 : 0);
	tracer_send(
		tracer->process.socket, &pipe, &tracer->pipe_fd, tracer->pipe_fd >= 0);
}

/* --- a tracer ends, and another one begins ----------------------------------------- */

static bool too_often(struct tracer *tracer)
{
	return deaths_too_many(&tracer->deaths, clock_monotonic_ns(),
		subjects_samples(&tracer->subjects));
}

/* No other tracer is forked: sampling has ended. */
static void give_up(struct tracer *tracer)
{
	tracer->has_ended = true;
	if (!tracer->is_stopping)
		subjects_give_up(&tracer->subjects);
	pthread_cond_broadcast(&tracer->changed);
}

/* Fork another tracer. The caller holds the mutex. */
static void replace(struct tracer *tracer)
{
	struct tracer_process *process = &tracer->process;
	if (!tracer->is_stopping) {
		tracer_process_end(process, true);
		subjects_count_death(&tracer->subjects);
	}
	if (!tracer->is_stopping && !too_often(tracer))
		tracer_process_begin(process, tracer->control, &tracer->options);
	if (process->socket < 0 || tracer->is_stopping) {
		give_up(tracer);
		return;
	}
	send_guarded(tracer);
	subjects_send(&tracer->subjects, process->socket);
	struct tracer_message hold = {.kind = TRACER_HOLD};
	if (tracer->is_held)
		tracer_send(process->socket, &hold, NULL, 0);
}

/* --- the thread -------------------------------------------------------------------- */

static void take(struct tracer *tracer, const struct tracer_message *message)
{
	switch (message->kind) {
	case TRACER_ADDED:
		subjects_take_answer(&tracer->subjects, message);
		break;
	case TRACER_HELD:
		tracer->held_answered = true;
		break;
	case TRACER_WAKE:
		tracer->wake(tracer->context);
		break;
	case TRACER_BORN:
		if (subjects_take_birth(&tracer->subjects, message))
			tracer->born(tracer->context, message->ring, message->pid,
				message->start_ticks);
		break;
	default:
		break;
	}
	pthread_cond_broadcast(&tracer->changed);
}

static void receive_all(struct tracer *tracer)
{
	struct tracer_message message;
	int fds[TRACER_FDS];
	/* Check this first: everything that it sent before its death can then be
	   received. */
	bool end = false, dead = tracer_process_has_ended(&tracer->process);
	pthread_mutex_lock(&tracer->mutex);
	while (tracer_receive(tracer->process.socket, &message, fds, &end))
		take(tracer, &message);
	if (end || dead)
		replace(tracer);
	pthread_mutex_unlock(&tracer->mutex);
}

static void put_ends(struct tracer *tracer)
{
	pthread_mutex_lock(&tracer->mutex);
	if (subjects_put_ends(&tracer->subjects))
		tracer->wake(tracer->context);
	pthread_mutex_unlock(&tracer->mutex);
}

static void clear_signal(int fd)
{
	struct signalfd_siginfo info;
	ssize_t ignored = read(fd, &info, sizeof(info));
	(void)ignored;
}

static void *tracer_thread(void *argument)
{
	struct tracer *tracer = argument;
	prctl(PR_SET_NAME, "link");
	while (!tracer->has_ended) {
		struct pollfd wait[] = {
			{.fd = tracer->process.socket, .events = POLLIN},
			{.fd = tracer->child_fd, .events = POLLIN},
		};
		int look_ms = tracer->is_stopping || tracer->child_fd < 0
				      ? ENDING_LOOK_EVERY_MS
				      : LOOK_EVERY_MS;
		if (poll(wait, 2, look_ms) > 0 && wait[1].revents)
			clear_signal(tracer->child_fd);
		/* Without the mutex: who has it may wait until there is room in the socket. */
		tracer_process_tend(&tracer->process);
		receive_all(tracer);
		put_ends(tracer);
		if (tracer->is_stopping && clock_monotonic_ns() > tracer->end_by_ns)
			break; /* it does not end: something holds it */
	}
	/* The analyst reads the rings, and so makes room. */
	subjects_end(&tracer->subjects, ANSWER_WITHIN_MS * NS_PER_MS, tracer->wake,
		tracer->context);
	return NULL;
}

/* --- what others call -------------------------------------------------------------- */

static bool share_all(struct tracer *tracer, unsigned frequency_hz, bool wall)
{
	tracer->control = shared_map(sizeof(*tracer->control));
	tracer->options.calls = shared_map(sizeof(*tracer->options.calls));
	if (!tracer->control || !tracer->options.calls)
		return false;
	tracer->control->frequency_hz = frequency_hz;
	tracer->control->wall = wall;
	return true;
}

static void release(struct tracer *tracer)
{
	tracer_process_end(&tracer->process, false);
	if (tracer->child_fd >= 0)
		close(tracer->child_fd);
	subjects_finish(&tracer->subjects);
	shared_unmap(tracer->options.calls, sizeof(*tracer->options.calls));
	shared_unmap(tracer->control, sizeof(*tracer->control));
	pthread_cond_destroy(&tracer->changed);
	pthread_mutex_destroy(&tracer->mutex);
	free(tracer);
}

struct tracer *tracer_create(const struct tracer_options *options, unsigned frequency_hz,
	bool wall, void (*wake)(void *context), void *context, struct error *err)
{
	struct tracer *tracer = mem_zalloc(sizeof(*tracer));
	tracer->options = *options;
	tracer->wake = wake;
	tracer->context = context;
	tracer->process.socket = tracer->pipe_fd = -1;
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	tracer->child_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	pthread_mutex_init(&tracer->mutex, NULL);
	clock_condition_init(&tracer->changed);
	own_cpu_share();
	int errnum = 0;
	if (!share_all(tracer, frequency_hz, wall))
		error_errno(err, errnum = errno, "cannot share memory with the tracer");
	else if (!tracer_process_begin(
			 &tracer->process, tracer->control, &tracer->options))
		error_errno(err, errnum = errno, "cannot start the tracer's process");
	else if ((errnum = pthread_create(
			  &tracer->thread, NULL, tracer_thread, tracer)) != 0)
		error_errno(err, errnum, "cannot start a thread for the tracer");
	if (!errnum)
		return tracer;
	release(tracer);
	return NULL;
}

bool tracer_add(struct tracer *tracer, const struct target *target, struct ring *ring,
	struct error *err)
{
	struct timespec deadline = clock_deadline(ANSWER_WITHIN_MS * NS_PER_MS);
	int errnum = ETIMEDOUT;
	bool has_ended;
	pthread_mutex_lock(&tracer->mutex);
	subjects_add(&tracer->subjects, target, ring);
	if (tracer->process.socket >= 0)
		subject_send(
			subjects_find(&tracer->subjects, ring), tracer->process.socket);
	while (!tracer->has_ended && !subjects_find(&tracer->subjects, ring)->is_answered)
		if (pthread_cond_timedwait(&tracer->changed, &tracer->mutex, &deadline) ==
			ETIMEDOUT)
			break;
	const struct subject *subject = subjects_find(&tracer->subjects, ring);
	if (subject->is_answered)
		errnum = subject->errnum;
	if (errnum)
		subjects_remove(&tracer->subjects, ring);
	has_ended = tracer->has_ended;
	pthread_mutex_unlock(&tracer->mutex);
	if (errnum == ETIMEDOUT && has_ended)
		return error_set(
			err, "the process that samples dies as soon as it is started");
	if (errnum == ETIMEDOUT)
		return error_set(err, "the tracer does not answer");
	if (errnum && errnum != ESRCH && tracer->options.engine == ENGINE_PERF)
		return perf_open_explain(&tracer->options.event, errnum, err);
	return !errnum || explain_refusal(target->pid, errnum, err);
}

void tracer_give_spare(struct tracer *tracer, struct ring *ring, tracer_born *born)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->born = born;
	subjects_add_spare(&tracer->subjects, ring, tracer->process.socket);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_tell_unseen(struct tracer *tracer, uint64_t unseen_ns)
{
	tracer->control->unseen_ns = unseen_ns;
}

void tracer_forget(struct tracer *tracer, const struct ring *ring)
{
	pthread_mutex_lock(&tracer->mutex);
	subjects_remove(&tracer->subjects, ring);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_set_frequency(struct tracer *tracer, unsigned hz)
{
	tracer->control->frequency_hz = hz > TRACER_MAX_HZ ? TRACER_MAX_HZ : hz;
	say(tracer, TRACER_LOOK);
}

void tracer_set_wall(struct tracer *tracer, bool wall)
{
	tracer->control->wall = wall;
	say(tracer, TRACER_LOOK);
}

void tracer_hold(struct tracer *tracer, bool held)
{
	struct timespec deadline = clock_deadline(NS_PER_SEC);
	if (tracer->is_held == held)
		return;
	tracer->held_answered = false;
	say(tracer, held ? TRACER_HOLD : TRACER_GO);
	pthread_mutex_lock(&tracer->mutex);
	tracer->is_held = held;
	send_guarded(tracer);
	while (held && !tracer->held_answered && !tracer->has_ended)
		if (pthread_cond_timedwait(&tracer->changed, &tracer->mutex, &deadline) ==
			ETIMEDOUT)
			break;
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_guard_terminal(struct tracer *tracer, const struct guarded_terminal *terminal)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->has_terminal = true;
	tracer->control->terminal = *terminal;
	send_guarded(tracer);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_release_terminal(struct tracer *tracer)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->has_terminal = false;
	send_guarded(tracer);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_guard_pipe(struct tracer *tracer, int fd)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->pipe_fd = fd;
	send_guarded(tracer);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_destroy(struct tracer *tracer)
{
	if (!tracer)
		return;
	pthread_mutex_lock(&tracer->mutex);
	tracer->end_by_ns = clock_monotonic_ns() + END_WITHIN_MS * NS_PER_MS;
	tracer->is_stopping = true;
	pthread_mutex_unlock(&tracer->mutex);
	say(tracer, TRACER_STOP);
	pthread_join(tracer->thread, NULL);
	release(tracer);
}
