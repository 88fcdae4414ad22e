/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-record: where glibc's record of a thread (struct pthread) lies, from the thread pointer.
 *
 * On x86-64 it begins there. On aarch64 and riscv64 it ends there, or near, and how long it is depends
 * on glibc's version: the library has a variable that says it, for debuggers. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_THREAD_RECORD_H
#define CPROFTOP_THREAD_RECORD_H

#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* in the record: specific_1stblock, whose entries are a number and a value */
	THREAD_RECORD_SLOTS = ARCH_THREAD_HEADER + 80,
	THREAD_RECORD_MAX = ARCH_THREAD_RECORD_ENDS ? 1 << 14 : 0, /* bytes before */
};

/* Is RECORD (pthread_self) that of the thread with this thread pointer? */
static inline bool thread_record_is_of(uint64_t record, uint64_t thread_pointer)
{
	return thread_pointer - record <= THREAD_RECORD_MAX;
}

/* False if that is not known: the process has no glibc, or it has no such variable. */
bool thread_record_find(struct address_space *space, int32_t *place);

#endif
