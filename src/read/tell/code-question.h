/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-question: a question about code, on its way from main to the reader.
 *
 * The two have different profiles, so what main's says of the mapping goes along. Main is
 * trusted.
 */
#ifndef CPROFTOP_CODE_QUESTION_H
#define CPROFTOP_CODE_QUESTION_H

#include "src/base/clean.h"
#include "src/read/assembly/assembly.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	CODE_QUESTION_MAX = 64 + 3 * CLEAN_MAX, /* bytes */
};

/* Write REQUEST. Returns how many bytes. */
size_t code_question_write(
	const struct assembly_request *request, unsigned char bytes[CODE_QUESTION_MAX]);

/* The request of the LENGTH bytes at BYTES. It has a new profile, of only its mapping: the
   caller's reference. False: that is none. */
bool code_question_read(
	const unsigned char *bytes, size_t length, struct assembly_request *request);

#endif
