/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-reader: source lines and inlined functions, read by a process of its own.
 *
 * The debugging information of a target's file may be hostile, and libdw was not made for
 * that: it reads past buffers and loops for ever (tests/fuzz/lines.c found such a file in
 * its first minute). So it is read by a worker (src/base/worker/worker.h), and not by a process
 * that can trace. This is our end of the socket to it: nothing here waits.
 *
 * The worker begins with the first request, and again with the first after it has died. One
 * thread at a time. Private to the resolver.
 */
#ifndef CPROFTOP_LINE_READER_H
#define CPROFTOP_LINE_READER_H

#include "src/base/worker/worker.h"
#include "src/read/names/line-wire.h"

#include <stdbool.h>

struct line_reader;

/* A debug file may name another one that has a part of it; the worker opens that below
   DEBUG_DIRS (':' between them; NULL: none; borrowed) and /usr/lib/debug, and no file
   elsewhere, where the kernel has Landlock. */
struct line_reader *line_reader_create(const char *debug_dirs);
void line_reader_destroy(struct line_reader *reader); /* NULL is fine */

/* To be polled for replies; -1 if there is no worker now. */
int line_reader_fd(const struct line_reader *reader);

/* There will be none any more: none can be begun, or one has sent what makes no sense. */
bool line_reader_is_over(const struct line_reader *reader);

/* Send REQUEST, and with it the file that is open at FD unless that is -1. False if the
   socket is full, or there is no worker. */
bool line_reader_send(
	struct line_reader *reader, const struct line_request *request, int fd);

/* The next reply. *TEXT are its two texts, valid until the next call. A reply may be forged by the
   file: after the first one that makes no sense no more are taken. WORKER_END: what was not
   answered is to be asked again, with the files, if it is not over. */
enum worker_arrival line_reader_receive(
	struct line_reader *reader, struct line_reply *reply, const char **text);

#endif
