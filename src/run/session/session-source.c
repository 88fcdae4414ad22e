/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session as a source of reports for the screen (src/count/source.h). */
#include "src/run/session/session.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/list/command-line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct meter *session_meter(struct session *session)
{
	if (!session->several)
		return ring_meter(session->processes.data[0]->ring);
	struct meter sum;
	pthread_mutex_lock(&session->mutex);
	memset(&sum, 0, sizeof(sum));
	if (meter_get(&session->gone.processes_seen))
		meter_sum(&sum, &session->gone);
	vec_each (&session->processes, process)
		if (meter_get(&ring_meter((*process)->ring)->began_ns))
			meter_sum(&sum, ring_meter((*process)->ring));
	if (session->options.children)
		meter_set(&sum.children_unseen_ns, session_unseen_ns(session));
	/* The report of all that there is goes up to here, whatever became of a process. */
	if (!session->tracer && !meter_get(&sum.ended_ns))
		meter_set(&sum.ended_ns, clock_monotonic_ns());
	pthread_mutex_unlock(&session->mutex);
	meter_copy(&sum, &session->total);
	return &session->total;
}

const struct target *session_target(const struct session *session)
{
	return &session->processes.data[0]->target;
}

const char *session_command(const struct session *session)
{
	return session->command ? session->command : session_target(session)->command;
}

const char *session_host(const struct session *session)
{
	return session->machine.nodename;
}

static const char *source_command(void *context)
{
	struct session *session = context;
	struct target *target = &session->processes.data[0]->target;
	uint64_t now_ns = clock_monotonic_ns();
	char now[4096];

	if (!session->command && now_ns - session->command_read_ns >= NS_PER_SEC) {
		session->command_read_ns = now_ns;
		if (command_line_read(target->proc_fd, now, sizeof(now)) > 0 &&
			strcmp(now, target->command) != 0) {
			free(target->command);
			target->command = mem_strdup(now);
		}
	}
	return session_command(session);
}

static const struct meter *source_meter(void *context)
{
	return session_meter(context);
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

static void source_ask_assembly(void *context, const struct assembly_request *request)
{
	analyst_ask_assembly(((struct session *)context)->analyst, request);
}

static struct assembly *source_take_assembly(void *context)
{
	return analyst_take_assembly(((struct session *)context)->analyst);
}

static struct code_lines *source_take_lines(void *context)
{
	return analyst_take_lines(((struct session *)context)->analyst);
}

static void source_mark(void *context, uint64_t time_ns, const char *text)
{
	analyst_mark(((struct session *)context)->analyst, time_ns, text);
}

static void source_clear(void *context)
{
	analyst_clear(((struct session *)context)->analyst);
}

static void source_set_frequency(void *context, unsigned hz)
{
	tracer_set_frequency(((struct session *)context)->tracer, hz);
}

static void source_hold(void *context, bool held)
{
	session_hold(context, held);
}

static void source_set_wall(void *context, bool wall)
{
	tracer_set_wall(((struct session *)context)->tracer, wall);
}

static void source_set_native(void *context, enum native_frames native)
{
	analyst_set_native(((struct session *)context)->analyst, native);
}

static const struct offspring *source_offspring(void *context)
{
	return session_offspring(context);
}

void session_pause(struct session *session, bool paused)
{
	if (session->tracer)
		tracer_set_frequency(
			session->tracer, paused ? 0 : session->options.frequency_hz);
}

struct source session_source(struct session *session)
{
	return (struct source){
		.context = session,
		.facts =
			{
				.pid = session_target(session)->pid,
				.several = session->several,
				.command = session_command(session),
				.host = session_host(session),
				.path = session_target(session)->path,
				.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
				.frequency_hz = session->options.frequency_hz,
				.wall = session->options.wall,
				.children = session->options.children,
				.native = session->options.native,
			},
		.command = source_command,
		.meter = source_meter,
		.request = source_request,
		.take = source_take,
		.ready_fd = source_ready_fd,
		.ask_assembly = source_ask_assembly,
		.take_assembly = source_take_assembly,
		.take_lines = source_take_lines,
		.mark = source_mark,
		.clear = source_clear,
		.set_frequency = source_set_frequency,
		.hold = source_hold,
		.offspring = source_offspring,
		.set_native = source_set_native,
		.set_wall =
			session->options.engine == ENGINE_PERF ? NULL : source_set_wall,
	};
}
