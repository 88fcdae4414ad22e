/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-sizes-x86_64: the sizes of x86-64 that src/arch/arch.h, arch-call.h and arch-code.h
 * promise. Included by arch.h only.
 */
#ifndef CPROFTOP_ARCH_SIZES_X86_64_H
#define CPROFTOP_ARCH_SIZES_X86_64_H

#define ARCH_NAME	  "x86_64"
#define ARCH_ADDRESS_MASK UINT64_MAX

enum {
	ARCH_KNOWS_CODE = 1,
	/* of the DWARF numbers (System V ABI AMD64, figure 3.36): 7 is RSP, 6 is RBP, 16
	   is the return address, that is RIP */
	ARCH_REGISTERS = 17,
	ARCH_RETURN = 16,
	ARCH_UNWIND_PC = 16,
	ARCH_CALL_PUSHES = 8,
	ARCH_SIGNS_RETURNS = 0,
	ARCH_FRAME_RECORD = 0,
	ARCH_UNWIND_COLUMNS = 17, /* that libunwind has */
	ARCH_REGSET_BYTES = 27 * 8,
	ARCH_NOTES = 1,
	ARCH_PERF_REGISTERS = 17,
	ARCH_RED_ZONE = 128, /* System V ABI AMD64, 3.2.2 */
	ARCH_CODE_BEFORE = 8,
	ARCH_CODE_BYTES = 24,
	ARCH_SIGNAL_CONTEXT_BYTES = 40 + ARCH_REGISTERS * 8,
	ARCH_CALL_BYTES = 2,
	ARCH_CALL_NOTE = 0, /* there is none */
	ARCH_INSN_MAX = 15,
	ARCH_INSN_ALIGNMENT = 1,
	ARCH_PLT_PUSH_BYTES = 6,
	ARCH_REFERENCE_BYTES = 7,
	ARCH_BEFORE_START_BYTES = 5,
	ARCH_START_ALIGNMENT = 16,
	ARCH_THREAD_HEADER = 704, /* glibc, nptl/descr.h */
	ARCH_THREAD_RECORD_ENDS = 0,
	ARCH_THREAD_RECORD_GAP = 0,
	ARCH_TLS_VECTOR = 8,	   /* glibc, tcbhead_t */
	ARCH_MUTEX_BYTES = 40,	   /* glibc: pthread_mutex_t, */
	ARCH_STAT_BYTES = 144,	   /* struct stat, */
	ARCH_JUMP_BYTES = 200,	   /* and the buffer of sigsetjmp, */
	ARCH_JUMP_PC = 56,	   /* in which the PC is, */
	ARCH_POINTER_GUARD = 0x30, /* hidden by this word of tcbhead_t */
	ARCH_ROBUST_LIST = 0x2e0,  /* glibc, sysdeps/x86_64/nptl/tls.h */
	ARCH_RECORD_WORDS = 3,
	/* HotSpot, frame_x86.hpp and register_x86.hpp: words above the frame pointer, r13 */
	ARCH_JAVA_MIRROR = -4,
	ARCH_JAVA_BYTECODE = -8,
	ARCH_JAVA_BYTECODE_REGISTER = 13,
	ARCH_ELF_MACHINE = 62,	/* EM_X86_64 */
	ARCH_CAPSTONE = 3,	/* CS_ARCH_X86 */
	ARCH_CAPSTONE_MODE = 8, /* CS_MODE_64 */
};

#endif
