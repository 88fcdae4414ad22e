/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-call.h"

#include "src/arch/arch-aarch64-words.h"

#include <elf.h>
#include <string.h>
#include <sys/user.h>

const unsigned arch_pc = 32, arch_sp = 31, arch_fp = 29;
const unsigned arch_kept[2] = {27, 28};

enum {
	REGSET_32_BYTES = 18 * 4,
};

_Static_assert(
	sizeof(struct user_regs_struct) == ARCH_GENERAL_BYTES, "NT_PRSTATUS of aarch64");

const struct arch_note arch_notes[ARCH_NOTES] = {
	{NT_PRSTATUS, 0, ARCH_GENERAL_BYTES}, {NT_ARM_TLS, ARCH_GENERAL_BYTES, 8}};

bool arch_decode_regset(const struct arch_regset *regset, struct arch_registers *out)
{
	if (regset->size != ARCH_GENERAL_BYTES)
		return false;
	/* x0 to x30, SP, PC */
	memcpy(out->values, regset->bytes, sizeof(out->values));
	out->known = ARCH_ALL;
	return true;
}

/* asm/perf_regs.h: x0 to x29, lr, sp, pc, as above */
const uint64_t arch_perf_mask = ARCH_ALL;

void arch_regset_of_perf(const uint64_t *values, bool is_64, struct arch_regset *out)
{
	memset(out->bytes, 0, sizeof(out->bytes));
	memcpy(out->bytes, values, ARCH_PERF_REGISTERS * sizeof(*values));
	out->size = is_64 ? ARCH_GENERAL_BYTES : REGSET_32_BYTES;
}

/* Below the record of a frame; both are aligned (get_sigframe in
   arch/arm64/kernel/signal.c). Vectors of more than 1024 bits make it larger. */
uint64_t arch_left_handler(const struct arch_regset *regset)
{
	enum {
		RECORD_BYTES = 16,
		SIGNAL_FRAME_BYTES = 128 + 176 + 288 + 4096,
	};
	return (arch_regset_sp(regset) & ~UINT64_C(15)) - RECORD_BYTES -
	       SIGNAL_FRAME_BYTES;
}

/* mov x8, #139; svc #0 */
static bool is_sigreturn(const unsigned char *code)
{
	return a64_word(code) == 0xd2801168 &&
	       a64_word(code + 4) == (uint32_t)ARCH_CALL_CODE;
}

enum arch_frame arch_frame_at(const unsigned char *code)
{
	const unsigned char *at = code + ARCH_CODE_BEFORE;
	uint32_t next = a64_word(at), last = a64_word(at - 4);
	/* A leaf may stand at the system call itself. */
	if (is_sigreturn(at) || is_sigreturn(at - 4))
		return ARCH_FRAME_SIGNAL;
	/* A function begins or ends, or is a stub of the PLT */
	if (a64_is_landing(next) || a64_is_return(next) || a64_is_push_record(next) ||
		a64_is_pop_record(last) || a64_is_plt_jump(next))
		return ARCH_FRAME_NOT_BUILT;
	if (a64_is_push_record(last) && a64_is_set_fp(next))
		return ARCH_FRAME_PUSHED;
	return ARCH_FRAME_BUILT;
}

const uint64_t arch_relocation_glob_dat = R_AARCH64_GLOB_DAT,
	       arch_relocation_jump_slot = R_AARCH64_JUMP_SLOT,
	       arch_relocation_irelative = R_AARCH64_IRELATIVE,
	       arch_relocation_tls_module = R_AARCH64_TLS_DTPMOD,
	       arch_relocation_tls_descriptor = R_AARCH64_TLSDESC;

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset; [autia1716]
   br x17 */
bool arch_plt_entry(
	const unsigned char *code, size_t size, uint64_t vaddr, struct arch_plt *out)
{
	size_t at = 0;
	*out = (struct arch_plt){.has_slot = false};
	if (size >= 4 && a64_word(code) == (uint32_t)A64_BTI_C)
		at = 4;
	if (size - at < 8)
		return false;
	uint32_t page = a64_word(code + at), load = a64_word(code + at + 4);
	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return false;
	uint64_t base = (vaddr + at) & ~UINT64_C(0xfff);
	out->has_slot = true;
	out->slot = base + (uint64_t)(a64_address_offset(page) * 4096) +
		    (load >> 10 & 0xfff) * 8;
	return true;
}

enum {
	/* struct rt_sigframe: siginfo_t, struct ucontext (asm/ucontext.h); that has the
	   registers behind the fault's address (struct sigcontext, asm/sigcontext.h), and
	   those of floating point behind them */
	SIGINFO_WORDS = 128 / 8,
	SAVED = (176 + 8) / 8, /* x0 */
};

/* x0 to x30, SP, PC again */
void arch_decode_signal_context(const void *context, struct arch_registers *out)
{
	memcpy(out->values, (const uint64_t *)context + SIGINFO_WORDS + SAVED,
		sizeof(out->values));
	out->known = ARCH_ALL;
}
