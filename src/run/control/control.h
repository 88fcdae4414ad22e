/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control: a socket by which `cproftop ctl` tells a running recording, or a live screen,
 * what to do.
 *
 * It is $XDG_RUNTIME_DIR/cproftop-PID, PID being that of the recording; of a screen,
 * cproftop-screen-PID. The folder belongs
 * to one user and nobody else may enter it (XDG Base Directory Specification), so whoever
 * can connect may trace the same processes; in one that others may write to no socket is made.
 * The socket has its mode from the start, as nothing is done to it by its path. One packet is a request ("stop"), the next one
 * its answer: "ok TEXT" or "error TEXT". The asker waits; the recording never does. It
 * talks to one asker at a time; the others wait their turn. What a snapshot is written to comes
 * with the request: a file in memory, which the asker then writes to the disk with its own
 * rights. Main thread.
 */
#ifndef CPROFTOP_CONTROL_H
#define CPROFTOP_CONTROL_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	CONTROL_TEXT_MAX = 4200 /* a path, and a word before it */
};

struct control {
	int fd;	     /* -1: closed */
	int peer_fd; /* who has connected; -1: nobody */
	int file_fd; /* what came with the request; -1: nothing */
	char path[108];
};

enum control_kind {
	CONTROL_RECORDING,
	CONTROL_SCREEN,
	CONTROL_KINDS
};

/* Listen as process PID. FOLDER is $XDG_RUNTIME_DIR; NULL if that is not set. */
bool control_open(struct control *control, const char *folder, enum control_kind kind,
	pid_t pid, struct error *err);
void control_close(struct control *control); /* removes the socket; twice is fine */

/* A descriptor that is readable (poll(2)) when somebody may ask; -1: none. */
int control_fd(const struct control *control);

/* What can be asked for; each is called with CONTEXT, by control_serve. */
struct control_orders {
	void *context;
	void (*pause)(void *context, bool paused);
	void (*mark)(void *context, const char *text);
	/* Write what there is to descriptor FD, for a file called PATH; NULL: it cannot be asked
	   for. */
	bool (*snapshot)(void *context, const char *path, int fd, struct error *err);
	/* "sampling, 12 samples in 0.1 s": the answer to all but a snapshot. */
	void (*status)(void *context, char *text, size_t size);
};

/* Do what was asked for, and answer: "start", "stop", "status", "mark TEXT", "snapshot
   PATH". Call it when control_fd is readable; it does not wait. */
void control_serve(struct control *control, const struct control_orders *orders);

/* Ask PID, or if that is 0 the only recording there is, or else the only screen; its answer
   without "ok". FILE_FD goes along, -1: nothing. False and ERR, too, if there is no answer within
   WITHIN_S seconds: it is stopped, or does not get on. */
bool control_ask(const char *folder, pid_t pid, const char *request, int file_fd,
	unsigned within_s, char answer[CONTROL_TEXT_MAX], struct error *err);

#endif
