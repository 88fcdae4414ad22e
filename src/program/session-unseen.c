/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that lives shorter than the family's looks are apart is not sampled. What it
   used the kernel tells to its parent, which may have ended as well. So what each process
   has waited for is read again and again; and when a command that we launched has ended,
   we wait for it, and are told the CPU time of all that were waited for below it, also of
   those that it waited for at its very end. */

#include "src/program/session.h"

#include "src/base/clock.h"
#include "src/target/children.h"

#include <sys/resource.h>
#include <sys/wait.h>

void session_reap(struct session *session)
{
	if (!session->options.command || session->processes.len == 0)
		return;
	struct session_process *first = session->processes.data[0];
	struct rusage usage;
	/* Not before the tracer has read its clock for the last time. */
	if (session->is_reaped || !meter_get(&ring_meter(first->ring)->target_exited) ||
		wait4(first->target.pid, &session->launched_status, WNOHANG, &usage) <= 0)
		return;
	session->is_reaped = true;
	uint64_t all_ns =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SEC +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
	uint64_t own_ns = meter_charged_ns(ring_meter(first->ring));
	if (all_ns > own_ns + first->reaped_ns)
		first->reaped_ns = all_ns - own_ns;
}

/* What was waited for contains what was seen of it. */
uint64_t session_unseen_ns(struct session *session)
{
	session_reap(session);
	uint64_t all_ns = session->gone_reaped_ns, seen_ns = session->gone_children_ns;
	vec_each (&session->processes, at) {
		const struct session_process *process = *at;
		bool ended = meter_get(&ring_meter(process->ring)->ended_ns) != 0;
		if (process->is_child && ended)
			seen_ns += meter_charged_ns(ring_meter(process->ring));
		else
			all_ns += process->reaped_ns;
	}
	return all_ns > seen_ns ? all_ns - seen_ns : 0;
}

void session_read_reaped(struct session *session)
{
	vec_each (&session->processes, at) {
		struct session_process *process = *at;
		uint64_t reaped_ns = children_reaped_ns(process->target.pid);
		if (reaped_ns >= process->reaped_base_ns + process->reaped_ns)
			process->reaped_ns = reaped_ns - process->reaped_base_ns;
	}
}
