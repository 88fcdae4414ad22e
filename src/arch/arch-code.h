/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-code: what one machine instruction does to the stack and to the flow of control.
 *
 * Not a disassembler. It finds the length of an instruction, where it leads, and which
 * register gets a value that can be followed: the stack pointer plus a constant, or a
 * word from the stack. Any other effect is "some register has changed". For code that no
 * unwind table describes (src/read/unwind/unwind-code.h).
 *
 * Source of x86-64's encodings: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2, appendix A. Any thread; nothing is kept.
 */
#ifndef CPROFTOP_ARCH_CODE_H
#define CPROFTOP_ARCH_CODE_H

#include "src/arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arch_flow {
	ARCH_FLOW_NEXT,	    /* to the next instruction */
	ARCH_FLOW_CALL,	    /* the same, if the callee returns */
	ARCH_FLOW_BRANCH,   /* to the next one or to the target */
	ARCH_FLOW_JUMP,	    /* to the target */
	ARCH_FLOW_INDIRECT, /* to where a register or a table says */
	ARCH_FLOW_SLOT,	    /* to where a fixed word says: a PLT entry, or a tail call */
	ARCH_FLOW_RETURN,
	ARCH_FLOW_STOP, /* nowhere: a trap */
};

enum arch_effect {
	ARCH_EFFECT_NONE,
	ARCH_EFFECT_PUSH,   /* REG, or something else if it is ARCH_NO_REG */
	ARCH_EFFECT_POP,    /* the same */
	ARCH_EFFECT_SET,    /* REG = BASE + OFFSET; BASE may be ARCH_NO_REG: not known */
	ARCH_EFFECT_LOAD,   /* REG = word at BASE + OFFSET, REG2 = the next one */
	ARCH_EFFECT_STORE,  /* word at BASE + OFFSET = REG, the next one = REG2 */
	ARCH_EFFECT_LEAVE,  /* stack pointer = frame pointer, pop the frame pointer */
	ARCH_EFFECT_NUMBER, /* REG = OFFSET */
	ARCH_EFFECT_LOAD_TLS, /* REG = word at thread pointer + BASE + OFFSET; BASE may */
	ARCH_EFFECT_STORE_TLS, /* be ARCH_NO_REG: 0. Or that word is stored */
};

enum {
	ARCH_NO_REG = 0xff
};

/* Registers under their DWARF numbers, as in src/arch/arch.h. */
struct arch_insn {
	uint8_t length;
	uint8_t flow;	/* enum arch_flow */
	uint8_t effect; /* enum arch_effect */
	uint8_t reg, base;
	uint8_t reg2; /* of LOAD and STORE; ARCH_NO_REG: there is none. Then BASE is MOVED: */
	int16_t moved;
	bool is_syscall;
	bool is_direct;	    /* it leads to TARGET, or it may */
	bool has_reference; /* an operand is memory at a fixed place */
	int32_t offset;
	int32_t target;	   /* from the next instruction; 0 for an indirect call */
	int32_t reference; /* the same, of that memory */
};

/* Decode the instruction at CODE, where LENGTH bytes can be read. False if it is not an
   instruction, or longer than that. The longest one has ARCH_INSN_MAX bytes. */
bool arch_decode_insn(const unsigned char *code, size_t length, struct arch_insn *out);

/* The set of registers that a function must leave as it found them; with that of the return
   address, if there is one. */
extern const arch_set arch_preserved;

/* The registers in which a handler of an exception gets its arguments (DWARF numbers;
   __builtin_eh_return_data_regno). Only a function that goes to a handler saves them. */
extern const arch_set arch_handler_arguments;

/* Do the bytes before AFTER, COUNT of them (8 are enough), end with a call? */
bool arch_ends_with_call(const unsigned char *after, size_t count);

/* Are these ARCH_PLT_PUSH_BYTES the first instruction of a PLT, "push link_map(%rip)"? */
bool arch_is_plt_push(const unsigned char *code);

/* If the bytes before AFTER, up to 8, are a direct call: how far from AFTER the function is that
   it calls. False if they are not. */
bool arch_called(const unsigned char *after, int32_t *distance);

/* The same for a call of what the word at *DISTANCE says, relative to AFTER. */
bool arch_called_slot(const unsigned char *after, int32_t *distance);

/* Does CODE look like an instruction that calls a place, or takes its address? Then where
   that is: *TO bytes from CODE, or at *TO itself. What looks so may be the middle of
   another instruction. */
enum arch_reference {
	ARCH_REFERENCE_NONE,
	ARCH_REFERENCE_RELATIVE,
	ARCH_REFERENCE_ABSOLUTE,
};
/* Looks at ARCH_REFERENCE_BYTES. */
enum arch_reference arch_reference(const unsigned char *code, int64_t *to);

/* Do the ARCH_BEFORE_START_BYTES before AFTER look like padding, or like code that does
   not go on, so that a function may begin there? Compilers align functions to
   ARCH_START_ALIGNMENT. */
bool arch_may_start_behind(const unsigned char *after);

#endif
