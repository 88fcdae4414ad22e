/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine: give up every right that reading a hostile file does not need.
 *
 * For a child process that passes a target's file to a library that was not made for
 * hostile input (elfutils' SECURITY: not to be used on untrusted input by a privileged
 * process). Neither function can be undone. Each takes every step that the system allows:
 * one that is refused, as in some containers, does not keep it from the next. Call them
 * in a child process with a single thread.
 */
#ifndef CPROFTOP_CONFINE_H
#define CPROFTOP_CONFINE_H

/* Become an ordinary nobody: user 65534 if we are root, no capabilities and none to be
   gained by exec, no core dump, not to be debugged by others, no file may grow, first
   choice when memory runs out. The process may still fork. */
void confine_identity(void);

/* Allow only this from now on: memory (none of it executable), descriptors that are
   already open, opening files for reading, and exiting. Every other system call fails
   with EPERM. Does nothing in builds with sanitizers, which need more. */
void confine_calls(void);

#endif
