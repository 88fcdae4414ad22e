/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of children that were not sampled. A child that lives for a shorter time than
   lies between two looks of the family is not found. The kernel adds its CPU time to that
   of the parent that waits for it, but the parent may end soon, too. So the CPU time of
   waited-for children is read repeatedly for each process. When a command that we
   launched has ended, we wait for it ourselves; wait4(2) then tells the CPU time of
   everything that was waited for below it, up to its end. */

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
	/* Only after the tracer has read its clock for the last time, which waiting for
	   it would remove. */
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

/* The CPU time of waited-for children includes that of sampled ones, which is
   subtracted. */
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
