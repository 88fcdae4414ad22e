/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-worker: the child of the line reader; see src/names/line-reader.h.
 *
 * Two processes: a parent that only waits, and a more restricted child that reads the
 * files. If a file kills the child, the parent starts another one.
 */
#ifndef CPROFTOP_LINE_WORKER_H
#define CPROFTOP_LINE_WORKER_H

#include <sys/types.h>

/* After a fork: never returns. Answers what comes from SOCKET until that is closed, or
   PARENT is gone. */
_Noreturn void line_worker_main(int socket, pid_t parent);

#endif
