/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly: the machine instructions of one function, as a view shows them.
 *
 * Plain data without references to anything else: whoever got one may read it in any thread
 * and destroys it at last. The instructions are in order of their addresses and follow each
 * other without a gap. All texts are clean (src/base/clean.h).
 *
 * All addresses are as in the profile that was asked about: those of the running process,
 * or those that the profile's file has. Less BIAS they are the addresses within the file of
 * the code, which its debugging information uses, too.
 */
#ifndef CPROFTOP_ASSEMBLY_H
#define CPROFTOP_ASSEMBLY_H

#include "src/facts/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_JUMP,   /* always */
	INSTRUCTION_BRANCH, /* a jump on a condition */
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	/* The decoder does not know these bytes: data between instructions, or an
	   instruction that is younger than the library. */
	INSTRUCTION_UNKNOWN,
};

/* The two ways to write an instruction. */
enum assembly_syntax {
	ASSEMBLY_ATT, /* mov %rax,(%rdi): as objdump and gdb */
	ASSEMBLY_INTEL,
	ASSEMBLY_SYNTAXES,
};

#define ASSEMBLY_NONE UINT32_MAX

enum {
	ASSEMBLY_BYTES_MAX = 64 << 10, /* of code */
};

struct instruction {
	uint64_t address;
	uint8_t length; /* bytes; they are at assembly_bytes_of */
	uint8_t kind;	/* enum instruction_kind */
	/* Its bytes are not those that the file of the code has: see assembly.n_changed. */
	bool is_changed;
	/* Where it leads, or what it refers to; valid if HAS_TARGET: the destination of a
	   direct jump or call; else the address that it computes from the program counter
	   ("0x2e3c(%rip)"), for an indirect jump or call the word that has the destination. */
	bool has_target;
	uint64_t target;
	uint32_t
		to; /* the index of the instruction at TARGET, of a direct jump or call in this
			function; ASSEMBLY_NONE: it is not in this function */
	/* What is at TARGET, or what the word there leads to: "memcpy@plt", "main+0x10"; "" if
	   that is not known, or `to` says it. Owned by the assembly. */
	const char *target_name;
	const char *texts[ASSEMBLY_SYNTAXES]; /* "mov %rsp,%rbp"; owned by the assembly */
};

/* Where the bytes are from. */
enum assembly_origin {
	ASSEMBLY_OF_MEMORY, /* of the running process */
	ASSEMBLY_OF_FILE,   /* the process is gone, or there never was one */
};

/* How they compare with the file that is mapped there. */
enum assembly_check {
	ASSEMBLY_SAME,	    /* memory and file have the same bytes */
	ASSEMBLY_DIFFERENT, /* some differ: the instructions are those of the memory */
	ASSEMBLY_NO_FILE,   /* code of no file: of a JIT compiler, or the kernel's */
	ASSEMBLY_NO_MEMORY, /* only the file could be read */
};

struct assembly {
	uint64_t serial; /* of the request */
	char *name;	 /* of the symbol, demangled and clean; "" if it has none */
	char *module;	 /* of the mapping: "libc.so.6" */
	char *path;	 /* of the file of the bytes, or "[vdso]", "[anon]" */
	uint64_t start,
		limit; /* the whole function; instructions may be fewer, see CUT */
	uint64_t
		bias; /* ADDRESS - bias is the address in the file; 0 for code of no file */
	uint32_t origin;  /* enum assembly_origin */
	uint32_t check;	  /* enum assembly_check */
	size_t n_changed; /* bytes, of those shown, that are not as in the file */
	bool is_cut; /* the function is too large: only what is around the place asked about */
	bool is_guessed; /* no symbol or table says where the function begins or ends */
	/* No instruction could be had: why, and what helps, in one line; else "". */
	char *problem;
	/* It could, but a person should know something: that it was cut, that the memory
	   differs; in one line; else "". */
	char *remark;

	struct instruction *instructions;
	size_t n_instructions;
	unsigned char *bytes; /* from the first instruction on */
	char *strings;	      /* private: what the instructions' texts point into */
};

void assembly_destroy(struct assembly *assembly); /* NULL is fine */

static inline const unsigned char *assembly_bytes_of(
	const struct assembly *assembly, const struct instruction *instruction)
{
	return assembly->bytes +
	       (instruction->address - assembly->instructions[0].address);
}

/* The index of the instruction that ADDRESS is in (also in its middle: the location of a
   caller is its return address less one); ASSEMBLY_NONE if it is in none. */
uint32_t assembly_find(const struct assembly *assembly, uint64_t address);

/* What is asked: the function around a place of a profile. */
struct assembly_request {
	uint64_t serial; /* chosen by the caller; the answer has it, too */
	/* borrowed: who takes the request for later holds a reference */
	const struct profile *profile;
	uint32_t mapping; /* an id in it */
	uint64_t address; /* as in struct location: the hottest one is best */
};

/* How much of the instruction's text to show where its destination is told behind it: without
   that number. */
size_t assembly_text_length(
	const struct instruction *instruction, enum assembly_syntax syntax);

#endif
