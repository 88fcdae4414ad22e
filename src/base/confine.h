/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine: give up every right that reading a hostile file does not need.
 *
 * For a child process that hands a target's file to a library which was not made for
 * hostile ones (elfutils' SECURITY: not to be used on untrusted input by a privileged
 * process). Both halves cannot be undone, and are done as far as the system allows: one
 * that is refused, as in some container, is no reason not to do the next. Child processes
 * with one thread.
 */
#ifndef CPROFTOP_CONFINE_H
#define CPROFTOP_CONFINE_H

/* Be nobody in particular: as root, the user 65534; no capabilities, none to be had by
   exec, no core dump, not to be debugged by others, no file may grow; the first to go
   when memory runs out. It may still fork. */
void confine_identity(void);

/* From here on only: memory (none that can be executed), the descriptors that are open,
   files opened for reading, and the end. Everything else fails with EPERM. Not in
   sanitizers' builds, which need more. */
void confine_calls(void);

#endif
