/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-sizes-aarch64: the sizes of aarch64 that src/arch/arch.h, arch-call.h and arch-code.h
 * promise. Included by arch.h only.
 */
#ifndef CPROFTOP_ARCH_SIZES_AARCH64_H
#define CPROFTOP_ARCH_SIZES_AARCH64_H

#define ARCH_NAME "aarch64"

/* struct ucontext has that, as a word, before the registers of floating point: size and magic. */
#define ARCH_CONTEXT_MARK (UINT64_C(0x210) << 32 | 0x46508001)

/* Above that are tags and signatures. Code lies higher only if a program with addresses of 52 bits
   asks for that. */
#define ARCH_ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

enum {
	ARCH_KNOWS_CODE = 1,
	/* of the DWARF numbers (DWARF for the Arm 64-bit Architecture, 4.1): 0 to 30 are x0 to
	   x30, 31 is SP; for the PC there is none, and libunwind says 32 */
	ARCH_REGISTERS = 33,
	ARCH_RETURN = 30,
	ARCH_UNWIND_PC = 32,
	ARCH_CALL_PUSHES = 0,
	ARCH_SIGNS_RETURNS = 1,
	ARCH_FRAME_RECORD = 0,
	ARCH_UNWIND_COLUMNS = 97,
	/* NT_PRSTATUS, NT_ARM_TLS, and what the kernel does not show of a call by itself:
	   its number and its first argument */
	ARCH_REGSET_BYTES = 34 * 8 + 8 + 2 * 8,
	ARCH_GENERAL_BYTES = 34 * 8,
	ARCH_NOTES = 2,
	ARCH_PERF_REGISTERS = 33,
	ARCH_RED_ZONE = 16, /* Go saves the frame pointer there */
	ARCH_CODE_BEFORE = 8,
	ARCH_CODE_BYTES = 24,
	ARCH_SIGNAL_CONTEXT_BYTES = 128 + 176 + 8 + 33 * 8,
	ARCH_CALL_BYTES = 4,
	ARCH_CALL_CODE = (int)0xd4000001, /* svc #0; and words of a regset: */
	ARCH_WORD_PC = 32,
	ARCH_WORD_SP = 31,
	ARCH_WORD_FP = 29,
	ARCH_WORD_THREAD = 34, /* behind NT_PRSTATUS */
	ARCH_WORD_SAVED_SP =
		(176 + 8) / 8 + 31, /* of struct ucontext (asm/ucontext.h), */
	ARCH_WORD_MARK = (176 + 288) / 8,
	ARCH_WORD_NUMBER = 8,	/* x8, */
	ARCH_WORD_ARGUMENT = 0, /* the first one, x0 */
	ARCH_CALL_NOTE = 0x404, /* NT_ARM_SYSTEM_CALL */
	ARCH_INSN_MAX = 4,
	ARCH_INSN_ALIGNMENT = 4,
	ARCH_PLT_PUSH_BYTES = 16,
	ARCH_REFERENCE_BYTES = 4,
	ARCH_BEFORE_START_BYTES = 4,
	ARCH_START_ALIGNMENT = 16,
	ARCH_THREAD_HEADER = 192, /* glibc, nptl/descr.h */
	ARCH_THREAD_RECORD_ENDS = 1,
	ARCH_THREAD_RECORD_GAP = 0,
	ARCH_TLS_VECTOR = 0,   /* glibc, tcbhead_t */
	ARCH_MUTEX_BYTES = 48, /* glibc: pthread_mutex_t, */
	ARCH_STAT_BYTES = 128, /* struct stat, */
	ARCH_JUMP_BYTES = 312, /* and the buffer of sigsetjmp */
	ARCH_JUMP_PC = 0,
	ARCH_POINTER_GUARD = 0, /* it is no word there */
	ARCH_ROBUST_LIST = 0,
	ARCH_RECORD_WORDS = 1,
	/* HotSpot, frame_aarch64.hpp and register_aarch64.hpp: words above the frame pointer, x22 */
	ARCH_JAVA_MIRROR = -6,
	ARCH_JAVA_BYTECODE = -9,
	ARCH_JAVA_BYTECODE_REGISTER = 22,
	ARCH_ELF_MACHINE = 183, /* EM_AARCH64 */
	ARCH_CAPSTONE = 1,	/* CS_ARCH_ARM64 */
	ARCH_CAPSTONE_MODE = 0, /* CS_MODE_LITTLE_ENDIAN */
};

#endif
