/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader-process: how a fork of main becomes the reader, and loses all rights.
 */
#ifndef CPROFTOP_READER_PROCESS_H
#define CPROFTOP_READER_PROCESS_H

#include "src/read/reader/reader-options.h"

#include <sys/types.h>

/* In the child: keep only the descriptors of OPTIONS, under low numbers, which OPTIONS has then;
   end when PARENT does; be reached by no key of the terminal. */
void reader_process_begin(struct reader_options *options, pid_t parent);

/* Give up all that is left. Cannot be undone. */
void reader_process_confine(void);

#endif
