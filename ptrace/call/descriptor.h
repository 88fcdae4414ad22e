/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptor: what a file descriptor of a stopped thread leads to.
 *
 * Found without asking any file system, because its server might never answer: by the
 * link in /proc, by the name that the kernel keeps for a socket, by attributes that the
 * kernel has already (AT_STATX_DONT_SYNC), and by the flags in fdinfo. Takes some 10 us.
 * May be called while the thread is stopped; allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_DESCRIPTOR_H
#define CPROFTOP_PTRACE_CALL_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

enum descriptor_kind {
	DESCRIPTOR_OTHER = 0,
	DESCRIPTOR_FILE = 1 << 0,     /* regular, block device, /dev/null */
	DESCRIPTOR_ZEROS = 1 << 1,    /* /dev/zero, /dev/full */
	DESCRIPTOR_RANDOM = 1 << 2,   /* /dev/random, /dev/urandom */
	DESCRIPTOR_HWRNG = 1 << 3,    /* /dev/hwrng */
	DESCRIPTOR_TERMINAL = 1 << 4, /* either side */
	DESCRIPTOR_PIPE = 1 << 5,     /* or FIFO */
	DESCRIPTOR_TCP = 1 << 6,
	DESCRIPTOR_UNIX_STREAM = 1 << 7,
	DESCRIPTOR_DATAGRAMS = 1 << 8, /* socket: UDP, or a unix one with messages */

	DESCRIPTOR_ENDLESS = DESCRIPTOR_ZEROS | DESCRIPTOR_RANDOM | DESCRIPTOR_HWRNG,
	DESCRIPTOR_STREAMS = DESCRIPTOR_TCP | DESCRIPTOR_UNIX_STREAM,
};

struct descriptor {
	enum descriptor_kind kind;
	/* calls on it wait until they are done: no O_NONBLOCK, or they never have to
	   wait */
	bool blocks;
};

/* Descriptor FD of thread TID. WANTED are the kinds that matter; others may be reported
   as DESCRIPTOR_OTHER. */
struct descriptor descriptor_look(pid_t tid, int fd, unsigned wanted);

/* Will the next call on stream socket FD of thread TID say that the connection failed, and
   take that error away? Not so while bytes are left to be read. If not known, false. */
bool descriptor_has_failed(pid_t tid, int fd);

/* --- the pure part ----------------------------------------------------------------- */

/* The kind by its link in /proc; DESCRIPTOR_OTHER if the link is not enough. */
enum descriptor_kind descriptor_of_link(const char *link);
/* A socket, by the name of its protocol ("TCP"). */
enum descriptor_kind descriptor_of_protocol(const char *name);
/* A file, by its mode and, of a device, its numbers. */
enum descriptor_kind descriptor_of_file(
	mode_t mode, unsigned device_major, unsigned device_minor);
/* By the text of an fdinfo. If not known, false. */
bool descriptor_blocks(const char *fdinfo);

#endif
