/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes: numbers in copied memory, which need not be aligned. The caller knows that they are
 * there. Any thread.
 */
#ifndef CPROFTOP_BYTES_H
#define CPROFTOP_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_u64(const unsigned char *bytes, size_t offset)
{
	uint64_t word;
	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static inline uint32_t bytes_u32(const unsigned char *bytes, size_t offset)
{
	uint32_t word;
	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

#endif
