/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/session/nothing.h"

#include "src/base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Times of children are told in clock ticks of 10 ms. */
#define CHILDREN_LEAST_NS (50 * NS_PER_MS)

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

/* It used less CPU time than lies between two samples, or hardly more. */
static void explain_idle(const struct nothing *nothing, char *out, size_t size)
{
	const struct summary *summary = nothing->summary;
	uint64_t period_ns =
		summary->frequency_hz ? NS_PER_SEC / summary->frequency_hz : NS_PER_SEC;

	if (nothing->ended)
		snprintf(out, size,
			"process %d used %.1f ms of CPU and ended; a sample is taken of "
			"each %.1f ms: give -F a higher rate",
			(int)nothing->pid, 1e3 * seconds(summary->cpu_kernel_ns),
			1e3 * seconds(period_ns));
	else if (summary->cpu_kernel_ns < 3 * period_ns)
		snprintf(out, size,
			"process %d waited: it used %.1f ms of CPU, and a sample is "
			"taken of each %.1f ms; -m wall shows what it waits for, -d a "
			"longer time",
			(int)nothing->pid, 1e3 * seconds(summary->cpu_kernel_ns),
			1e3 * seconds(period_ns));
	else
		snprintf(out, size,
			"process %d used %.2f s of CPU, but no sample could be taken; "
			"--stats says what was lost, and -F asks for more samples",
			(int)nothing->pid, seconds(summary->cpu_kernel_ns));
}

static void explain_event(const struct nothing *nothing, char *out, size_t size)
{
	const struct summary *summary = nothing->summary;

	if (summary->event_counted)
		snprintf(out, size,
			"process %d had %" PRIu64 " %s: give -e a smaller period",
			(int)nothing->pid, summary->event_counted, summary->event.name);
	else
		snprintf(out, size, "process %d had no %s", (int)nothing->pid,
			summary->event.name);
}

bool nothing_explain(const struct nothing *nothing, char *out, size_t size)
{
	const struct summary *summary = nothing->summary;

	if (health_stacks(&summary->health) > 0)
		return false;
	uint64_t samples = summary->samples > summary->samples_unfiltered
				   ? summary->samples
				   : summary->samples_unfiltered;
	if (samples > 0 && nothing->focus)
		snprintf(out, size,
			"none of the %" PRIu64 " samples has a function that matches "
			"--focus '%s'%s",
			samples, nothing->focus,
			nothing->threads ? ", in a thread that -t matches" : "");
	else if (samples > 0 && nothing->threads)
		snprintf(out, size,
			"none of the %" PRIu64 " samples is of a thread that matches "
			"-t '%s'",
			samples, nothing->threads);
	else if (nothing->was_paused)
		snprintf(out, size,
			"sampling was paused all the time: start it with 'cproftop ctl "
			"start', or SIGUSR1 to cproftop");
	else if (summary->samples_refused)
		snprintf(out, size,
			"another program traces process %d: end its debugger or strace",
			(int)nothing->pid);
	else if (nothing->stopped)
		snprintf(out, size,
			"process %d is stopped by a signal: kill -CONT %d lets it run",
			(int)nothing->pid, (int)nothing->pid);
	else if (nothing->children_cpu_ns >= CHILDREN_LEAST_NS && !nothing->children)
		snprintf(out, size,
			"process %d only waited for its children, which used %.2f s of "
			"CPU: --children samples them",
			(int)nothing->pid, seconds(nothing->children_cpu_ns));
	else if (nothing->children_cpu_ns >= CHILDREN_LEAST_NS)
		snprintf(out, size,
			"children used %.2f s of CPU, but each lived too briefly to be "
			"found: profile the program that they run",
			seconds(nothing->children_cpu_ns));
	else if (summary->event.kind != EVENT_CPU_TIME && !summary->event_errnum)
		explain_event(nothing, out, size);
	else
		explain_idle(nothing, out, size);
	return true;
}
