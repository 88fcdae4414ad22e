/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers: who is at the other end of a pipe or a connection, where /proc tells.
 *
 * Which processes have a pipe open, and for what, is in /proc/PID/fd and fdinfo of all that we
 * may look at; the ends of a TCP connection are in /proc/PID/net/tcp. The other end of a Unix
 * socket is in no file of /proc. Reading all of this takes milliseconds, so it is read when
 * something is asked that was not known at the last reading, at most every PEERS_EVERY_MS. A
 * reading takes PEERS_PART_MS of CPU time at once, and goes on when something is asked again,
 * PEERS_REST_MS later. What was found is kept. Asks no file system. One thread at a time.
 */
#ifndef CPROFTOP_PEERS_H
#define CPROFTOP_PEERS_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PEERS_EVERY_MS = 5000,
	PEERS_PART_MS = 20,
	PEERS_REST_MS = 200,
};

/* A descriptor of some process that leads to a pipe or socket. */
struct peer_descriptor {
	uint64_t inode;
	pid_t pid;
	int fd;
	bool is_pipe;
};

/* A TCP socket; addresses as /proc has them: "0100007F:1F90". */
struct peer_socket {
	uint64_t inode;
	const char *local, *remote;
};

/* Zeroed it knows nothing yet. */
struct peers {
	uint64_t due_ns; /* when it may be read again */
	pid_t next_pid;	 /* where the reading goes on; 0: from the begin */
	VEC(struct peer_descriptor) descriptors;
	VEC(struct peer_socket) sockets;
	struct strpool texts;
	VEC(const char *) answers;
	struct idmap known; /* (inode, is a pipe that is written) -> index in answers */
};

/* LINK is where a descriptor of process PID leads, "pipe:[77]" or "socket:[77]"; WRITES: it
   is waited for to take data. The other end: "from nginx (4711)", "to 10.0.0.1:5432"; "" if it
   is not known. Valid as long as PEERS. NOW_NS is monotonic. */
const char *peers_say(
	struct peers *peers, pid_t pid, const char *link, bool writes, uint64_t now_ns);

void peers_finish(struct peers *peers);

#endif
