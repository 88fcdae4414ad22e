/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decoder: one instruction after the other, as texts.
 *
 * Capstone's, of x86-64 in both syntaxes (aarch64 has one). What capstone does not know becomes ".byte 0x62,
 * 0xf1": as many bytes as an instruction of that form has (src/arch/arch-code.h), so that
 * what follows is read from its beginning; else one byte. The bytes may be hostile: it runs in
 * the reader, which has no rights and is replaced if it dies of them.
 */
#ifndef CPROFTOP_DECODER_H
#define CPROFTOP_DECODER_H

#include "src/read/assembly/assembly.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DECODER_TEXT_MAX = 224, /* with its NUL: more than capstone writes */
};

struct decoder;

/* Opens capstone's library, which a process that has given up its files cannot. NULL if there
   is none, and always in the static program: capstone cannot be linked in parts and would make
   that twice as large (src/read/assembly/decoder-none.c). */
struct decoder *decoder_create(void);
extern const char decoder_missing[];	       /* why there is none */
void decoder_destroy(struct decoder *decoder); /* NULL is fine */

struct decoded {
	uint8_t length;
	bool is_unknown;
	char texts[ASSEMBLY_SYNTAXES][DECODER_TEXT_MAX];
};

/* Decode the instruction that the LENGTH bytes of CODE, at least one, begin with; ADDRESS
   is that of the first. */
void decoder_next(struct decoder *decoder, const unsigned char *code, size_t length,
	uint64_t address, struct decoded *out);

#endif
