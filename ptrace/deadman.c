/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/deadman.h"

#include "src/base/clock.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* not in all versions of glibc */
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool deadman_init(struct deadman *deadman, unsigned ms, struct error *err)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	if (timer_create(CLOCK_MONOTONIC, &event, &deadman->timer) != 0)
		return error_errno(err, errno, "cannot make the dead-man timer");
	deadman->exists = true;
	deadman->ms = ms;
	return true;
}

void deadman_finish(struct deadman *deadman)
{
	if (deadman->exists)
		timer_delete(deadman->timer);
	if (deadman->warns)
		timer_delete(deadman->warning);
	deadman->exists = deadman->warns = false;
}

bool deadman_warn(struct deadman *deadman, unsigned ms, int signal, struct error *err)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		.sigev_notify_thread_id = gettid()};
	if (timer_create(CLOCK_MONOTONIC, &event, &deadman->warning) != 0)
		return error_errno(err, errno, "cannot make the dead-man's warning");
	deadman->warns = true;
	deadman->warning_ms = ms;
	return true;
}

static void set(timer_t timer, unsigned ms)
{
	struct itimerspec when = {.it_value = clock_to_timespec(ms * NS_PER_MS)};
	timer_settime(timer, 0, &when, NULL);
}

void deadman_arm(struct deadman *deadman)
{
	set(deadman->timer, deadman->ms);
	if (!deadman->warns)
		return;
	set(deadman->warning, deadman->warning_ms);
	deadman->warns_ns = clock_monotonic_ns() + deadman->warning_ms * NS_PER_MS;
}

void deadman_hush(struct deadman *deadman, uint64_t until_ns)
{
	if (!deadman->warns || until_ns < deadman->warns_ns ||
		clock_monotonic_ns() > deadman->warns_ns)
		return;
	set(deadman->warning, 0);
	deadman->warns_ns = 0;
}

void deadman_disarm(struct deadman *deadman)
{
	set(deadman->timer, 0);
}
