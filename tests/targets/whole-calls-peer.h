/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-calls-peer: the process at the other end of a pipe, terminal or socket. It reads
 * what a case writes, or writes what a case reads, and checks every byte.
 */
#ifndef CPROFTOP_TESTS_WHOLE_CALLS_PEER_H
#define CPROFTOP_TESTS_WHOLE_CALLS_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	SENT = 1 << 20,
	SENT_TO_TERMINAL = 128 << 10,
	FILE_SENT = 4 << 20,
	MESSAGE_BYTES = 1024,
	ORDINARY = 4096,
};

/* One end of a stream, of which the peer has the other. */
struct stream {
	int fd;
	uint64_t position;
	_Atomic uint64_t *wrong; /* what the peer found */
};

enum peer {
	READS,
	READS_SLOWLY,	   /* 64 KB, then it sleeps */
	READS_FILE,	   /* which begins anew after FILE_SENT bytes */
	READS_DESCRIPTORS, /* one comes with each SENT bytes */
	READS_MESSAGES,	   /* of MESSAGE_BYTES */
	WRITES,
	WRITES_MESSAGES,
	WRITES_LITTLE, /* ORDINARY bytes; the next ones only when it got a byte */
};

/* Have one on the other side of a pipe, of a FIFO, of a terminal in raw mode, of a unix
   socket of TYPE, of a TCP connection; for as long as we live. False if that cannot be. */
bool peer_on_pipe(struct stream *stream, enum peer what);
bool peer_on_fifo(struct stream *stream, enum peer what);
bool peer_on_terminal(struct stream *stream, enum peer what);
bool peer_on_unix(struct stream *stream, int type, enum peer what);
bool peer_on_tcp(struct stream *stream, enum peer what);

#endif
