/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-names: what the instructions of a function lead to.
 *
 * From the bytes of the instructions, by our own decoder (src/arch/arch-code.h), and not
 * from texts. A direct jump or call leads to a place, which has the name of its symbol. An
 * indirect one through a fixed word, as in a stub of the PLT or in code built with
 * -fno-plt, leads to what the process has in that word now; if there is no process, or it
 * was not called yet, to the function that the file's relocations name.
 */
#ifndef CPROFTOP_TARGET_NAMES_H
#define CPROFTOP_TARGET_NAMES_H

#include "src/read/assembly/assembly.h"
#include "src/read/assembly/code-source.h"

#include <stdbool.h>
#include <stdint.h>

/* What INSTRUCTION, which has LENGTH bytes of CODE, is, and where it leads: fills in KIND,
   HAS_TARGET and TARGET. True if it is an indirect jump or call through the word at
   TARGET. */
bool target_find(struct instruction *instruction, const unsigned char *code);

/* The name of ADDRESS, "memcpy+0x10"; clean, and the caller's. NULL if it has none. */
char *target_name(const struct code_source *source, uint64_t address);

/* The name of what the word at ADDRESS leads to, likewise. Unless it is known that the word
   is the address of code (IS_CODE), only by the file's relocations. */
char *target_name_of_slot(
	const struct code_source *source, uint64_t address, bool is_code);

#endif
