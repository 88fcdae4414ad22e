/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine-calls: which system calls a process may still make (seccomp(2)).
 *
 * Every other one fails with EPERM. It cannot be undone, and a process that is forked later
 * begins with it. In builds with sanitizers, which need other system calls, these do
 * nothing. After confine_identity, in a process with a single thread.
 */
#ifndef CPROFTOP_CONFINE_CALLS_H
#define CPROFTOP_CONFINE_CALLS_H

/* For a process that reads hostile files: allocate memory (never executable), use
   descriptors that are already open but not change how they are open, for others who share
   them, open files for reading, lower its own priority, end itself. */
void confine_reader_calls(void);

/* For the reader (src/read/reader/reader.h), which is given all that it reads: the same without opening
   anything, and to wait for what comes. */
void confine_reader_process_calls(void);

/* For a process that opens connections and files for us: all but what reaches other processes,
   starts programs, or changes what it is. */
void confine_fetcher_calls(void);

#endif
