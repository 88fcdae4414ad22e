/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of children that were not sampled. A child that lives for a shorter time than
   lies between two looks of the family is not found. The kernel adds its CPU time to that
   of the parent that waits for it, but the parent may end soon, too. So the CPU time of
   waited-for children is read repeatedly for each process. When a command that we
   launched has ended, we wait for it ourselves; wait4(2) then tells the CPU time of
   everything that was waited for below it, up to its end. */

#include "src/run/session/session.h"

#include "src/base/clock.h"
#include "src/process/list/children.h"
#include "src/process/task.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	GENERATIONS = 32,
	END_WITHIN_MS = 1000, /* of a command that is on its way out */
};

/* Times of children are told in clock ticks. */
#define TOLERANCE_NS (20 * NS_PER_MS)

void session_reap(struct session *session)
{
	if (!session->options.command || session->processes.len == 0)
		return;
	struct session_process *first = session->processes.data[0];
	struct rusage usage;
	bool is_told = meter_get(&ring_meter(first->ring)->target_exited);
	/* Only after the tracer has read its clock for the last time, which waiting for
	   it would remove. */
	if (session->is_reaped || (session->tracer && !is_told) ||
		wait4(first->target.pid, &session->launched_status, WNOHANG, &usage) <= 0)
		return;
	session->is_reaped = true;
	if (!is_told)
		return; /* it ended after the last look, so the two times differ */
	uint64_t all_ns =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SEC +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
	uint64_t own_ns = meter_own_ns(ring_meter(first->ring));
	if (all_ns > own_ns + first->reaped_ns)
		first->reaped_ns = all_ns - own_ns;
}

/* Is the command on its way out? To give back its memory takes a while, and whoever killed it did
   not wait for that. */
static bool is_ending(const struct session_process *first)
{
	struct task_stat stat;
	if (meter_get(&ring_meter(first->ring)->target_exited))
		return true;
	return !task_stat_at(first->target.proc_fd, "stat", &stat) ||
	       (stat.flags & TASK_FLAG_EXITING);
}

/* Wait for it, if it is on its way out. */
static void await_end(struct session *session)
{
	session_reap(session);
	for (int left_ms = END_WITHIN_MS;
		left_ms > 0 && !session->is_reaped && session->processes.len > 0 &&
		is_ending(session->processes.data[0]);
		left_ms--) {
		usleep(1000);
		session_reap(session);
	}
}

void session_end_command(struct session *session)
{
	if (!session->options.command || session->processes.len == 0)
		return;
	await_end(session);
	session->is_ended = !session->is_reaped;
	if (session->is_ended)
		kill(session->processes.data[0]->target.pid, SIGTERM);
}

int session_launched_exit(struct session *session)
{
	await_end(session);
	int status = session->launched_status;
	if (!session->is_reaped || session->is_ended)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void session_expect_reaped(struct session_process *process, bool is_child)
{
	struct task_stat stat;
	process->is_child = is_child;
	if (is_child && task_stat_at(process->target.proc_fd, "stat", &stat))
		process->parent = stat.parent;
	if (!is_child)
		process->reaped_base_ns = children_reaped_ns(process->target.pid);
}

static uint64_t ended_ns(const struct session_process *process)
{
	return meter_get(&ring_meter(process->ring)->ended_ns);
}

/* The parent of CHILD, if it is sampled or was until lately. */
static const struct session_process *parent_of(
	const struct session *session, const struct session_process *child)
{
	vec_each (&session->processes, at)
		if (child->is_child && (*at)->target.pid == child->parent)
			return *at;
	return NULL;
}

bool session_awaits_parent(
	const struct session *session, const struct session_process *child)
{
	const struct session_process *parent = parent_of(session, child);
	return parent && !ended_ns(parent) && parent->read_ns <= ended_ns(child);
}

/* CHILD has ended. Does what was read of its parent have its CPU time? Not if the parent
   ended, too, before it was read again, as `time` does; but then that of the parent's parent
   has it, if that was waiting. */
static bool is_in_parent(
	const struct session *session, const struct session_process *child)
{
	const struct session_process *parent = parent_of(session, child);
	for (unsigned i = 0; i < GENERATIONS && parent && ended_ns(parent); i++) {
		const struct session_process *above = parent_of(session, parent);
		if (!above)
			break;
		parent = above;
	}
	return !parent || !ended_ns(parent) ||
	       parent->reaped_ns + TOLERANCE_NS >=
		       child->reaped_ns + meter_own_ns(ring_meter(child->ring));
}

/* What is to be counted of PROCESS: *ALL_NS of children that it waited for, and *SEEN_NS
   that is in that of its parent, and was sampled. */
static void count_reaped(const struct session *session,
	const struct session_process *process, uint64_t *all_ns, uint64_t *seen_ns)
{
	if (process->is_child && ended_ns(process) && is_in_parent(session, process))
		*seen_ns += meter_own_ns(ring_meter(process->ring));
	else
		*all_ns += process->reaped_ns;
}

void session_keep_reaped(struct session *session, const struct session_process *process)
{
	count_reaped(
		session, process, &session->gone_reaped_ns, &session->gone_children_ns);
}

/* The CPU time of waited-for children includes that of sampled ones, which is
   subtracted. */
uint64_t session_unsampled_ns(struct session *session)
{
	session_reap(session);
	uint64_t all_ns = session->gone_reaped_ns, seen_ns = session->gone_children_ns;
	vec_each (&session->processes, at)
		count_reaped(session, *at, &all_ns, &seen_ns);
	return all_ns > seen_ns ? all_ns - seen_ns : 0;
}

uint64_t session_unseen_ns(struct session *session)
{
	uint64_t all_ns = session_unsampled_ns(session);
	uint64_t adopted_ns = meter_get(&session->gone.cpu_adopted_ns);
	vec_each (&session->processes, at)
		adopted_ns += meter_get(&ring_meter((*at)->ring)->cpu_adopted_ns);
	return all_ns > adopted_ns ? all_ns - adopted_ns : 0;
}

void session_read_reaped(struct session *session)
{
	vec_each (&session->processes, at) {
		struct session_process *process = *at;
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t reaped_ns = children_reaped_ns(process->target.pid);
		if (reaped_ns < process->reaped_base_ns + process->reaped_ns)
			continue;
		process->reaped_ns = reaped_ns - process->reaped_base_ns;
		process->read_ns = now_ns;
	}
}
