/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine: give up every right that reading a hostile file does not need.
 *
 * For a child process that passes a file of the target to a library that is not meant for
 * hostile input (elfutils' SECURITY file: privileged processes should not use it on
 * untrusted input). No function here can be undone. Each takes all the steps that the
 * system allows: if one is refused, as in some containers, the next ones are still taken.
 * Call them in a child process with a single thread.
 */
#ifndef CPROFTOP_CONFINE_H
#define CPROFTOP_CONFINE_H

#include <stddef.h>

/* Give up identity and privileges: user 65534 (nobody) if we are root, no capabilities
   and none to be gained by exec, no core dump, no tracing by other processes of the user,
   file size limit 0, and the first process to be killed when memory runs out. The process
   may still fork. */
void confine_identity(void);

/* From now on this process may have BYTES of memory, less than confine_identity allows.
   Does nothing in builds with sanitizers. */
void confine_memory(size_t bytes);

/* From now on allow only: allocating memory (never executable), using descriptors that
   are already open, opening files for reading, and exiting. Every other system call fails
   with EPERM. Does nothing in builds with sanitizers, which need other system calls. */
void confine_calls(void);

#endif
