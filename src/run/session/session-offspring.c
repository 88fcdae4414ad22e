/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the children of a session's first process do, also if they are not sampled. */
#include "src/base/clock.h"
#include "src/run/session/nothing.h"
#include "src/run/session/session.h"

static pid_t first_pid(const struct session *session)
{
	return session->processes.data[0]->target.pid;
}

const struct offspring *session_offspring(struct session *session)
{
	struct offspring *offspring = &session->offspring;
	uint64_t now_ns = clock_monotonic_ns();
	bool first = offspring->read_ns == 0;
	if (!first && now_ns - offspring->read_ns < NS_PER_SEC)
		return offspring;
	offspring_read(offspring, first_pid(session), now_ns);
	if (first)
		session->offspring_base_ns = offspring->cpu_ns;
	return offspring;
}

uint64_t session_offspring_ns(struct session *session)
{
	session->offspring.read_ns = session->offspring.read_ns ? 1 : 0; /* now */
	uint64_t used_ns =
		session_offspring(session)->cpu_ns - session->offspring_base_ns;
	uint64_t reaped_ns = session->processes.data[0]->reaped_ns;
	return used_ns > reaped_ns ? used_ns : reaped_ns;
}

bool session_explain_nothing(struct session *session, const struct meter *meter,
	const struct summary *summary, const char *focus, const char *threads, char *out,
	size_t size)
{
	bool children = session->options.children;
	struct nothing nothing = {
		.summary = summary,
		.pid = first_pid(session),
		.children = children,
		.was_paused = session->options.start_paused && summary->periods == 0,
		.stopped = meter_get(&meter->target_stopped),
		.ended = meter_get(&meter->target_exited),
		.children_cpu_ns = children ? summary->children_unseen_ns
					    : session_offspring_ns(session),
		.focus = focus,
		.threads = threads,
	};
	return nothing_explain(&nothing, out, size);
}
