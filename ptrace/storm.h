/*
 * storm: is a thread being sent so many signals that watching it harms it?
 *
 * Every signal to a traced thread stops it until its tracer passes the signal on. That is
 * nothing for a signal now and then, but a thread that takes thousands a second would
 * spend its time waiting for us. Such a thread is let go, and only traced from a sample's
 * interrupt to its stop (stop.c). Nobody counts the signals of a thread that is not
 * traced, so after a while it is traced again, and let go at once if it still storms.
 *
 * A single signal that the thread would have ignored is as bad, and starts a storm. It
 * exists only because somebody traces (sig_ignored, kernel/signal.c), and while it waits
 * for one thread any other of the process that looks for signals finds it: a sigwaitinfo
 * then returns EINTR in a thread that never stopped, and nothing can be mended. SIGCHLD
 * is the usual one, and whoever gets one will get more: that storm never ends. Pure;
 * sampler thread.
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
	uint64_t until_ns;  /* believed to last until then; UINT64_MAX: for good */
	unsigned signals;   /* in this window */
};

/* SIGNAL was passed on at NOW_NS. */
void storm_count(struct storm *storm, int signal, uint64_t now_ns);

/* Is SIGNAL one that a process ignores if nothing else is said? */
bool storm_is_unheard(int signal);

bool storm_rages(const struct storm *storm, uint64_t now_ns);

#endif
