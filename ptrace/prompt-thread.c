/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/prompt-thread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SLICE_NS = 100 * 1000,
	URGENT_NS = 3 * 1000 * 1000,
	URGENT_PERIOD_NS = 10 * 1000 * 1000,
	POLICY_DEADLINE = 6, /* of sched(7); not in glibc's header, either */
	RESET_ON_FORK = 1,
};

/* struct sched_attr of sched_setattr(2), first version. Its header cannot be included
   together with glibc's <sched.h>. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool become_real_time(void)
{
	struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO)};
	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
}

/* EEVDF, since Linux 6.12; older kernels ignore it. */
static void take_short_slices(void)
{
	struct scheduling ours = {0};
	if (syscall(SYS_sched_getattr, 0, &ours, sizeof(ours), 0) == 0 &&
		ours.policy == SCHED_OTHER) {
		ours.runtime = SLICE_NS;
		syscall(SYS_sched_setattr, 0, &ours, 0);
	}
}

static bool become_urgent(void)
{
	struct scheduling ours = {
		.size = sizeof(ours),
		.policy = POLICY_DEADLINE,
		.flags = RESET_ON_FORK,
		.runtime = URGENT_NS,
		.deadline = URGENT_PERIOD_NS,
		.period = URGENT_PERIOD_NS,
	};
	return syscall(SYS_sched_setattr, 0, &ours, 0) == 0;
}

void prompt_attributes(pthread_attr_t *attributes)
{
	struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO)};
	pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(attributes, SCHED_FIFO);
	pthread_attr_setschedparam(attributes, &lowest);
}

void prompt_lookout(int nice)
{
	setpriority(PRIO_PROCESS, 0, nice);
	take_short_slices();
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
}

bool prompt_thread(void)
{
	bool is_real_time = become_real_time();
	if (!is_real_time)
		take_short_slices();
	/* The default slack of a timer is 50 us (prctl(2)). */
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	return is_real_time;
}

bool prompt_outsider(void)
{
	return become_urgent() || prompt_thread();
}
