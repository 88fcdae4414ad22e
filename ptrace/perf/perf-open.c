/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/perf/perf-open.h"

#include "src/base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int perf_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	attr->size = sizeof(*attr);
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	return (int)syscall(
		SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static long paranoid(void)
{
	char text[32];
	small_file_read(
		AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text));
	return strtol(text, NULL, 10);
}

/* Of events that there are not everywhere. */
static bool explain_event(const struct event *event, int errnum, struct error *err)
{
	bool is_missing = errnum == ENOENT || errnum == ENODEV || errnum == EOPNOTSUPP;
	if (event_is_of_processor(event->kind) && is_missing)
		return error_set(err,
			"-e %s: this machine shows no such counter of its processor, as "
			"most virtual machines: page-faults and others need none (-e "
			"list)",
			event->name);
	if (event_is_of_kernel(event->kind) && errnum == EACCES && paranoid() == 2)
		return error_set(err,
			"-e %s: it happens in the kernel, which "
			"kernel.perf_event_paranoid = 2 keeps from users: set it to 1, "
			"or run as root",
			event->name);
	if (event_has_places(event->kind) && errnum == ENOSPC)
		return error_set(err,
			"-e %s: a thread has four breakpoints, and a debugger or another "
			"recording has taken them: end it",
			event->name);
	return true;
}

bool perf_open_explain(const struct event *event, int errnum, struct error *err)
{
	const char *way = event->kind == EVENT_CPU_TIME
				  ? "use --engine ptrace, which needs no perf_event_open"
				  : "without -e, CPU time needs no perf_event_open";
	if (!explain_event(event, errnum, err))
		return false;
	switch (errnum) {
	case ENOSYS:
	case EOPNOTSUPP:
		return error_set(err, "this kernel has no perf events: %s", way);
	case EPERM:
	case EACCES:
		if (paranoid() > 2)
			return error_set(err,
				"kernel.perf_event_paranoid is %ld, which keeps perf "
				"events from users without CAP_PERFMON: set it to 2 or "
				"less, or %s",
				paranoid(), way);
		return error_set(err,
			"perf_event_open is not permitted here, by a seccomp filter (as "
			"containers have) or for want of CAP_PERFMON: %s",
			way);
	case ENOMEM:
		return error_set(err,
			"the kernel grants no memory for perf events: raise "
			"kernel.perf_event_mlock_kb or ulimit -l, or %s",
			way);
	case EMFILE:
	case ENFILE:
		return error_set(err,
			"perf events need an open file for each thread on each CPU, "
			"which is more than is allowed: raise ulimit -Hn, or %s",
			way);
	default:
		return error_errno(err, errnum, "cannot open perf events (%s)", way);
	}
}
