/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control: a socket by which `cproftop ctl` tells a running recording what to do.
 *
 * It is $XDG_RUNTIME_DIR/cproftop-PID, PID being that of the recording. The folder belongs
 * to one user and nobody else may enter it (XDG Base Directory Specification), so whoever
 * can connect may trace the same processes. One packet is a request ("stop"), the next one
 * its answer: "ok TEXT" or "error TEXT". The asker waits; the recording never does. It
 * talks to one asker at a time; the others wait their turn. Main thread.
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
	char path[108];
};

/* Listen as process PID. FOLDER is $XDG_RUNTIME_DIR; NULL if that is not set. */
bool control_open(
	struct control *control, const char *folder, pid_t pid, struct error *err);
void control_close(struct control *control); /* removes the socket; twice is fine */

/* A descriptor that is readable (poll(2)) when control_take may have a request; -1: none. */
int control_fd(const struct control *control);

/* The request of the next who connects, a text; false if there is none. Every request must
   be answered. */
bool control_take(struct control *control, char request[CONTROL_TEXT_MAX]);
void control_answer(struct control *control, bool done, const char *text);

/* Ask the recording PID, or if that is 0 the only one there is; its answer without "ok". */
bool control_ask(const char *folder, pid_t pid, const char *request,
	char answer[CONTROL_TEXT_MAX], struct error *err);

#endif
