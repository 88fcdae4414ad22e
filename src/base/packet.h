/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet: packets between our processes, over a SOCK_SEQPACKET pair, each with a descriptor or
 * without. Makes system calls and nothing else. Any thread.
 */
#ifndef CPROFTOP_PACKET_H
#define CPROFTOP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum packet_wait {
	PACKET_WAIT,
	PACKET_AT_ONCE, /* or fail with EAGAIN */
};

/* HEAD with BYTES behind it, and FD (-1: none), which stays the caller's. False and errno: there is
   no room, or nobody listens any more. */
bool packet_send(int socket, enum packet_wait wait, const void *head, size_t head_bytes,
	const void *bytes, size_t length, int fd);

/* A packet: HEAD whole, and behind it at most SIZE bytes. Returns how many those are; -1 and errno
   if there is none now, or the other side is gone (EPIPE); -2 if it is no such packet. *FD is what
   came with it, -1 if nothing did; NULL: no descriptor is taken. */
ssize_t packet_receive(int socket, enum packet_wait wait, void *head, size_t head_bytes,
	void *bytes, size_t size, int *fd);

#endif
