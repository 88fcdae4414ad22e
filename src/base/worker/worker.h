/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker: a process without rights, for a library that was not made for hostile input.
 *
 * What such a library reads may come from the target, so it is not called in a process
 * that can trace, but in a child that has given up every right (src/base/rights/confine.h). The
 * worker consists of two processes: a parent that only waits, and a more restricted child
 * that works. If some input kills the child, the parent says so and starts another one.
 *
 * They are spoken to in packets over a SOCK_SEQPACKET pair, which never come in parts.
 * The packets are the business of who uses a worker (src/read/names/line-wire.h). What a worker
 * sends may be forged by its input.
 *
 * worker_start forks, in main, before anything else is started: this process is small
 * then and has not seen a stack, so the worker contains none of that; and it has one
 * thread, so no lock can be held in the worker by a thread that does not exist there.
 * Nothing here but worker_stop waits. One thread at a time.
 */
#ifndef CPROFTOP_WORKER_H
#define CPROFTOP_WORKER_H

#include "src/base/worker/worker-child.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker {
	int socket; /* to be polled for packets; -1: there is no worker, or no longer */
	pid_t child;
	size_t length; /* of PACKET, the last one received */
	char packet[WORKER_PACKET_MAX];
};

/* Fork it. If that fails, its socket is -1. It opens no file by name, where the kernel has
   Landlock; or only below FOLDERS, which are as confine_reading_to takes them. */
void worker_start(struct worker *worker, const struct worker_kind *kind);
void worker_start_reading(struct worker *worker, const struct worker_kind *kind,
	const char *const *folders);
void worker_stop(struct worker *worker);

/* From now on it is not listened to. */
void worker_dismiss(struct worker *worker);

/* Send a packet of HEAD and BODY (NULL: none), and with it the file that is open at FD
   unless that is -1. False if the socket is full, or there is no worker. */
bool worker_send(struct worker *worker, const void *head, size_t head_length,
	const void *body, size_t body_length, int fd);

/* Receive the next packet. False if there is none now. */
bool worker_receive(struct worker *worker);

#endif
