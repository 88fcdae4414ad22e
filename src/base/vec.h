/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec: one growable array of any type, in three macros.
 *
 *	VEC(int) numbers = {0};
 *	vec_push(&numbers, 42);
 *	vec_each (&numbers, number)
 *		printf("%d\n", *number);
 *	vec_free(&numbers);
 *
 * data[0..len) is valid. A push may move the items, so keep indices, not pointers, across
 * a push. A zeroed vec is empty and valid. The owner of the struct owns the memory.
 */
#ifndef CPROFTOP_VEC_H
#define CPROFTOP_VEC_H

#include "src/base/mem.h"

#include <stdlib.h>

#define VEC(type)                \
	struct {                 \
		type *data;      \
		size_t len, cap; \
	}

#define vec_reserve(vec, count)                                                 \
	do {                                                                    \
		size_t want_ = (count);                                         \
		if (want_ > (vec)->cap) {                                       \
			size_t cap_ = (vec)->cap ? (vec)->cap * 2 : 16;         \
			(vec)->cap = cap_ < want_ ? want_ : cap_;               \
			(vec)->data = mem_resize(                               \
				(vec)->data, (vec)->cap, sizeof(*(vec)->data)); \
		}                                                               \
	} while (0)

#define vec_push(vec, ...)                                 \
	do {                                               \
		vec_reserve((vec), (vec)->len + 1);        \
		(vec)->data[(vec)->len++] = (__VA_ARGS__); \
	} while (0)

#define vec_each(vec, item)                                \
	for (__typeof__(&*(vec)->data) item = (vec)->data; \
		(vec)->len && item < (vec)->data + (vec)->len; item++)

#define vec_free(vec)                        \
	do {                                 \
		free((vec)->data);           \
		(vec)->data = NULL;          \
		(vec)->len = (vec)->cap = 0; \
	} while (0)

#endif
