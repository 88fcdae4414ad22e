/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wide-stack: enough stack, whatever `ulimit -s` says.
 *
 * The limit holds for the stack of the first thread, and is what other threads get
 * (pthread_create(3)); buffers of a path or two, libdw and the demangler need some hundred KB.
 * It is not raised: the program that is started to be sampled inherits it.
 */
#ifndef CPROFTOP_WIDE_STACK_H
#define CPROFTOP_WIDE_STACK_H

/* The result of PROGRAM(ARGC, ARGV). Where the limit is small, it and all processes that it forks
   run on a stack of their own, and all threads have as much. Called once, by main. */
int wide_stack_run(int (*program)(int argc, char **argv), int argc, char **argv);

#endif
