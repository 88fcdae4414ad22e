/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer-main: the tracer, as a process.
 */
#ifndef CPROFTOP_PTRACE_TRACER_MAIN_H
#define CPROFTOP_PTRACE_TRACER_MAIN_H

#include "ptrace/tracer/control.h"

/* Do what SOCKET says until it says TRACER_STOP, or is closed. For a fresh process with
   one thread that is nothing else; SIGUSR1 is its own. */
_Noreturn void tracer_main(
	int socket, struct tracer_control *control, const struct tracer_options *options);

#endif
