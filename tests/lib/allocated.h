/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocated: bytes that were allocated and not freed.
 *
 * Memory that the allocator keeps for later does not count. In a build with sanitizers
 * these count the bytes.
 */
#ifndef CPROFTOP_TESTS_ALLOCATED_H
#define CPROFTOP_TESTS_ALLOCATED_H

#include <malloc.h>
#include <stddef.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static inline size_t allocated_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

#endif
