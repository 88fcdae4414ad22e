/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read off the words of a regset at once: aarch64, riscv64. */
#include "src/arch/arch.h"

#include <string.h>

/* 0 of a foreign task. */
static uint64_t word_of(const struct arch_regset *regset, unsigned number)
{
	uint64_t value;
	memcpy(&value, regset->bytes + number * sizeof(value), sizeof(value));
	return regset->size == ARCH_GENERAL_BYTES ? value : 0;
}

uint64_t arch_regset_sp(const struct arch_regset *regset)
{
	return word_of(regset, ARCH_WORD_SP);
}

uint64_t arch_regset_fp(const struct arch_regset *regset)
{
	return word_of(regset, ARCH_WORD_FP);
}

uint64_t arch_regset_argument(const struct arch_regset *regset, unsigned number)
{
	return word_of(regset, ARCH_WORD_ARGUMENT + number);
}

uint64_t arch_regset_thread_pointer(const struct arch_regset *regset)
{
	return word_of(regset, ARCH_WORD_THREAD);
}

/* It is there: the exception comes before the write. */
void arch_regset_at_write(struct arch_regset *regset)
{
	(void)regset;
}

/* The arguments of a call and of a function are in the same registers. */
void arch_set_arguments(struct arch_registers *r, const uint64_t args[6])
{
	for (unsigned i = 0; i < 6; i++) {
		r->values[ARCH_WORD_ARGUMENT + i] = args[i];
		r->known |= arch_bit(ARCH_WORD_ARGUMENT + i);
	}
}

/* The record lies below the thread pointer, as far as it is long, which depends on glibc's
   version; and nothing in it says that it is one. */
bool arch_is_thread_record(
	const uint64_t words[ARCH_RECORD_WORDS], uint64_t thread_pointer)
{
	(void)words, (void)thread_pointer;
	return false;
}

/* uc_flags and uc_link are 0; uc_stack is what sigaltstack had said. */
bool arch_find_alternate(const void *stack, size_t length, uint64_t address, uint64_t sp,
	struct arch_alternate *out)
{
	enum {
		SS_SP = 2,
		SS_SIZE = 4,
		MARK = ARCH_WORD_MARK,
		SAVED_SP = ARCH_WORD_SAVED_SP,
		WORDS = (MARK > SAVED_SP ? MARK : SAVED_SP) + 1,
	};
	const unsigned char *at = stack;
	bool found = false;
	/* The last one is that of the handler that came first, where this stack begins;
	   what lies below may be left over. */
	for (; length >= WORDS * 8; length -= 8, at += 8, address += 8) {
		uint64_t w[WORDS];
		memcpy(&w[MARK], at + MARK * 8, 8);
		if (w[MARK] != ARCH_CONTEXT_MARK)
			continue;
		memcpy(w, at, sizeof(w));
		uint64_t bytes = w[SS_SIZE], start = w[SS_SP];
		if (w[0] != 0 || w[1] != 0 || start == 0 || sp - start >= bytes ||
			address - start >= bytes || w[SAVED_SP] - start < bytes)
			continue;
		out->limit = start + bytes;
		out->interrupted_sp = w[SAVED_SP];
		found = true;
	}
	return found;
}
