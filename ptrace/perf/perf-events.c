/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/perf/perf-events.h"

#include "ptrace/perf/perf-open.h"
#include "ptrace/threads/schedule.h"
#include "src/arch/arch.h"
#include "src/base/clock.h"
#include "src/process/task.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	LISTINGS_MOST = 16, /* as long as new threads come */
};

/* Before Linux 5.13 child processes inherit events, too; who reads leaves their samples out. */
static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = perf_open(attr, tid, cpu);
	if (fd >= 0 || errno != EINVAL || !attr->inherit_thread)
		return fd;
	attr->inherit_thread = 0;
	return perf_open(attr, tid, cpu);
}

static void close_event(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* A period begins anew when it is set, after half of one on average: as many samples as that takes
   away, shorter periods add. */
static uint64_t draw_period_ns(struct perf_events *events, const struct perf_wish *wish)
{
	uint64_t period_ns = wish->period_ns;
	return schedule_draw(&events->random, period_ns - period_ns / 4,
		period_ns + period_ns * 3 / 16);
}

/* False and errno. For each part and ring there is a descriptor, or -1. */
static bool open_thread(struct perf_events *events, const struct perf_rings *rings,
	const struct perf_wish *wish, pid_t tid)
{
	char path[PERF_PATH_MAX];
	for (size_t part = 0; part < perf_wish_parts(wish); part++) {
		struct perf_event_attr attr = perf_attr(wish, part, path);
		vec_each (&rings->rings, ring) {
			if (wish->event.kind == EVENT_CPU_TIME)
				attr.sample_period = draw_period_ns(events, wish);
			int fd = open_event(&attr, tid, ring->cpu);
			if (fd < 0 && errno != ENODEV) /* the CPU was switched off */
				return false;
			vec_push(&events->fds, fd);
			if (fd >= 0 &&
				ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0)
				return false;
		}
	}
	vec_push(&events->tids, tid);
	return true;
}

/* The place of TID; the number of all, if it has none. */
static size_t place_of(const struct perf_events *events, pid_t tid)
{
	size_t i = 0;
	while (i < events->tids.len && events->tids.data[i] != tid)
		i++;
	return i;
}

/* The same, but that it has ended is no failure. */
static bool open_listed(struct perf_events *events, const struct perf_rings *rings,
	const struct perf_wish *wish, pid_t tid)
{
	size_t before = events->fds.len;
	if (open_thread(events, rings, wish, tid))
		return true;
	int errnum = errno;
	while (events->fds.len > before)
		close_event(events->fds.data[--events->fds.len]);
	errno = errnum;
	return errnum == ESRCH;
}

/* As many files as this process may have. */
static void raise_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* One that has begun since the last listing has inherited events of the thread that began it, if
   that had any by then. It may get them twice: then it is sampled twice as often, and its
   samples weigh half. */
bool perf_events_open(struct perf_events *events, const struct perf_rings *rings,
	int task_dir_fd, const struct perf_wish *wish)
{
	struct task_list list = {0};
	bool fine = true;
	size_t before = SIZE_MAX;
	raise_limit();
	for (int i = 0; i < LISTINGS_MOST && fine && events->tids.len != before; i++) {
		before = events->tids.len;
		if (!task_list_read(task_dir_fd, &list))
			break;
		for (size_t at = 0; at < list.len && fine; at++)
			if (place_of(events, list.data[at]) == events->tids.len)
				fine = open_listed(events, rings, wish, list.data[at]);
	}
	int errnum = fine ? ESRCH : errno;
	free(list.data);
	if (fine && events->tids.len > 0)
		return true;
	perf_events_close(events);
	errno = errnum;
	return false;
}

void perf_events_close(struct perf_events *events)
{
	vec_each (&events->fds, fd)
		close_event(*fd);
	vec_free(&events->fds);
	vec_free(&events->tids);
}

void perf_events_vary(struct perf_events *events, const struct perf_rings *rings,
	const struct perf_wish *wish, pid_t tid, uint32_t ring)
{
	enum {
		ONE_IN = 8
	};
	if (schedule_draw(&events->random, 0, ONE_IN) != 0)
		return;
	size_t place = place_of(events, tid);
	uint64_t period_ns = draw_period_ns(events, wish);
	if (place < events->tids.len)
		ioctl(events->fds.data[place * rings->rings.len + ring],
			PERF_EVENT_IOC_PERIOD, &period_ns);
}

struct perf_count perf_events_count(const struct perf_events *events)
{
	struct perf_count count = {0};
	vec_each (&events->fds, fd) {
		struct perf_count one;
		if (*fd < 0 || read(*fd, &one, sizeof(one)) != sizeof(one))
			continue;
		count.events += one.events;
		count.enabled_ns += one.enabled_ns;
		count.running_ns += one.running_ns;
	}
	return count;
}

/* --- what is granted -------------------------------------------------------------------- */

/* A descriptor of our own thread's, with everything that samples of a target have; -1 and errno. */
static int try_own(const struct perf_wish *wish, int cpu)
{
	char path[PERF_PATH_MAX];
	struct perf_event_attr attr = perf_attr(wish, 0, path);
	return open_event(&attr, 0, cpu);
}

static bool may_open(
	struct perf_wish *wish, const struct perf_rings *rings, bool with_kernel)
{
	wish->grant.with_kernel = with_kernel;
	int fd = try_own(wish, rings->rings.data[0].cpu);
	close_event(fd);
	return fd >= 0;
}

__attribute__((noinline)) static void be_called(void)
{
	__asm__ volatile("");
}

/* Some machines accept breakpoints, and never stop at one. */
static bool breakpoints_work(struct perf_wish *wish)
{
	struct perf_count count = {0};
	wish->places.count = 1;
	wish->places.places[0].address = (uint64_t)(uintptr_t)be_called;
	int fd = try_own(wish, -1);
	be_called();
	bool is_read = fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count);
	close_event(fd);
	return is_read && count.events > 0;
}

static bool may_count_calls(struct perf_wish *wish, struct error *err)
{
	wish->grant.with_kernel = true; /* where no function is */
	if (breakpoints_work(wish))
		return true;
	if (wish->event.kind == EVENT_WRITE)
		return error_set(err,
			"-e %s: watchpoints stop at nothing on this machine (as in some "
			"virtual machines), and nothing else sees writes",
			wish->event.name);
	wish->grant.uprobe_type = perf_uprobe_type();
	return wish->grant.uprobe_type ||
	       error_set(err,
		       "-e %s: breakpoints stop at nothing on this machine (as in some "
		       "virtual machines), and uprobes need CAP_PERFMON: run as root",
		       wish->event.name);
}

bool perf_events_are_granted(
	const struct event *event, struct perf_grant *out, struct error *err)
{
	struct perf_rings rings;
	struct perf_wish wish = {.event = *event,
		.period_ns = NS_PER_SEC,
		.stack_bytes = PERF_STACK_FIRST_BYTES};
	wish.event.period = NS_PER_SEC; /* too seldom to happen */
	if (!perf_rings_open(&rings))
		return perf_open_explain(event, errno, err);
	bool granted;
	if (event_has_places(event->kind)) {
		granted = may_count_calls(&wish, err);
	} else {
		granted = may_open(&wish, &rings, true) ||
			  (!event_is_of_kernel(event->kind) &&
				  may_open(&wish, &rings, false));
		if (!granted)
			perf_open_explain(event, errno, err);
	}
	*out = wish.grant;
	perf_rings_close(&rings);
	return granted;
}
