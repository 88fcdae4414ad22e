/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/jit-functions.h"

#include <stdlib.h>
#include <string.h>

enum {
	OVERLAP_MAX = 64,    /* functions looked at before one is not found */
	RECENT_SHARE = 8,    /* an eighth of the settled ones */
	RECENT_LEAST = 1024, /* and so many */
	PORTION = 256 << 10  /* sorted at once: qsort needs as much room again */
};

bool jit_functions_add(
	struct jit_functions *functions, uint64_t start, uint64_t size, const char *name)
{
	if (functions->settled.len + functions->recent.len >= JIT_FUNCTIONS_MAX ||
		strpool_bytes(&functions->names) >= JIT_FUNCTIONS_NAME_BYTES_MAX)
		return false;
	vec_push(&functions->recent,
		(struct jit_function){
			.start = start,
			.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
			.name = strpool_intern(&functions->names, name),
			.number = functions->count++,
		});
	if (++functions->unsorted == PORTION)
		jit_functions_settle(functions);
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct jit_function *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Merge sorted ITEMS, COUNT of them, into sorted ALL, which has room for them behind its
   LENGTH; from the end, so that nothing is overwritten before it was moved. */
static void merge(struct jit_function *all, size_t length,
	const struct jit_function *items, size_t count)
{
	while (count > 0) {
		bool is_old =
			length > 0 && compare(&all[length - 1], &items[count - 1]) > 0;
		all[length + count - 1] = is_old ? all[length - 1] : items[count - 1];
		length -= is_old;
		count -= !is_old;
	}
}

/* Sort what was added last into RECENT. */
static void sort_recent(struct jit_functions *functions)
{
	size_t added = functions->unsorted, sorted = functions->recent.len - added;
	functions->unsorted = 0;
	if (sorted == 0) {
		qsort(functions->recent.data, added, sizeof(*functions->recent.data),
			compare);
		return;
	}
	struct jit_function *fresh = mem_resize(NULL, added, sizeof(*fresh));
	memcpy(fresh, functions->recent.data + sorted, added * sizeof(*fresh));
	qsort(fresh, added, sizeof(*fresh), compare);
	merge(functions->recent.data, sorted, fresh, added);
	free(fresh);
}

void jit_functions_settle(struct jit_functions *functions)
{
	if (functions->unsorted == 0)
		return;
	sort_recent(functions);
	size_t few = functions->settled.len / RECENT_SHARE + RECENT_LEAST;
	if (functions->recent.len <= few)
		return;
	if (functions->settled.len == 0) { /* the recent ones as they are */
		vec_free(&functions->settled);
		functions->settled.data = functions->recent.data;
		functions->settled.len = functions->recent.len;
		functions->settled.cap = functions->recent.cap;
		functions->recent.data = NULL;
		functions->recent.len = functions->recent.cap = 0;
		return;
	}
	vec_reserve(&functions->settled, functions->settled.len + functions->recent.len);
	merge(functions->settled.data, functions->settled.len, functions->recent.data,
		functions->recent.len);
	functions->settled.len += functions->recent.len;
	vec_free(&functions->recent);
}

/* The last function added of COUNT sorted ones that covers ADDRESS, if it is later than
   BEST, which may be NULL. */
static const struct jit_function *later(const struct jit_function *sorted, size_t count,
	uint64_t address, const struct jit_function *best)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (sorted[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned tries = 0; low > 0 && tries < OVERLAP_MAX; tries++) {
		const struct jit_function *function = &sorted[--low];
		if (address - function->start < function->size &&
			(!best || function->number > best->number))
			best = function;
	}
	return best;
}

const struct jit_function *jit_functions_at(
	const struct jit_functions *functions, uint64_t address)
{
	const struct jit_function *best =
		later(functions->settled.data, functions->settled.len, address, NULL);
	return later(functions->recent.data, functions->recent.len, address, best);
}

const char *jit_functions_find(const struct jit_functions *functions, uint64_t address)
{
	const struct jit_function *found = jit_functions_at(functions, address);
	return found ? found->name : NULL;
}

size_t jit_functions_bytes(const struct jit_functions *functions)
{
	return (functions->settled.cap + functions->recent.cap) *
		       sizeof(struct jit_function) +
	       strpool_bytes(&functions->names);
}

void jit_functions_clear(struct jit_functions *functions)
{
	strpool_finish(&functions->names);
	functions->settled.len = functions->recent.len = functions->unsorted = 0;
}

void jit_functions_finish(struct jit_functions *functions)
{
	vec_free(&functions->settled);
	vec_free(&functions->recent);
	strpool_finish(&functions->names);
	*functions = (struct jit_functions){0};
}
