/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer-main: the main function of the tracer's process.
 */
#ifndef CPROFTOP_PTRACE_TRACER_MAIN_H
#define CPROFTOP_PTRACE_TRACER_MAIN_H

#include "ptrace/tracer/control.h"

/* Follow the messages on SOCKET until TRACER_STOP, or until it is closed or the process MAIN
   ends. Called in a child of MAIN's that was just forked. It uses SIGUSR1. */
_Noreturn void tracer_main(int socket, pid_t main, struct tracer_control *control,
	const struct tracer_options *options);

#endif
