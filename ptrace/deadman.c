/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/deadman.h"

#include "src/base/clock.h"

#include <errno.h>
#include <signal.h>

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
	deadman->exists = false;
}

static void set(struct deadman *deadman, uint64_t ns)
{
	struct itimerspec when = {.it_value = clock_to_timespec(ns)};
	timer_settime(deadman->timer, 0, &when, NULL);
}

void deadman_arm(struct deadman *deadman)
{
	set(deadman, deadman->ms * NS_PER_MS);
}

void deadman_disarm(struct deadman *deadman)
{
	set(deadman, 0);
}
