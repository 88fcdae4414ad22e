/*
 * storm: is a thread being sent so many signals that watching it harms it?
 *
 * Every signal to a traced thread stops it until its tracer passes the signal on. That is
 * nothing for a signal now and then, but a thread that takes thousands a second would
 * spend its time waiting for us. Such a thread is let go, and only traced from a sample's
 * interrupt to its stop (stop.c). Nobody counts the signals of a thread that is not
 * traced, so after a while it is traced again, and let go at once if it still storms.
 * Pure; sampler thread.
 */
#ifndef CPROFTOP_PTRACE_STORM_H
#define CPROFTOP_PTRACE_STORM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STORM_WINDOW_MS = 100,
	STORM_SIGNALS = 100, /* in one window: 1000 a second */
	STORM_CALM_MS = 5000,
};

struct storm {
	uint64_t window_ns; /* when the window began; monotonic */
	uint64_t until_ns;  /* believed to last until then; 0: no storm */
	unsigned signals;   /* in this window */
};

/* A signal was passed on at NOW_NS. */
void storm_count(struct storm *storm, uint64_t now_ns);

bool storm_rages(const struct storm *storm, uint64_t now_ns);

#endif
