/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker-child: the end of a worker that works; see src/base/worker/worker.h.
 */
#ifndef CPROFTOP_WORKER_CHILD_H
#define CPROFTOP_WORKER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	WORKER_SOCKET = 3,
	WORKER_PACKET_MAX = 64 << 10,
};

struct worker_kind {
	const char *name; /* of its processes: at most 15 bytes */
	/* In the child: answer what comes from WORKER_SOCKET until that is closed.
	   So many children (NUMBER) have died before this one. */
	void (*serve)(uint32_t number);
	size_t memory_bytes; /* so much it may have; 0: as confine_identity allows */
	/* The packet that its parent sends when a child has died. */
	const void *anew;
	size_t anew_length;
};

/* After a fork: never returns. Works until SOCKET is closed or PARENT is gone. FOLDERS: as
   for worker_start_reading. */
_Noreturn void worker_main(const struct worker_kind *kind, int socket, pid_t parent,
	const char *const *folders);

enum worker_arrival {
	WORKER_PACKET,
	WORKER_NOTHING_YET, /* only if it need not wait */
	WORKER_END,	    /* nothing will come any more */
};

/* For `serve`. Receive a packet of at most SIZE bytes into OUT, its *LENGTH and *FD: the
   file that came with it, or -1. */
enum worker_arrival worker_child_receive(
	void *out, size_t size, size_t *length, int *fd, bool wait);

/* Send a packet, and wait until there is room for it. Ends this process if nobody listens
   any more. */
void worker_child_send(const void *packet, size_t length);

/* If the next answer takes more than SECONDS of CPU time, as in an endless loop of the
   library, the kernel ends this process. */
void worker_child_set_alarm(unsigned seconds);

#endif
