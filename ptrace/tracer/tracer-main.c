/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer's main thread: the session's messages, and the rounds of the lookout. */

#include "ptrace/tracer/tracer-main.h"

#include "ptrace/permission.h"
#include "ptrace/prompt-thread.h"
#include "ptrace/tracer/copier.h"
#include "ptrace/tracer/lookout.h"
#include "ptrace/tracer/perf-engine.h"
#include "ptrace/tracer/rescue.h"
#include "ptrace/tracer/sampler.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/base/rights/caller-state.h"
#include "src/base/rights/first-victim.h"
#include "src/process/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	IDLE_MS = 500,
	TELL_EVERY_MS = 100,
	LOOKOUT_NICE = -10,
	/* How long to wait, before the end or a hold, until nothing is attached. */
	REST_WITHIN_MS = 100,
	CALLS_WITHIN_MS = 1000,
	END_WITHIN_MS = 3000,
	FIRST_STOP_US = 50,   /* as long as none was measured */
	SAMPLINGS_MOST = 512, /* main has fewer rings */
};

/* --- births ------------------------------------------------------------------------ */

/* Go on with one whom a sampler has met, and tell main of it. */
static void adopt(struct sampling *sampling, int socket)
{
	struct task_stat stat = {0};
	task_stat_at(sampling->target.proc_fd, "stat", &stat);
	const struct tracer_message born = {
		.kind = TRACER_BORN,
		.pid = sampling->target.pid,
		.ring = sampling->ring,
		.start_ticks = stat.start_ticks,
	};
	lookout_adopt(sampling);
	tracer_send(socket, &born, NULL, 0);
}

/* A sampler can meet it only where one sits. */
static void on_cpu(void *context, const struct task_stat *stat)
{
	struct tracing *tracing = context;
	tracing_lock(tracing);
	samplers_want(tracing, stat->cpu, stat->rt_priority > 0, clock_monotonic_ns());
	tracing_unlock(tracing);
}

/* They have no meter of their own; what counts is the sum of all. */
static void tell_missed(struct tracing *tracing)
{
	tracing_lock(tracing);
	if (tracing->births.missed && tracing->samplings.len) {
		meter_add(&tracing->samplings.data[0]->meter->processes_missed,
			tracing->births.missed);
		tracing->births.missed = 0;
	}
	tracing_unlock(tracing);
}

static void look_for_births(struct tracing *tracing)
{
	if (tracing->births.fd <= 0)
		return;
	pthread_mutex_lock(&tracing->births_mutex);
	births_look(&tracing->births, tracing_samples, tracing, clock_monotonic_ns());
	births_tend(&tracing->births, tracing_samples, on_cpu, tracing);
	tell_missed(tracing);
	pthread_mutex_unlock(&tracing->births_mutex);
}

/* --- messages of the session ------------------------------------------------------- */

static bool is_in_use(struct tracing *tracing, const struct ring *ring)
{
	bool found = false;
	tracing_lock(tracing);
	vec_each (&tracing->samplings, at)
		found |= (*at)->ring == ring;
	vec_each (&tracing->spares, at)
		found |= *at == ring;
	tracing_unlock(tracing);
	return found;
}

static bool is_born(struct tracing *tracing, pid_t pid)
{
	bool found = false;
	tracing_lock(tracing);
	vec_each (&tracing->samplings, at)
		found |= (*at)->target.pid == pid && (*at)->is_born;
	tracing_unlock(tracing);
	return found;
}

/* Then it has a sampler of our own at times, which would answer the question of permission. */
static bool is_sampled(const struct tracing *tracing, pid_t pid)
{
	vec_each (&tracing->samplings, at)
		if ((*at)->target.pid == pid && !(*at)->is_leaving)
			return true;
	return false;
}

static void take_addition(struct tracing *tracing, int socket,
	struct tracer_message *message, int fds[TRACER_FDS])
{
	struct tracer_message answer = {.kind = TRACER_ADDED, .ring = message->ring};
	/* No sampler meets it until it is in the list: it would be in there twice. */
	pthread_mutex_lock(&tracing->births_mutex);
	if (!ring_is_made(message->ring) || is_in_use(tracing, message->ring))
		answer.errnum = EINVAL;
	else if (!message->is_again && is_born(tracing, message->pid))
		answer.errnum = EEXIST; /* main will hear of it, or has */
	/* Not for a process that was sampled before: if another tracer has it now, wait
	   for that one to leave. */
	else if (!message->is_again && !tracing->perf &&
		 !is_sampled(tracing, message->pid))
		answer.errnum = permission_ask(message->pid, fds[1]);
	if (answer.errnum == 0 && !lookout_add(tracing, message, fds))
		answer.errnum = errno;
	else if (answer.errnum != 0)
		for (size_t i = 0; i < TRACER_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
	pthread_mutex_unlock(&tracing->births_mutex);
	tracer_send(socket, &answer, NULL, 0);
}

static void take_spare(struct tracing *tracing, struct ring *ring)
{
	if (!ring_is_made(ring) || is_in_use(tracing, ring))
		return;
	tracing_lock(tracing);
	vec_push(&tracing->spares, ring);
	tracing_unlock(tracing);
	births_begin(&tracing->births);
}

static void await_rest(struct tracing *tracing)
{
	tracing_lock(tracing);
	tracing->is_ending = true;
	tracing_unlock(tracing);
	uint64_t began_ns = clock_monotonic_ns(), now_ns = began_ns;
	while (!samplers_are_at_rest(tracing) &&
		now_ns < began_ns + END_WITHIN_MS * NS_PER_MS) {
		usleep(200);
		now_ns = clock_monotonic_ns();
		samplers_tend(tracing, now_ns);
		if (now_ns > began_ns + REST_WITHIN_MS * NS_PER_MS)
			samplers_release(tracing);
		if (now_ns > began_ns + CALLS_WITHIN_MS * NS_PER_MS)
			samplers_abandon(tracing);
	}
}

static void hold(struct tracing *tracing, int socket)
{
	vec_each (&tracing->samplings, at)
		lookout_hold(*at);
	await_rest(tracing);
	vec_each (&tracing->samplings, at) /* whom a sampler met meanwhile */
		if (!(*at)->is_held)
			lookout_hold(*at);
	tracer_send(socket, &(struct tracer_message){.kind = TRACER_HELD}, NULL, 0);
}

static void go_on(struct tracing *tracing)
{
	tracing->is_ending = false;
	vec_each (&tracing->samplings, at)
		lookout_go_on(*at);
}

static void leave_all(struct tracing *tracing, int socket)
{
	vec_each (&tracing->samplings, at) {
		if ((*at)->is_newborn)
			adopt(*at, socket);
		lookout_leave(*at, false);
	}
}

/* False when the session has ended. */
static bool take_messages(struct tracing *tracing, int socket, bool *must_end)
{
	struct tracer_message message;
	int fds[TRACER_FDS];
	bool end = false;
	while (tracer_receive(socket, &message, fds, &end)) {
		switch (message.kind) {
		case TRACER_ADD:
			take_addition(tracing, socket, &message, fds);
			break;
		case TRACER_SPARE:
			take_spare(tracing, message.ring);
			break;
		case TRACER_HOLD:
			hold(tracing, socket);
			break;
		case TRACER_GO:
			go_on(tracing);
			break;
		case TRACER_TERMINAL:
			guard_set_terminal(
				&tracing->guard, &tracing->control->terminal, fds);
			break;
		case TRACER_PIPE:
			guard_set_pipe(&tracing->guard, fds[0]);
			break;
		case TRACER_STOP:
			*must_end = true;
			leave_all(tracing, socket);
			await_rest(
				tracing); /* the last records come when nobody is claimed */
			leave_all(tracing, socket); /* whom a sampler met meanwhile */
			break;
		default: /* TRACER_LOOK: settings are read in every round */
			break;
		}
	}
	return !end;
}

/* --- rounds ------------------------------------------------------------------------ */

/* Do what is due for all processes. Returns when something will be due again. */
static uint64_t round_of_all(struct tracing *tracing, int socket, uint64_t now_ns)
{
	uint64_t next_ns = perf_engine_due_ns(tracing, now_ns + IDLE_MS * NS_PER_MS);
	for (size_t i = 0; i < tracing->samplings.len;) {
		struct sampling *sampling = tracing->samplings.data[i];
		if (sampling->is_newborn)
			adopt(sampling, socket);
		if (tracing->is_woken && lookout_has_ended(sampling))
			lookout_leave(sampling, true);
		uint64_t due_ns = lookout_round(sampling, clock_monotonic_ns());
		if (due_ns < next_ns)
			next_ns = due_ns;
		if (!sampling->is_leaving || !lookout_say_goodbye(sampling)) {
			i++;
			continue;
		}
		tracing_lock(tracing);
		tracing->samplings.data[i] =
			tracing->samplings.data[--tracing->samplings.len];
		tracing_unlock(tracing);
		lookout_forget(sampling);
	}
	samplers_set_period(tracing);
	samplers_tend(tracing, now_ns);
	return next_ns;
}

static void tell_costs(struct tracing *tracing)
{
	uint64_t used_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	own_cpu_add(used_ns - tracing->told_cpu_ns);
	tracing->told_cpu_ns = used_ns;
	tracing->told_ns = clock_monotonic_ns();
}

static void tell_costs_if_due(struct tracing *tracing, uint64_t now_ns)
{
	if (now_ns - tracing->told_ns >= TELL_EVERY_MS * NS_PER_MS)
		tell_costs(tracing);
}

static void wake_analyst(struct tracing *tracing, int socket)
{
	if (!tracing->must_wake)
		return;
	tracing->must_wake = false;
	tracer_send(socket, &(struct tracer_message){.kind = TRACER_WAKE}, NULL, 0);
}

/* Sleep until NEXT_NS, a message, a poke, or the end of main or a process. False if it is
   just NEXT_NS. */
static bool sleep_until(struct tracing *tracing, int socket, uint64_t next_ns)
{
	enum {
		OWN = 4,
		MOST = 1024
	};
	struct pollfd wait[OWN + MOST] = {
		{.fd = socket, .events = POLLIN},
		{.fd = tracing->poke_fd, .events = POLLIN},
		{.fd = tracing->guard.main_fd, .events = POLLIN},
		{.fd = perf_engine_fd(tracing), .events = POLLIN},
	};
	size_t count = OWN;
	vec_each (&tracing->samplings, at)
		if (count < OWN + MOST && !(*at)->is_leaving)
			wait[count++] =
				(struct pollfd){.fd = (*at)->pidfd, .events = POLLIN};
	uint64_t now_ns = clock_monotonic_ns(), pokes;
	struct timespec timeout =
		clock_to_timespec(next_ns > now_ns ? next_ns - now_ns : 0);
	int ready = ppoll(wait, count, &timeout, NULL);
	if (ready > 0 && wait[1].revents) {
		ssize_t ignored = read(tracing->poke_fd, &pokes, sizeof(pokes));
		(void)ignored;
	}
	/* Others may have its socket. */
	tracing->guard.main_ended |= ready > 0 && wait[2].revents;
	return ready != 0;
}

static void on_nudge(int number)
{
	(void)number;
}

static void prepare(struct tracing *tracing)
{
	caller_state_leave();
	first_victim(FIRST_VICTIM_OF_OURS);
	/* This signal interrupts the wait of a sampler (sampler.c). */
	struct sigaction nudge = {.sa_handler = on_nudge};
	sigaction(SIGUSR1, &nudge, NULL);
	prctl(PR_SET_NAME, "cproftop-traces");
	prompt_lookout(LOOKOUT_NICE);
	pthread_mutexattr_t inherit;
	pthread_mutexattr_init(&inherit);
	pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&tracing->mutex, &inherit);
	pthread_mutex_init(&tracing->births_mutex, &inherit);
	pthread_mutexattr_destroy(&inherit);
	vec_reserve(&tracing->samplings, SAMPLINGS_MOST);
	tracing->seats = mem_zalloc(TRACING_CPUS * sizeof(struct seat *));
	tracing->copier = copier_create();
	tracing->may_call = memory_may_call();
	copier_prepare(tracing->copier);
	tracing->poke_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	perf_engine_prepare(tracing);
	tracing->recipe = mem_alloc(sizeof(*tracing->recipe));
	tracing->slot =
		mem_zalloc(sizeof(struct snapshot) + tracing->options->stack_bytes);
}

static void *rescue(void *calls)
{
	rescue_calls(calls);
	return NULL;
}

/* Main has ended, or says so. */
static _Noreturn void end(struct tracing *tracing, int socket)
{
	await_rest(tracing);
	tell_costs(tracing);
	close(socket);
	guard_end(&tracing->guard);
	_exit(0);
}

_Noreturn void tracer_main(int socket, pid_t main, struct tracer_control *control,
	const struct tracer_options *options)
{
	struct tracing tracing = {
		.control = control,
		.options = options,
		.stack_bytes = options->stack_bytes,
		.is_woken = true,
		.stop_ns = options->engine == ENGINE_PERF ? 0 : FIRST_STOP_US * NS_PER_US,
		/* samples of the last tracer have what was unseen until now, or nobody has */
		.pot = {.told_ns = control->unseen_ns},
	};
	bool must_end = false;
	guard_init(&tracing.guard, main);
	prepare(&tracing);
	pthread_t rescuer;
	if (options->calls && pthread_create(&rescuer, NULL, rescue, options->calls) == 0)
		pthread_join(rescuer, NULL);
	while (!tracing.is_woken || take_messages(&tracing, socket, &must_end)) {
		if (tracing.guard.main_ended) /* what it has said last was taken */
			break;
		uint64_t now_ns = clock_monotonic_ns();
		perf_engine_take(&tracing);
		look_for_births(&tracing);
		lookout_keep_brief(&tracing, now_ns);
		uint64_t next_ns = round_of_all(&tracing, socket, now_ns);
		wake_analyst(&tracing, socket);
		tell_costs_if_due(&tracing, now_ns);
		if (must_end && tracing.samplings.len == 0)
			break;
		tracing.is_woken = sleep_until(&tracing, socket, next_ns);
	}
	end(&tracing, socket);
}
