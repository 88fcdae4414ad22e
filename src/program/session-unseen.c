/* A child that lives shorter than the family's looks are apart is not sampled. What it
   used the kernel tells to its parent, which may have ended as well. So what each process
   has waited for is read again and again; and when a command that we launched has ended,
   we have waited for it, and were told the CPU time of all that were waited for below it.
 */

#include "src/program/session.h"

#include "src/base/clock.h"
#include "src/target/children.h"

#include <sys/resource.h>

uint64_t session_waited_for_ns(void)
{
	struct rusage usage;
	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
}

/* A launched command that has ended was waited for by us: what is not its own is that of
   its children, also of those that it waited for at its very end. The others that we wait
   for, as the line reader, are there until the session is over. */
static void read_launched(struct session *session)
{
	struct session_process *first = session->processes.data[0];
	if (!session->options.command || !meter_get(&first->meter.ended_ns))
		return;
	uint64_t all_ns = session_waited_for_ns() - session->launched_base_ns;
	uint64_t own_ns = meter_charged_ns(&first->meter);
	if (all_ns > own_ns + first->reaped_ns)
		first->reaped_ns = all_ns - own_ns;
}

/* What was waited for contains what was seen of it. */
uint64_t session_unseen_ns(struct session *session)
{
	read_launched(session);
	uint64_t all_ns = session->gone_reaped_ns, seen_ns = session->gone_children_ns;
	vec_each (&session->processes, at) {
		const struct session_process *process = *at;
		bool ended = meter_get(&process->meter.ended_ns) != 0;
		if (process->is_child && ended)
			seen_ns += meter_charged_ns(&process->meter);
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
