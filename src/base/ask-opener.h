/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask-opener: what a process without rights asks main to open for it.
 *
 * The reader (src/read/reader/reader.h) may open nothing: no file, no folder, no process. Main's opener
 * (src/run/opener/opener.h) answers a few questions for it, and looks at no content of a target's.
 * Where no opener is used, as in main and in tests, these functions make the system
 * call themselves; so each place that opens says it once. Makes system calls and nothing else,
 * also in a child that was forked from a process with threads.
 *
 * One thread at a time, where an opener is used.
 */
#ifndef CPROFTOP_ASK_OPENER_H
#define CPROFTOP_ASK_OPENER_H

#include "src/base/opener-packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on this process asks over SOCKET (SOCK_SEQPACKET). Once. */
void ask_opener_over(int socket);
bool ask_opener_is_used(void);

/* As openat(2), of an entry of the /proc/PID that is open at DIR_FD; or, by an absolute PATH, of
   /proc/locks and of /proc/N/comm. Of FLAGS the opener takes none: it opens for reading, and
   task as a folder. */
int ask_opener_open(int dir_fd, const char *path, int flags);

/* As readlinkat(2). */
ssize_t ask_opener_link(int dir_fd, const char *path, char *out, size_t size);

/* As opener_packet_links. */
size_t ask_opener_links(
	int dir_fd, const char *texts, size_t count, char *out, size_t size, int *errnum);

/* Is there such an entry? */
bool ask_opener_exists(int dir_fd, const char *path);

/* As process_vm_readv(2), of a thread of the process DIR_FD. */
ssize_t ask_opener_memory(
	int dir_fd, pid_t tid, void *out, size_t length, uint64_t address);

/* Only where an opener is used: ask QUESTION of the process DIR_FD (-1: of none), with LENGTH bytes
   of texts. Returns the bytes of the answer, of which OUT has room for SIZE; -1 and errno if
   it is refused. A descriptor that comes is *FD, -1 if none does; NULL: it is not wanted. */
ssize_t ask_opener(struct opener_question *question, int dir_fd, const void *texts,
	size_t length, struct opener_answer *answer, void *out, size_t size, int *fd);

/* The same, for a descriptor and nothing else. */
int ask_opener_file(struct opener_question *question, int dir_fd, const char *text);

#endif
