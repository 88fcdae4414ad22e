/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker: a process without rights, for a library that was not made for hostile input.
 *
 * What such a library reads may come from the target, so it is called in a process that has given
 * up every right (own-process.h), and not where others' rights or other work can be lost. It is
 * begun when it is first needed: by main itself, or by main's opener for a process that may begin
 * none (src/base/ask-opener.h). If some input kills it, another one is begun for the next
 * question.
 *
 * It is spoken to in packets over a SOCK_SEQPACKET pair, which never come in parts. The
 * packets are the business of who uses a worker (src/read/names/line-wire.h). What a worker
 * sends may be forged by its input. Nothing here waits for one. One thread at a time.
 */
#ifndef CPROFTOP_WORKER_H
#define CPROFTOP_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	WORKER_PACKET_MAX = 64 << 10,
};

struct worker {
	const char *name, *argument; /* as of own_process_begin */
	int socket;		     /* to be polled for packets; -1: there is none now */
	pid_t pid;		     /* 0: there is none, or it is not our child */
	bool is_over;		     /* there will be none any more */
	size_t length;		     /* of PACKET, the last one received */
	char packet[WORKER_PACKET_MAX];
};

/* ARGUMENT, which may be NULL, is borrowed. */
void worker_init(struct worker *worker, const char *name, const char *argument);
void worker_stop(struct worker *worker);

/* From now on it is not listened to, and no other one is begun. */
void worker_dismiss(struct worker *worker);

/* Send a packet of HEAD and BODY (NULL: none), and with it the file that is open at FD
   unless that is -1; begin a worker before if there is none. False if the socket is full,
   this one has ended, or none can be begun (IS_OVER). */
bool worker_send(struct worker *worker, const void *head, size_t head_length,
	const void *body, size_t body_length, int fd);

enum worker_arrival {
	WORKER_PACKET,
	WORKER_NOTHING_YET,
	WORKER_END, /* it has ended: what it did not answer is to be asked again */
};

/* Receive the next packet. */
enum worker_arrival worker_receive(struct worker *worker);

/* --- for what works ---------------------------------------------------------------- */

/* Give up all rights but to read what is below FOLDERS, for good. It ends when it has used as much
   CPU time as many questions take. */
void worker_confine(const char *const *folders);

/* Receive a packet of at most SIZE bytes into OUT, its *LENGTH and *FD: the file that came with it,
   or -1. WORKER_NOTHING_YET comes only if it need not WAIT; WORKER_END: nothing will come
   any more. */
enum worker_arrival worker_await(
	void *out, size_t size, size_t *length, int *fd, bool wait);

/* Send a packet, and wait until there is room for it. Ends this process if nobody listens
   any more. */
void worker_answer(const void *packet, size_t length);

/* If the next answer takes more than SECONDS of CPU time, as in an endless loop of the
   library, the kernel ends this process. */
void worker_set_alarm(unsigned seconds);

#endif
