/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opener-packet: a question of a process without rights, and the answer of main's opener.
 *
 * One packet each (SOCK_SEQPACKET): a struct of fixed size and bytes behind it; with an
 * answer comes a descriptor (SCM_RIGHTS) if one was asked for. Who asks may have been taken
 * over: each question is judged by itself (src/run/opener/opener.h). Any thread.
 */
#ifndef CPROFTOP_OPENER_PACKET_H
#define CPROFTOP_OPENER_PACKET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum opener_kind {
	OPENER_OPEN, /* text: an entry of a process; of none: "/proc/locks", "/proc/N/comm" */
	OPENER_EXISTS, /* text: such an entry */
	OPENER_LINKS,  /* texts: entries; answer: where they lead, texts */
	OPENER_MEMORY, /* of thread NUMBER, LENGTH bytes at ADDRESS */
	OPENER_MAPPED, /* text: the path of a file that is mapped: DEV_MAJOR, DEV_MINOR, INODE */
	OPENER_EXE,	   /* answer: the same numbers of the program that runs */
	OPENER_DEBUG,	   /* text: the path of a file in a folder of debug files */
	OPENER_CODE,	   /* text: the path of a file that was opened by OPENER_MAPPED */
	OPENER_PERF_MAP,   /* answer: NUMBER as perf_map_open has it */
	OPENER_SOURCE_MAP, /* text: the path of a source map, as the process has it */
	OPENER_WORKER, /* text: its name (src/base/worker/worker.h); answer: a socket to a new one */
	OPENER_KINDS
};

enum {
	OPENER_TEXTS_MAX = PATH_MAX,  /* of a question, in bytes, each with its NUL */
	OPENER_BYTES_MAX = 32 * 1024, /* of an answer */
	OPENER_LINKS_MAX = 64,	      /* of a question */
};

struct opener_question {
	uint32_t kind;
	int32_t number;
	uint64_t device,
		folder; /* st_dev and st_ino of the /proc/PID in question; 0: none */
	uint64_t address, inode;
	uint32_t dev_major, dev_minor;
	uint64_t length;
};

struct opener_answer {
	int32_t errnum; /* 0: as it was asked */
	int32_t number;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	int32_t link_errnum; /* OPENER_LINKS: as opener_packet_links */
};

/* Where COUNT entries of the folder DIR_FD lead, whose names lie in TEXTS one after the other: texts
   in OUT, "" for one that is not there. Returns how many there was room for, *USED bytes; *ERRNUM:
   why another one was not read, 0 if all were. */
size_t opener_packet_links(int dir_fd, const char *texts, size_t count, char *out,
	size_t size, size_t *used, int *errnum);

#endif
