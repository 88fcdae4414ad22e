#include "src/session.h"

#include "ptrace/explain.h"
#include "src/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	RING_SLOTS = 256,
	HISTORY_SECONDS = 600,
	HISTORY_BYTES = 64 * 1024 * 1024,
};

void session_block_signals(void)
{
	struct sigaction fallback = {.sa_handler = SIG_DFL},
			 ignored = {.sa_handler = SIG_IGN};
	sigaction(SIGCHLD, &fallback, NULL);
	sigaction(SIGPIPE, &ignored, NULL);
	sigaction(SIGXFSZ, &ignored, NULL); /* a file too large is an error like others */
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Descriptors: some per thread of the target stay open. A core file: while the kernel
   writes it, or a program takes it, we trace still, and the target would wait at its next
   signal; and it would hold pieces of the target's stacks. 1 means none, also for such a
   program (core(5), fs/coredump.c). */
static void set_limits(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max > 0) {
		limit.rlim_cur = 1;
		setrlimit(RLIMIT_CORE, &limit);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool start_analyst(
	struct session *session, const struct session_options *options, struct error *err)
{
	struct analyst_options analyst = {
		.ring = session->ring,
		.proc_fd = session->target.proc_fd,
		.keep_everything = options->keep_everything,
		.lines_at_once = options->lines_at_once,
		.history_ns = HISTORY_SECONDS * NS_PER_SEC,
		.history_bytes = HISTORY_BYTES,
		.debug_dirs = options->debug_dirs,
	};
	session->analyst = analyst_create(&analyst, err);
	return session->analyst != NULL;
}

static bool start_sampler(
	struct session *session, const struct session_options *options, struct error *err)
{
	struct sampler_options sampler = {
		.frequency_hz = options->frequency_hz,
		.seed = clock_monotonic_ns(),
		.limits = options->limits,
		.restart_syscalls = options->restart_syscalls,
		.wall = options->wall,
		.wake = analyst_wake,
		.wake_context = session->analyst,
	};
	session->sampler = sampler_start(
		&session->target, session->ring, &session->meter, &sampler, err);
	return session->sampler != NULL;
}

static bool attach(struct session *session, pid_t pid,
	const struct session_options *options, struct error *err)
{
	set_limits(); /* not earlier: a launched command has its own */
	if (!target_open(&session->target, pid, err))
		return false;
	session->ring = ring_create(RING_SLOTS, options->stack_bytes);
	if (start_analyst(session, options, err) && start_sampler(session, options, err))
		return true;
	explain_hopeless(pid, err); /* it may have ended meanwhile */
	return false;
}

static bool launch(
	struct session *session, const struct session_options *options, struct error *err)
{
	struct launch launch;
	if (!launch_prepare(&launch, (char **)options->command, options->output_fd,
		    options->silent, err))
		return false;
	if (!attach(session, launch.pid, options, err)) {
		launch_cancel(&launch);
		return false;
	}
	if (!launch_go(&launch, options->command[0], err))
		return false;
	target_describe(&session->target); /* it was a copy of us until now */
	return true;
}

bool session_start(
	struct session *session, const struct session_options *options, struct error *err)
{
	*session = (struct session){
		.frequency_hz = options->frequency_hz, .wall = options->wall};
	session->target = (struct target){.proc_fd = -1, .task_dir_fd = -1, .mem_fd = -1};
	bool started = options->command ? launch(session, options, err)
					: attach(session, options->pid, options, err);
	if (!started)
		session_finish(session);
	return started;
}

void session_stop_sampling(struct session *session)
{
	sampler_destroy(session->sampler);
	session->sampler = NULL;
}

void session_finish(struct session *session)
{
	session_stop_sampling(session);
	analyst_destroy(session->analyst);
	ring_destroy(session->ring);
	target_close(&session->target);
	session->analyst = NULL;
	session->ring = NULL;
}

static void source_request(void *context, const struct report_request *request)
{
	analyst_request(((struct session *)context)->analyst, request);
}

static struct report *source_take(void *context)
{
	return analyst_take(((struct session *)context)->analyst);
}

static int source_ready_fd(void *context)
{
	return analyst_ready_fd(((struct session *)context)->analyst);
}

static void source_clear(void *context)
{
	analyst_clear(((struct session *)context)->analyst);
}

static void source_set_frequency(void *context, unsigned hz)
{
	sampler_set_frequency(((struct session *)context)->sampler, hz);
}

void session_hold(struct session *session, bool held)
{
	if (session->sampler)
		sampler_hold(session->sampler, held);
}

static void source_hold(void *context, bool held)
{
	session_hold(context, held);
}

static void source_set_wall(void *context, bool wall)
{
	sampler_set_wall(((struct session *)context)->sampler, wall);
}

struct source session_source(struct session *session)
{
	return (struct source){
		.context = session,
		.facts =
			{
				.pid = session->target.pid,
				.command = session->target.command,
				.path = session->target.path,
				.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
				.frequency_hz = session->frequency_hz,
				.wall = session->wall,
			},
		.meter = &session->meter,
		.request = source_request,
		.take = source_take,
		.ready_fd = source_ready_fd,
		.clear = source_clear,
		.set_frequency = source_set_frequency,
		.hold = source_hold,
		.set_wall = source_set_wall,
	};
}
