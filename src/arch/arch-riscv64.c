/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-call.h"
#include "src/arch/arch-code.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

/* s10 and s11 are kept by calls (RISC-V ABIs Specification, 1.1). */
const unsigned arch_pc = 32, arch_sp = 2, arch_fp = 8;
const unsigned arch_kept[2] = {26, 27};

enum {
	WORDS = 32, /* the PC, x1 to x31: struct user_regs_struct (asm/ptrace.h) */
};

const struct arch_note arch_notes[ARCH_NOTES] = {{NT_PRSTATUS, 0, ARCH_GENERAL_BYTES}};

static void decode(const void *block, struct arch_registers *out)
{
	uint64_t words[WORDS];
	memcpy(words, block, sizeof(words));
	memcpy(out->values, words, sizeof(words));
	out->values[0] = 0; /* x0 is always that */
	out->values[arch_pc] = words[0];
	out->known = ARCH_ALL;
}

bool arch_decode_regset(const struct arch_regset *regset, struct arch_registers *out)
{
	if (regset->size != ARCH_GENERAL_BYTES)
		return false;
	decode(regset->bytes, out);
	return true;
}

/* asm/perf_regs.h: in the order of a regset */
const uint64_t arch_perf_mask = (UINT64_C(1) << ARCH_PERF_REGISTERS) - 1;

void arch_regset_of_perf(const uint64_t *values, bool is_64, struct arch_regset *out)
{
	memset(out->bytes, 0, sizeof(out->bytes));
	memcpy(out->bytes, values, ARCH_GENERAL_BYTES);
	out->size = is_64 ? ARCH_GENERAL_BYTES : ARCH_GENERAL_BYTES / 2;
}

/* get_sigframe in arch/riscv/kernel/signal.c; struct rt_sigframe with registers of floating point. With
   those of vectors it is larger, by what nobody tells. */
uint64_t arch_left_handler(const struct arch_regset *regset)
{
	const unsigned long vectors = 1ul << ('v' - 'a');
	uint64_t sp = arch_regset_sp(regset);
	return getauxval(AT_HWCAP) & vectors
		       ? 0
		       : (sp - (128 + 176 + 256 + 528)) & ~UINT64_C(15);
}

/* li a7, 139; ecall: in the vdso. A leaf may stand at the call itself. */
enum arch_frame arch_frame_at(const unsigned char *code)
{
	static const unsigned char sigreturn[] = {
		0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00};
	const unsigned char *at = code + ARCH_CODE_BEFORE;
	bool is_return = memcmp(at, sigreturn, sizeof(sigreturn)) == 0 ||
			 memcmp(at - 4, sigreturn, sizeof(sigreturn)) == 0;
	return is_return ? ARCH_FRAME_SIGNAL : ARCH_FRAME_NOT_BUILT;
}

/* RISC-V ABIs Specification, 8.4. A word of the GOT is relocated as any other. */
const uint64_t arch_relocation_glob_dat = R_RISCV_64,
	       arch_relocation_jump_slot = R_RISCV_JUMP_SLOT,
	       arch_relocation_irelative = R_RISCV_IRELATIVE,
	       arch_relocation_tls_module = R_RISCV_TLS_DTPMOD64,
	       arch_relocation_tls_descriptor = 12; /* R_RISCV_TLSDESC, of 2023 */

/* auipc t3, page; ld t3, offset(t3); jalr t1, t3; nop (RISC-V ABIs Specification, 8.4.6) */
bool arch_plt_entry(
	const unsigned char *code, size_t size, uint64_t vaddr, struct arch_plt *out)
{
	uint32_t words[4];
	*out = (struct arch_plt){.has_slot = false};
	if (size < sizeof(words))
		return false;
	memcpy(words, code, sizeof(words));
	if ((words[0] & 0xfff) != 0xe17 || (words[1] & 0xfffff) != 0xe3e03 ||
		words[2] != 0xe0367)
		return false;
	out->has_slot = true;
	out->slot = vaddr + (uint64_t)(int64_t)(int32_t)(words[0] & 0xfffff000) +
		    (uint64_t)(int64_t)((int32_t)words[1] >> 20);
	return true;
}

/* jal ra, distance; or auipc ra, distance; jalr ra, rest(ra) */
bool arch_called(const unsigned char *after, int32_t *distance)
{
	uint32_t first, word;
	memcpy(&first, after - 8, sizeof(first));
	memcpy(&word, after - 4, sizeof(word));
	if ((word & 0xfff) == 0x0ef) {
		uint32_t sign = word & 0x80000000;
		*distance = (int32_t)(sign >> 11 | (sign ? 0xffe00000 : 0) |
				      (word & 0xff000) | (word >> 9 & 0x800) |
				      (word >> 20 & 0x7fe)) -
			    4;
		return true;
	}
	*distance = (int32_t)((first & 0xfffff000) + (uint32_t)((int32_t)word >> 20)) - 8;
	return (first & 0xfff) == 0x097 && (word & 0xfffff) == 0x080e7;
}

enum {
	/* struct rt_sigframe: siginfo_t, struct ucontext (asm/ucontext.h); that has the
	   registers at its end, aligned */
	SIGINFO_WORDS = 128 / 8,
	SAVED = 176 / 8, /* the PC, x1 to x31 */
};

void arch_decode_signal_context(const void *context, struct arch_registers *out)
{
	decode((const uint64_t *)context + SIGINFO_WORDS + SAVED, out);
}
