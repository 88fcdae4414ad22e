/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/session/session.h"

#include "ptrace/explain.h"
#include "ptrace/perf/perf-events.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/rights/caller-state.h"
#include "src/process/interpreted.h"
#include "src/process/list/children.h"
#include "src/run/session/family.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RING_SLOTS = 1024, /* half a second of two CPUs at 1000 Hz */
	/* slots per process; the stack of a slot takes at least 16 KiB */
	RING_SLOTS_SEVERAL = 128,
	PROCESSES_MOST = 256,
	HISTORY_SECONDS = 600,
	HISTORY_BYTES = 64 * 1024 * 1024,
};

void session_block_signals(void)
{
	struct sigaction fallback = {.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &fallback, NULL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Called by the link's thread when records may have come. The analyst is created after
   the tracer, so it may not exist yet. */
static void wake(void *context)
{
	struct session *session = context;
	struct analyst *analyst = session->analyst;
	if (analyst)
		analyst_wake(analyst);
}

static bool start_analyst(struct session *session, struct error *err)
{
	const struct session_options *options = &session->options;
	if (session->analyst)
		return true;
	struct analyst_options analyst = {
		.several = session->several,
		.keep_everything = options->keep_everything,
		.lines_at_once = options->lines_at_once,
		.history_ns = HISTORY_SECONDS * NS_PER_SEC,
		.history_bytes = HISTORY_BYTES,
		.debug_dirs = options->debug_dirs,
		.native = options->native,
		.source_maps = options->source_maps,
		.event = options->event,
		.unwind_by = options->unwind_by,
		.file_bytes = options->file_bytes,
		.fetch = options->fetch,
		.lines = options->lines,
		.code = options->code,
	};
	session->analyst = analyst_create(&analyst, err);
	return session->analyst != NULL;
}

/* After the memory that the two share was mapped. */
static bool start_tracer(struct session *session, struct error *err)
{
	const struct session_options *options = &session->options;
	session->rings = ring_pool_create(session->several ? PROCESSES_MOST : 1,
		session->several ? RING_SLOTS_SEVERAL : RING_SLOTS, options->stack_bytes);
	struct tracer_options tracer = {
		.seed = clock_monotonic_ns(),
		.engine = options->engine,
		.grant = session->grant,
		.event = options->event,
		.unwind_by = options->unwind_by,
		.limits = options->limits,
		.restart_syscalls = options->restart_syscalls,
		.accounts_soon = options->accounts_soon,
		.kernel_stacks = options->kernel_stacks,
		.stack_bytes = options->stack_bytes,
	};
	session->tracer =
		tracer_create(&tracer, options->start_paused ? 0 : options->frequency_hz,
			options->wall, wake, session, err);
	return session->tracer != NULL;
}

/* --- one process ------------------------------------------------------------------- */

static void free_process(struct session *session, struct session_process *process)
{
	if (process->ring)
		ring_pool_give(session->rings, process->ring);
	target_close(&process->target);
	free(process);
}

/* Tell the analyst that no samples will come from PROCESS. */
static void end_unsampled(struct session *session, struct session_process *process)
{
	struct snapshot *slot = ring_reserve(process->ring);
	if (slot) {
		slot->kind = SNAPSHOT_END;
		slot->time_ns = clock_monotonic_ns();
		ring_commit(process->ring);
	}
	analyst_wake(session->analyst);
}

static bool too_many(pid_t pid, struct error *err)
{
	return error_set(err, "process %d: no more than %d are sampled at once", (int)pid,
		PROCESSES_MOST);
}

/* Attach to PID. A process that was added to the analyst stays in the list until the
   analyst has read its last record. The caller holds the mutex. */
static bool attach(struct session *session, pid_t pid, bool is_child, struct error *err)
{
	caller_state_leave(); /* now, so that a launched command has not inherited it */
	struct session_process *process = mem_zalloc(sizeof(*process));
	/* A child goes on as it would after exec of such a program. */
	if (!target_open(&process->target, pid, err) ||
		(!is_child && explain_foreign(process->target.proc_fd, pid, err)) ||
		(session->options.wall &&
			!target_shows_sleepers(&process->target, err))) {
		free_process(session, process);
		return false;
	}
	session_expect_reaped(process, is_child);
	process->ring = ring_pool_take(session->rings);
	if (!process->ring) {
		free_process(session, process);
		return too_many(pid, err);
	}
	struct analyst_process read = {
		.pid = pid, .ring = process->ring, .proc_fd = process->target.proc_fd};
	if (!start_analyst(session, err) || !analyst_add(session->analyst, &read, err)) {
		explain_hopeless(pid, err); /* for example: it has ended meanwhile */
		free_process(session, process);
		return false;
	}
	bool sampled = tracer_add(session->tracer, &process->target, process->ring, err);
	if (!sampled) {
		explain_hopeless(pid, err);
		end_unsampled(session, process);
	}
	vec_push(&session->processes, process);
	if (session->options.children)
		session_give_spares(session);
	return sampled;
}

static bool has_ended(struct session *session, const struct session_process *process)
{
	bool sampled = meter_get(&ring_meter(process->ring)->began_ns) != 0;
	return (!sampled || meter_get(&ring_meter(process->ring)->over)) &&
	       !analyst_reads(session->analyst, process->ring);
}

/* Remove processes that have ended, except the first, which gives the session its name. Each leaves the list
   before it is freed: what becomes of the next one depends on which are there.
   The caller holds the mutex. */
static void forget_ended(struct session *session)
{
	for (size_t i = 1; i < session->processes.len;) {
		struct session_process *process = session->processes.data[i];
		if (!has_ended(session, process) ||
			session_awaits_parent(session, process)) {
			i++;
			continue;
		}
		if (meter_get(&ring_meter(process->ring)->began_ns))
			meter_sum(&session->gone, ring_meter(process->ring));
		session_keep_reaped(session, process);
		tracer_forget(session->tracer, process->ring);
		size_t rest = --session->processes.len - i;
		memmove(&session->processes.data[i], &session->processes.data[i + 1],
			rest * sizeof(process));
		free_process(session, process);
	}
}

/* --- several ----------------------------------------------------------------------- */

/* Has PID ended? A process that has ended, even as a zombie, has no /proc/PID/exe. */
static bool is_dead(pid_t pid)
{
	char path[32], program[8];
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlinkat(AT_FDCWD, path, program, sizeof(program)) < 0 &&
	       errno == ENOENT;
}

static enum family_answer family_add(void *context, pid_t pid)
{
	struct session *session = context;
	struct error err;
	pthread_mutex_lock(&session->mutex);
	bool is_full = ring_pool_is_full(session->rings);
	bool added = is_full ? too_many(pid, &err) : attach(session, pid, true, &err);
	pthread_mutex_unlock(&session->mutex);
	if (!added && session_has_met(session, pid))
		return FAMILY_JOINS;
	if (!added && session->options.complain && !session->children_told &&
		!is_dead(pid)) {
		session->children_told = explain_children(pid, &err);
		session->options.complain(session->options.complain_context, err.text);
	}
	return added ? FAMILY_JOINS : is_full ? FAMILY_LATER : FAMILY_STAYS_OUT;
}

static void family_tidy(void *context)
{
	struct session *session = context;
	pthread_mutex_lock(&session->mutex);
	session_read_reaped(session);
	tracer_tell_unseen(session->tracer, session_unsampled_ns(session));
	forget_ended(session);
	pthread_mutex_unlock(&session->mutex);
}

static void family_list(void *context, struct children *list)
{
	struct session *session = context;
	pthread_mutex_lock(&session->mutex);
	vec_each (&session->processes, process)
		if (!meter_get(&ring_meter((*process)->ring)->ended_ns))
			vec_push(&list->list, (*process)->target.pid);
	pthread_mutex_unlock(&session->mutex);
}

/* --- the engine -------------------------------------------------------------------- */

/* What the kernel's samples cannot do. */
static bool needs_stops(const struct session_options *options, struct error *err)
{
	const char *what = options->wall       ? "-m wall"
			   : options->children ? "--children"
					       : NULL;
	if (what)
		error_set(err, "%s needs --engine ptrace%s", what,
			options->event.kind != EVENT_CPU_TIME ? ", which has no -e" : "");
	return what != NULL;
}

/* Does that show all, their functions, too? What a command will be, nobody knows yet. */
static bool shows_all(const struct session *session)
{
	const struct session_options *options = &session->options;
	bool shows = session->grant.with_kernel && !options->command;
	for (size_t i = 0; shows && i < options->n_pids; i++)
		shows = !process_is_interpreted(options->pids[i]);
	return shows;
}

/* Decide what ENGINE_AUTO is. */
static bool choose_engine(struct session *session, struct error *err)
{
	enum engine *engine = &session->options.engine;
	const struct event *event = &session->options.event;
	if (event->kind != EVENT_CPU_TIME)
		*engine = ENGINE_PERF;
	if (*engine == ENGINE_PTRACE)
		return true;
	bool granted = !needs_stops(&session->options, err) &&
		       perf_events_are_granted(event, &session->grant, err);
	if (*engine == ENGINE_AUTO)
		*engine = granted && shows_all(session) ? ENGINE_PERF : ENGINE_PTRACE;
	if (event->period) /* what it costs does not depend on us */
		session->options.limits = (struct budget_limits){0};
	return granted || *engine == ENGINE_PTRACE;
}

/* "12 sh; 13 cc1; 14 as; and children". */
static void describe(struct session *session)
{
	if (!session->several)
		return;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return;
	for (size_t i = 0; i < session->processes.len; i++) {
		const struct target *target = &session->processes.data[i]->target;
		fprintf(out, "%s%d %s", i ? "; " : "", (int)target->pid, target->command);
	}
	if (session->options.children)
		fputs("; and children", out);
	fclose(out);
	session->command = text;
}

/* --- all --------------------------------------------------------------------------- */

static bool launch(struct session *session, struct error *err)
{
	const struct session_options *options = &session->options;
	struct launch launch;
	if (!launch_prepare(&launch, (char **)options->command, options->output_fd,
		    options->silent, err))
		return false;
	if (!attach(session, launch.pid, false, err)) {
		launch_cancel(&launch);
		return false;
	}
	if (options->output_read_fd >= 0)
		tracer_guard_pipe(session->tracer, options->output_read_fd);
	bool runs = launch_go(&launch, options->command[0], err);
	session->launch_errnum = launch.errnum;
	if (!runs)
		return false;
	target_describe(&session->processes.data[0]->target); /* it was a copy of us */
	return true;
}

/* Attach to all processes that can be attached to, and complain about the others. One
   success is enough. */
static bool attach_all(struct session *session, struct error *err)
{
	const struct session_options *options = &session->options;
	bool any = false;
	if (options->output_read_fd >= 0)
		tracer_guard_pipe(session->tracer, options->output_read_fd);
	for (size_t i = 0; i < options->n_pids; i++) {
		struct error why;
		bool attached = attach(session, options->pids[i], false, &why);
		if (!attached && options->n_pids > 1 && options->complain)
			options->complain(options->complain_context, why.text);
		if (!attached && !any)
			*err = why;
		any |= attached;
	}
	if (!any && options->n_pids > 1)
		error_set(err, "none of the processes can be attached to");
	return any;
}

bool session_start(
	struct session *session, const struct session_options *options, struct error *err)
{
	*session = (struct session){
		.options = *options,
		.several = options->children || options->n_pids > 1,
	};
	uname(&session->machine);
	pthread_mutex_init(&session->mutex, NULL);
	pthread_mutex_init(&session->births_mutex, NULL);
	bool started =
		choose_engine(session, err) &&
		(!options->kernel_stacks || target_shows_kernel_stacks(err)) &&
		start_tracer(session, err) &&
		(options->command ? launch(session, err) : attach_all(session, err));
	if (started) {
		describe(session);
		session_offspring(session); /* what they used before does not count */
	}
	if (started && options->children) {
		struct family_members members = {
			.context = session,
			.list = family_list,
			.add = family_add,
			.welcome = session_welcome,
			.tidy = family_tidy,
		};
		session->family = family_create(&members, err);
		session_wakes(session, session->family);
		started = session->family != NULL;
	}
	if (!started)
		session_finish(session);
	return started;
}

void session_guard_terminal(
	struct session *session, const struct guarded_terminal *terminal)
{
	tracer_guard_terminal(session->tracer, terminal);
}

void session_release_terminal(struct session *session)
{
	tracer_release_terminal(session->tracer);
}

void session_keep_output(struct session *session)
{
	tracer_guard_pipe(session->tracer, -1);
}

void session_stop_sampling(struct session *session)
{
	if (session->analyst)
		analyst_expect_end(session->analyst);
	session_wakes(session, NULL);
	family_destroy(session->family);
	session->family = NULL;
	session_welcome(
		session); /* nobody else reads their rings, and the tracer needs room */
	tracer_destroy(session->tracer);
	session->tracer = NULL;
	session_welcome(session);
	session_reap(session);
}

void session_finish(struct session *session)
{
	session_stop_sampling(session);
	analyst_destroy(session->analyst);
	session->analyst = NULL;
	vec_each (&session->processes, process)
		free_process(session, *process);
	vec_free(&session->processes);
	ring_pool_destroy(session->rings);
	session->rings = NULL;
	free(session->command);
	session->command = NULL;
	vec_free(&session->births);
	pthread_mutex_destroy(&session->births_mutex);
	pthread_mutex_destroy(&session->mutex);
}

/* The mutex keeps processes from being added meanwhile. */
void session_hold(struct session *session, bool held)
{
	if (held)
		pthread_mutex_lock(&session->mutex);
	if (session->tracer)
		tracer_hold(session->tracer, held);
	if (!held)
		pthread_mutex_unlock(&session->mutex);
}
