/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine: what takes the samples, and what finds the callers in them.
 */
#ifndef CPROFTOP_ENGINE_H
#define CPROFTOP_ENGINE_H

enum engine {
	ENGINE_PTRACE, /* stops of ptrace(2): wherever a process may be traced */
	ENGINE_PERF,   /* the kernel, by perf_event_open(2), where that is granted */
	ENGINE_AUTO,   /* a wish: the kernel where it shows all, else ptrace */
};

enum unwind_by {
	UNWIND_BY_OWN,	     /* src/read/unwind */
	UNWIND_BY_LIBUNWIND, /* unw_step, over the same copies */
};

/* How the two are told in files and on the screen. */
static inline const char *engine_name(enum engine engine)
{
	return engine == ENGINE_PERF ? "perf" : "ptrace";
}

static inline const char *unwind_by_name(enum unwind_by by)
{
	return by == UNWIND_BY_LIBUNWIND ? "libunwind" : "own";
}

#endif
