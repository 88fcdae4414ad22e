/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch: what depends on the processor: registers (for the unwinder, and as the kernel
 * gives them at a ptrace stop), restarting a system call that a stop makes fail with
 * EINTR, frames, PLT entries, signal frames.
 *
 * Each processor has its files, src/arch/arch-NAME*; NAME is x86_64, aarch64 or riscv64. What single
 * instructions do is src/arch/arch-code.h. docs/RECIPES.md lists what else another
 * processor needs. Pure functions. Any thread.
 */
#ifndef CPROFTOP_ARCH_H
#define CPROFTOP_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The processor's name (ARCH_NAME) and its sizes (ARCH_...). */
#if defined(__x86_64__)
#include "src/arch/arch-sizes-x86_64.h"
#elif defined(__aarch64__)
#include "src/arch/arch-sizes-aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "src/arch/arch-sizes-riscv64.h"
#else
#error "src/arch does not have this processor: see docs/RECIPES.md"
#endif

/* A set of registers: the bits under their DWARF numbers. */
typedef uint64_t arch_set;

static inline arch_set arch_bit(unsigned number)
{
	return (arch_set)1 << number;
}

#define ARCH_ALL (((arch_set)1 << ARCH_REGISTERS) - 1)

/* Registers under their DWARF numbers; the last one is the PC, to which DWARF may give none.
   ARCH_RED_ZONE is how many bytes below the stack pointer may be in use.

   A call pushes the return address, ARCH_CALL_PUSHES bytes; or that is 0, and the call puts it into
   the register ARCH_RETURN, which every function that calls another one has to save. In unwind
   tables ARCH_RETURN is the number of the return address in either case. If ARCH_SIGNS_RETURNS, a
   return address in memory may be signed. The caller's frame pointer is saved ARCH_FRAME_RECORD bytes from
   where the frame pointer points to, and the return address behind it.

   ARCH_UNWIND_PC is libunwind's number of the PC. ARCH_KNOWS_CODE: instructions are known, too; else all
   that is said about them but for calls is no (src/arch/arch-plain.c). */
struct arch_registers {
	uint64_t values[ARCH_REGISTERS];
	arch_set known; /* values[i] holds the register; others are not known */
};

extern const unsigned arch_pc, arch_sp, arch_fp; /* DWARF numbers, as are */
extern const unsigned arch_kept[2];		 /* the last registers that calls keep */

static inline uint64_t arch_get_pc(const struct arch_registers *r)
{
	return r->values[arch_pc];
}

static inline uint64_t arch_get_sp(const struct arch_registers *r)
{
	return r->values[arch_sp];
}

/* The address in WORD, which a call has left, without what may be in its high bits: a
   signature (aarch64's pointer authentication). */
static inline uint64_t arch_return_address(uint64_t word)
{
	return word & ARCH_ADDRESS_MASK;
}

/* The registers that hold the ARGS of the system call that a thread is in. */
void arch_set_arguments(struct arch_registers *r, const uint64_t args[6]);

/* The raw blocks of PTRACE_GETREGSET one behind the other, as arch_notes has them. */
struct arch_regset {
	_Alignas(8) unsigned char bytes[ARCH_REGSET_BYTES];
	size_t size; /* what the kernel filled of the first; smaller for a 32-bit task */
};

/* What a stop reads, and where that is in an arch_regset. The first one is NT_PRSTATUS; a 32-bit
   task has no other. */
extern const struct arch_note {
	uint16_t type; /* NT_PRSTATUS or another */
	uint16_t at, bytes;
} arch_notes[ARCH_NOTES];

/* Translate. False if the block is not of a task of this architecture (a 32-bit task). */
bool arch_decode_regset(const struct arch_regset *regset, struct arch_registers *out);

/* The registers to ask perf_event_open(2) for (sample_regs_user), ARCH_PERF_REGISTERS of them; and
   the block of such VALUES, in the kernel's order. The thread pointer is not among them, it
   becomes 0. IS_64: else it is that of a 32-bit task. */
extern const uint64_t arch_perf_mask;
void arch_regset_of_perf(const uint64_t *values, bool is_64, struct arch_regset *out);

/* Only the stack pointer, quickly, because the thread is stopped. 0 for a foreign
   task. */
uint64_t arch_regset_sp(const struct arch_regset *regset);

/* The frame pointer, in the same way. */
uint64_t arch_regset_fp(const struct arch_regset *regset);

/* At the first instruction of a function: its argument NUMBER, from 0 on, an integer or a pointer, of those
   that are passed in registers. 0 for a foreign task. */
uint64_t arch_regset_argument(const struct arch_regset *regset, unsigned number);

/* As a thread is that has met a watchpoint: let its program counter be in the instruction that wrote. */
void arch_regset_at_write(struct arch_regset *regset);

/* The base of thread-local storage in use. 0 for a foreign task. */
uint64_t arch_regset_thread_pointer(const struct arch_regset *regset);

/* glibc's record of a thread begins with a header of ARCH_THREAD_HEADER bytes; the thread pointer
   points to where it begins or, if ARCH_THREAD_RECORD_ENDS, ARCH_THREAD_RECORD_GAP bytes behind its
   end. ARCH_TLS_VECTOR bytes from the thread pointer is where the parts of its thread-local storage
   are told (dtv). */

/* glibc's record of a thread has the list of robust mutexes ARCH_ROBUST_LIST bytes from the thread
   pointer. WORDS, at the thread pointer, are those of such a record? */
bool arch_is_thread_record(
	const uint64_t words[ARCH_RECORD_WORDS], uint64_t thread_pointer);

/*
 * If the stop caught a system call on its way out with -EINTR that no handler asked for,
 * change the block so that the kernel starts the call again, and return true: the caller
 * must then write it back. The kernel still returns EINTR if a handler really runs
 * (-ERESTARTNOHAND; ptrace(2), BUGS; tests/e2e/e2e-eintr counts what is left).
 */
bool arch_restart_interrupted_syscall(struct arch_regset *regset);

/*
 * If the kernel would go on with the call by restart_syscall(2), as with nanosleep, poll or a futex
 * with a timeout: change the block so that the call itself starts again, with its whole timeout.
 */
bool arch_restart_whole_syscall(struct arch_regset *regset);

/* --- code and frames, for stacks that no unwind table describes --- */

/* What the instructions around a PC say about its frame. */
enum arch_frame {
	ARCH_FRAME_BUILT,     /* the frame pointer points to the caller's, saved */
	ARCH_FRAME_PUSHED,    /* the caller's is at the stack pointer, being built */
	ARCH_FRAME_NOT_BUILT, /* the return address is where a call leaves it */
	ARCH_FRAME_SIGNAL,    /* the return from a signal handler, by rt_sigreturn */
};

/* CODE holds the ARCH_CODE_BYTES around the PC, ARCH_CODE_BEFORE of them before it. Bytes
   that cannot be read are 0. */
enum arch_frame arch_frame_at(const unsigned char *code);

/* --- the procedure linkage table --- */

/* The relocation types of GOT words; TLS_MODULE: the number of a variable's module; TLS_DESCRIPTOR: two
   words, of which the second says how far from the thread pointer the variable is. */
extern const uint64_t arch_relocation_glob_dat, arch_relocation_jump_slot,
	arch_relocation_irelative, arch_relocation_tls_module,
	arch_relocation_tls_descriptor;

/* Where an entry of the PLT leads: through the GOT word at SLOT, or to be looked up as
   number INDEX of .rela.plt. */
struct arch_plt {
	bool has_slot;
	uint64_t slot;
	uint32_t index;
};

/* Decode the SIZE bytes of CODE at VADDR as one PLT entry. False if they are none. */
bool arch_plt_entry(
	const unsigned char *code, size_t size, uint64_t vaddr, struct arch_plt *out);

/* The registers of what a signal interrupted, as the kernel pushed them for the handler;
   CONTEXT, ARCH_SIGNAL_CONTEXT_BYTES, is what lies at the stack pointer of
   ARCH_FRAME_SIGNAL. */
void arch_decode_signal_context(const void *context, struct arch_registers *out);

/* Where a signal handler runs on a stack of its own (sigaltstack). */
struct arch_alternate {
	uint64_t limit;		 /* of that stack */
	uint64_t interrupted_sp; /* on another one */
};

/* Is STACK, the bytes from ADDRESS on, the signal stack of a thread with the stack
   pointer SP? The kernel's frame for the handler tells. Reads nothing but STACK, so this
   may be done while the thread is stopped. */
bool arch_find_alternate(const void *stack, size_t length, uint64_t address, uint64_t sp,
	struct arch_alternate *out);

#endif
