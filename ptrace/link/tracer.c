/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/tracer.h"

#include "ptrace/explain.h"
#include "ptrace/link/deaths.h"
#include "ptrace/link/keeper.h"
#include "ptrace/link/subjects.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/base/shared.h"
#include "src/process/task.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 250,
	ANSWER_WITHIN_MS = 10 * 1000,
	END_WITHIN_MS = 5 * 1000,
};

struct tracer {
	struct tracer_options options;
	struct tracer_control *control; /* shared */
	void (*wake)(void *context);
	tracer_born *born; /* NULL: no spare was given */
	void *context;
	struct keeper keeper;
	pthread_t thread;

	pthread_mutex_t mutex; /* guards what follows, and sending */
	pthread_cond_t changed;
	int socket; /* to the tracer; -1: there is none */
	struct subjects subjects;
	bool is_held, has_ended;
	_Atomic bool is_stopping;
	uint64_t end_by_ns; /* deadline, while it is stopping */
	bool held_answered;
	/* What the keeper guards; kept for the next keeper. */
	bool has_terminal;
	struct keeper_terminal terminal;
	int pipe_fd;
	struct deaths deaths;
};

static void say(struct tracer *tracer, enum tracer_message_kind kind)
{
	struct tracer_message message = {.kind = kind};
	pthread_mutex_lock(&tracer->mutex);
	if (tracer->socket >= 0)
		tracer_send(tracer->socket, &message, NULL);
	pthread_mutex_unlock(&tracer->mutex);
}

/* --- a tracer ends, and another one begins ----------------------------------------- */

static void guard_again(struct tracer *tracer)
{
	if (tracer->has_terminal && !tracer->is_held)
		keeper_guard_terminal(&tracer->keeper, &tracer->terminal);
	if (tracer->pipe_fd >= 0)
		keeper_guard_pipe(&tracer->keeper, tracer->pipe_fd);
}

static bool too_often(struct tracer *tracer)
{
	return deaths_too_many(&tracer->deaths, clock_monotonic_ns(),
		subjects_samples(&tracer->subjects));
}

static bool fork_tracer(struct tracer *tracer)
{
	tracer->control->tracer_pid = 0;
	keeper_tend(&tracer->keeper);
	if (keeper_fork(&tracer->keeper, &tracer->socket))
		return true;
	keeper_end(&tracer->keeper);
	if (!keeper_start(&tracer->keeper, tracer->control, &tracer->options, NULL))
		return false;
	guard_again(tracer);
	return keeper_fork(&tracer->keeper, &tracer->socket);
}

/* No other tracer is forked: sampling has ended. */
static void give_up(struct tracer *tracer)
{
	tracer->has_ended = true;
	if (!tracer->is_stopping)
		subjects_give_up(&tracer->subjects);
	pthread_cond_broadcast(&tracer->changed);
}

/* Have another tracer forked. The caller holds the mutex. */
static void replace(struct tracer *tracer)
{
	close(tracer->socket);
	tracer->socket = -1;
	if (!tracer->is_stopping)
		subjects_count_death(&tracer->subjects);
	if (tracer->is_stopping || too_often(tracer) || !fork_tracer(tracer)) {
		give_up(tracer);
		return;
	}
	subjects_send(&tracer->subjects, tracer->socket);
	struct tracer_message hold = {.kind = TRACER_HOLD};
	if (tracer->is_held)
		tracer_send(tracer->socket, &hold, NULL);
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

/* Is the tracer dead? The socket does not always tell: a thread that reads a file whose
   server does not answer keeps it open after all others have ended. */
static bool is_dead(const struct tracer *tracer)
{
	pid_t pid = tracer->control->tracer_pid;
	return pid != 0 && task_state(pid) == 'Z';
}

static void receive_all(struct tracer *tracer)
{
	struct tracer_message message;
	int fds[TRACER_FDS];
	/* Check this first: everything that it sent before its death can then be
	   received. */
	bool end = false, dead = is_dead(tracer);
	pthread_mutex_lock(&tracer->mutex);
	while (tracer_receive(tracer->socket, &message, fds, &end))
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

static void *tracer_thread(void *argument)
{
	struct tracer *tracer = argument;
	prctl(PR_SET_NAME, "link");
	while (!tracer->has_ended) {
		struct pollfd wait = {.fd = tracer->socket, .events = POLLIN};
		poll(&wait, 1, LOOK_EVERY_MS);
		receive_all(tracer);
		put_ends(tracer);
		keeper_tend(&tracer->keeper);
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
	keeper_end(&tracer->keeper);
	if (tracer->socket >= 0)
		close(tracer->socket);
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
	tracer->socket = tracer->keeper.socket = tracer->pipe_fd = -1;
	pthread_mutex_init(&tracer->mutex, NULL);
	clock_condition_init(&tracer->changed);
	own_cpu_share();
	int errnum = 0;
	if (!share_all(tracer, frequency_hz, wall))
		error_errno(err, errnum = errno, "cannot share memory with the tracer");
	else if (!keeper_start(&tracer->keeper, tracer->control, &tracer->options, err) ||
		 !keeper_fork(&tracer->keeper, &tracer->socket))
		error_errno(err, errnum = EAGAIN, "cannot start the tracer's process");
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
	if (tracer->socket >= 0)
		subject_send(subjects_find(&tracer->subjects, ring), tracer->socket);
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
	return !errnum || explain_refusal(target->pid, errnum, err);
}

void tracer_give_spare(struct tracer *tracer, struct ring *ring, tracer_born *born)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->born = born;
	subjects_add_spare(&tracer->subjects, ring, tracer->socket);
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
	/* While this process is stopped, the terminal belongs to the shell. */
	if (held)
		keeper_release_terminal(&tracer->keeper);
	else
		guard_again(tracer);
	while (held && !tracer->held_answered && !tracer->has_ended)
		if (pthread_cond_timedwait(&tracer->changed, &tracer->mutex, &deadline) ==
			ETIMEDOUT)
			break;
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_guard_terminal(struct tracer *tracer, const struct keeper_terminal *terminal)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->has_terminal = true;
	tracer->terminal = *terminal;
	guard_again(tracer);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_release_terminal(struct tracer *tracer)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->has_terminal = false;
	keeper_release_terminal(&tracer->keeper);
	pthread_mutex_unlock(&tracer->mutex);
}

void tracer_guard_pipe(struct tracer *tracer, int fd)
{
	pthread_mutex_lock(&tracer->mutex);
	tracer->pipe_fd = fd;
	keeper_guard_pipe(&tracer->keeper, fd);
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
