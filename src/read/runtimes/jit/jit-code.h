/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-code: the code that compilers in a process have registered with debuggers.
 *
 * There is one way that all of them know, made for gdb ("JIT Compilation Interface" in its
 * manual): a variable of a known name, __jit_debug_descriptor, is the head of a list of
 * ELF files in memory, one for each piece of code (src/read/runtimes/jit/jit-object.h). LLVM's compilers
 * use it, qemu does, and others. gdb learns of a new one by a breakpoint; here the list is
 * read when code is met that is not known, and once a second.
 *
 * The process runs on meanwhile and may be hostile: what is read is bounded, a list that
 * changes while it is read ends there, and who uses an answer checks where it leads. One
 * thread at a time.
 */
#ifndef CPROFTOP_JIT_CODE_H
#define CPROFTOP_JIT_CODE_H

#include "src/process/target-memory.h"
#include "src/read/elf/elf-image.h"

#include <stddef.h>
#include <stdint.h>

#define JIT_DESCRIPTOR "__jit_debug_descriptor"

enum {
	JIT_OBJECTS_MAX = 8 << 10, /* in all lists together */
	JIT_OBJECT_MAX_BYTES = 8 << 20,
	JIT_READ_MAX_BYTES = 16 << 20,	/* each time the list is read */
	JIT_KEPT_MAX_BYTES = 128 << 20, /* of all images */
};

struct jit_code;

struct jit_code *jit_code_create(void);
void jit_code_destroy(struct jit_code *code); /* NULL is fine */

/* There are variables of that name at ADDRESS as well. */
void jit_code_add_descriptor(struct jit_code *code, uint64_t address);

/* The image with the unwind table of the code that PC is in, at its own addresses; NULL if
   none is registered. NOW_NS (monotonic) is the time of the sample. Valid until the next
   call of a function here. */
struct elf_image *jit_code_find(struct jit_code *code, const struct target_memory *memory,
	uint64_t now_ns, uint64_t pc);

#endif
