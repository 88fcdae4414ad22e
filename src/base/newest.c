/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/newest.h"

#include <string.h>

void newest_put(_Atomic uint32_t *number, void *shared, const void *value, size_t bytes)
{
	uint32_t before = atomic_load_explicit(number, memory_order_relaxed);
	atomic_store_explicit(number, before | 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	memcpy(shared, value, bytes);
	atomic_store_explicit(number, (before | 1) + 1, memory_order_release);
}

bool newest_take(_Atomic uint32_t *number, const void *shared, uint32_t *taken, void *out,
	size_t bytes)
{
	uint32_t before = atomic_load_explicit(number, memory_order_acquire);
	if (before == *taken || before % 2 != 0)
		return false;
	memcpy(out, shared, bytes);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(number, memory_order_relaxed) != before)
		return false;
	*taken = before;
	return true;
}
