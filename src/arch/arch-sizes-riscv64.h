/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-sizes-riscv64: the sizes of riscv64 that src/arch/arch.h, arch-call.h and arch-code.h
 * promise. Included by arch.h only.
 */
#ifndef CPROFTOP_ARCH_SIZES_RISCV64_H
#define CPROFTOP_ARCH_SIZES_RISCV64_H

#define ARCH_NAME	  "riscv64"
#define ARCH_ADDRESS_MASK UINT64_MAX
#define ARCH_CONTEXT_MARK UINT64_C(0) /* uc_flags */

enum {
	ARCH_KNOWS_CODE = 0,
	/* of the DWARF numbers (RISC-V DWARF Specification): 0 to 31 are x0 to x31; 32 would be a
	   register of floating point, which nobody asks for here, and is the PC */
	ARCH_REGISTERS = 33,
	ARCH_RETURN = 1,
	ARCH_UNWIND_PC = 64, /* UNW_RISCV_PC */
	ARCH_CALL_PUSHES = 0,
	ARCH_SIGNS_RETURNS = 0,
	ARCH_FRAME_RECORD = -16,
	ARCH_UNWIND_COLUMNS = 64,
	/* NT_PRSTATUS; and of a call its number and its first argument */
	ARCH_REGSET_BYTES = 32 * 8 + 2 * 8,
	ARCH_GENERAL_BYTES = 32 * 8,
	ARCH_NOTES = 1,
	ARCH_PERF_REGISTERS = 32,
	ARCH_RED_ZONE = 16, /* the ABI has none */
	ARCH_CODE_BEFORE = 8,
	ARCH_CODE_BYTES = 16,
	ARCH_SIGNAL_CONTEXT_BYTES = 128 + 176 + 32 * 8,
	ARCH_CALL_BYTES = 4,
	ARCH_CALL_CODE = 0x73, /* ecall; and words of a regset: */
	ARCH_WORD_PC = 0,
	ARCH_WORD_SP = 2,
	ARCH_WORD_FP = 8,
	ARCH_WORD_THREAD = 4,		  /* tp */
	ARCH_WORD_SAVED_SP = 176 / 8 + 2, /* of struct ucontext (asm/ucontext.h), */
	ARCH_WORD_MARK = 0,
	ARCH_WORD_NUMBER = 17,	 /* a7, */
	ARCH_WORD_ARGUMENT = 10, /* the first one, a0 */
	ARCH_CALL_NOTE = 0,	 /* there is none */
	ARCH_INSN_MAX = 4,
	ARCH_INSN_ALIGNMENT = 2,
	ARCH_PLT_PUSH_BYTES = 16,
	ARCH_REFERENCE_BYTES = 4,
	ARCH_BEFORE_START_BYTES = 4,
	ARCH_START_ALIGNMENT = 4,
	ARCH_THREAD_HEADER = 192, /* glibc, nptl/descr.h */
	ARCH_THREAD_RECORD_ENDS = 1,
	ARCH_THREAD_RECORD_GAP = 32, /* tcbhead_t, aligned as the record is since 2.35 */
	ARCH_TLS_VECTOR = -16,	     /* glibc, tcbhead_t */
	ARCH_MUTEX_BYTES = 40,	     /* glibc: pthread_mutex_t, */
	ARCH_STAT_BYTES = 128,	     /* struct stat, */
	ARCH_JUMP_BYTES = 344,	     /* and the buffer of sigsetjmp */
	ARCH_JUMP_PC = 0,
	ARCH_POINTER_GUARD = 0, /* it is no word there */
	ARCH_ROBUST_LIST = 0,
	ARCH_RECORD_WORDS = 1,
	ARCH_JAVA_MIRROR = 0, /* not known */
	ARCH_JAVA_BYTECODE = 0,
	ARCH_JAVA_BYTECODE_REGISTER = 0,
	ARCH_ELF_MACHINE = 243,		      /* EM_RISCV */
	ARCH_CAPSTONE = 15,		      /* CS_ARCH_RISCV */
	ARCH_CAPSTONE_MODE = 1 << 1 | 1 << 2, /* CS_MODE_RISCV64, CS_MODE_RISCVC */
};

#endif
