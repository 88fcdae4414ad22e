/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/user.h>

const unsigned arch_pc = 16, arch_sp = 7, arch_fp = 6;
const unsigned arch_kept[2] = {14, 15};

/* The kernel's own number, include/linux/errno.h; it never reaches user space. */
enum {
	ERESTARTNOHAND = 514,
	ERESTART_RESTARTBLOCK = 516,
	REGSET_32_BYTES = 17 * 4
};

_Static_assert(
	sizeof(struct user_regs_struct) == ARCH_REGSET_BYTES, "NT_PRSTATUS of x86_64");

const struct arch_note arch_notes[ARCH_NOTES] = {{NT_PRSTATUS, 0, ARCH_REGSET_BYTES}};

void arch_set_arguments(struct arch_registers *r, const uint64_t args[6])
{
	/* rdi, rsi, rdx, r10, r8, r9: System V ABI AMD64, A.2.1 */
	static const unsigned char numbers[6] = {5, 4, 1, 10, 8, 9};
	for (int i = 0; i < 6; i++) {
		r->values[numbers[i]] = args[i];
		r->known |= arch_bit(numbers[i]);
	}
}

/* False if it is of a 32-bit task. */
static bool read_registers(const struct arch_regset *regset, struct user_regs_struct *out)
{
	if (regset->size != sizeof(*out))
		return false;
	memcpy(out, regset->bytes, sizeof(*out));
	return true;
}

bool arch_decode_regset(const struct arch_regset *regset, struct arch_registers *out)
{
	struct user_regs_struct r;
	if (!read_registers(regset, &r))
		return false;
	*out = (struct arch_registers){
		.values = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
			r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip},
		.known = ARCH_ALL,
	};
	return true;
}

/* asm/perf_regs.h: ax bx cx dx si di bp sp ip, and behind flags and segments r8 to r15 */
const uint64_t arch_perf_mask = 0xff01ff;

void arch_regset_of_perf(const uint64_t *values, bool is_64, struct arch_regset *out)
{
	const struct user_regs_struct r = {
		.rax = values[0],
		.rbx = values[1],
		.rcx = values[2],
		.rdx = values[3],
		.rsi = values[4],
		.rdi = values[5],
		.rbp = values[6],
		.rsp = values[7],
		.rip = values[8],
		.r8 = values[9],
		.r9 = values[10],
		.r10 = values[11],
		.r11 = values[12],
		.r12 = values[13],
		.r13 = values[14],
		.r14 = values[15],
		.r15 = values[16],
		.orig_rax = UINT64_MAX, /* in no system call */
	};
	memcpy(out->bytes, &r, sizeof(r));
	out->size = is_64 ? sizeof(r) : REGSET_32_BYTES;
}

uint64_t arch_regset_sp(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	return read_registers(regset, &r) ? r.rsp : 0;
}

uint64_t arch_regset_fp(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	return read_registers(regset, &r) ? r.rbp : 0;
}

/* System V ABI, AMD64, 3.2.3. */
uint64_t arch_regset_argument(const struct arch_regset *regset, unsigned number)
{
	struct user_regs_struct r;
	if (!read_registers(regset, &r))
		return 0;
	const uint64_t arguments[] = {r.rdi, r.rsi, r.rdx, r.rcx, r.r8, r.r9};
	return arguments[number];
}

/* A trap, which comes after it (Intel, volume 3, "Data Breakpoint Exception Conditions"). */
void arch_regset_at_write(struct arch_regset *regset)
{
	struct user_regs_struct r;
	if (!read_registers(regset, &r))
		return;
	r.rip--;
	memcpy(regset->bytes, &r, sizeof(r));
}

uint64_t arch_regset_thread_pointer(const struct arch_regset *regset)
{
	struct user_regs_struct r;
	return read_registers(regset, &r) ? r.fs_base : 0;
}

/* It begins with its own address, and has that once more (glibc,
   sysdeps/x86_64/nptl/tls.h). */
bool arch_is_thread_record(
	const uint64_t words[ARCH_RECORD_WORDS], uint64_t thread_pointer)
{
	return words[0] == thread_pointer && words[2] == thread_pointer;
}

/* struct user_regs_struct32 of the kernel, arch/x86/include/asm/user_32.h: 17 words. */
static bool restart_failed_32(struct arch_regset *regset, int errnum)
{
	enum {
		EAX = 6,
		ORIG_EAX = 11
	};
	int32_t r[REGSET_32_BYTES / 4];
	memcpy(r, regset->bytes, sizeof(r));
	if (r[ORIG_EAX] < 0 || r[EAX] != -errnum)
		return false;
	r[EAX] = -ERESTARTNOHAND;
	memcpy(regset->bytes, r, sizeof(r));
	return true;
}

/* The call that fails with ERRNUM. */
static bool restart_failed(struct arch_regset *regset, int errnum)
{
	struct user_regs_struct r;
	if (regset->size == REGSET_32_BYTES)
		return restart_failed_32(regset, errnum);
	if (!read_registers(regset, &r))
		return false;
	/* orig_rax is -1 when the thread came here by an interrupt or exception. */
	if ((long)r.orig_rax < 0 || (long)r.rax != -errnum)
		return false;
	r.rax = (unsigned long)-ERESTARTNOHAND;
	memcpy(regset->bytes, &r, sizeof(r));
	return true;
}

bool arch_restart_interrupted_syscall(struct arch_regset *regset)
{
	return restart_failed(regset, EINTR);
}

bool arch_restart_whole_syscall(struct arch_regset *regset)
{
	return restart_failed(regset, ERESTART_RESTARTBLOCK);
}

/* Do the bytes at CODE begin with one of the TEXTS? */
static bool begins(const unsigned char *code, const char *const *texts)
{
	for (; *texts; texts++)
		if (memcmp(code, *texts, strlen(*texts)) == 0)
			return true;
	return false;
}

/* mov $15, %rax or %eax; syscall (glibc, musl and Go have one or the other). */
static bool is_sigreturn(const unsigned char *code)
{
	static const unsigned char wide[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	static const unsigned char narrow[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
	return memcmp(code, wide, sizeof(wide)) == 0 ||
	       memcmp(code, narrow, sizeof(narrow)) == 0;
}

enum arch_frame arch_frame_at(const unsigned char *code)
{
	static const char *const endbr64[] = {"\xf3\x0f\x1e\xfa", NULL};
	static const char *const set_rbp[] = {"\x48\x89\xe5", "\x48\x8b\xec", NULL};
	static const char *const nothing_pushed[] = {
		"\x55\x48\x89\xe5", /* push %rbp; mov %rsp, %rbp */
		"\x55\x48\x8b\xec", /* the same, the other encoding */
		"\xc3",		    /* ret, and its prefixed and popping forms */
		"\xf3\xc3",
		"\xf2\xc3",
		"\xc2",
		"\xff\x25", /* jmp *slot(%rip): a PLT entry */
		"\xf2\xff\x25",
		NULL,
	};
	const unsigned char *pc = code + ARCH_CODE_BEFORE;
	/* A leaf may stand at the system call itself. */
	if (is_sigreturn(pc) || is_sigreturn(pc - 7) || is_sigreturn(pc - 5))
		return ARCH_FRAME_SIGNAL;
	if (begins(pc, endbr64))
		pc += 4;
	if (begins(pc, nothing_pushed))
		return ARCH_FRAME_NOT_BUILT;
	/* push $index; jmp to the head of the PLT */
	if (pc[0] == 0x68 && (pc[5] == 0xe9 || (pc[5] == 0xf2 && pc[6] == 0xe9)))
		return ARCH_FRAME_NOT_BUILT;
	if (pc[-1] == 0x55 && begins(pc, set_rbp))
		return ARCH_FRAME_PUSHED;
	return ARCH_FRAME_BUILT;
}

const uint64_t arch_relocation_glob_dat = R_X86_64_GLOB_DAT,
	       arch_relocation_jump_slot = R_X86_64_JUMP_SLOT,
	       arch_relocation_irelative = R_X86_64_IRELATIVE,
	       arch_relocation_tls_module = R_X86_64_DTPMOD64,
	       arch_relocation_tls_descriptor = R_X86_64_TLSDESC;

/* [endbr64] [mov $index,%r11d (mold)] [bnd] jmp *slot(%rip), or [endbr64] push $index */
bool arch_plt_entry(
	const unsigned char *code, size_t size, uint64_t vaddr, struct arch_plt *out)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;
	int32_t number;

	*out = (struct arch_plt){.has_slot = false};
	if (size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (size - at >= 5 && code[at] == 0x68) {
		memcpy(&out->index, code + at + 1, sizeof(out->index));
		return true;
	}
	if (size - at >= 6 && code[at] == 0x41 && code[at + 1] == 0xbb)
		at += 6;
	if (size - at >= 1 && code[at] == 0xf2)
		at++;
	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&number, code + at + 2, sizeof(number));
	out->has_slot = true;
	out->slot = vaddr + at + 6 + (uint64_t)(int64_t)number;
	return true;
}

/* struct ucontext of asm/ucontext.h: flags, link and stack_t (40 bytes), then the
   registers in the order of struct sigcontext (asm/sigcontext.h). */
void arch_decode_signal_context(const void *context, struct arch_registers *out)
{
	enum {
		R8,
		R9,
		R10,
		R11,
		R12,
		R13,
		R14,
		R15,
		DI,
		SI,
		BP,
		BX,
		DX,
		AX,
		CX,
		SP,
		IP
	};
	uint64_t r[ARCH_REGISTERS];
	memcpy(r, (const char *)context + 40, sizeof(r));
	*out = (struct arch_registers){
		.values = {r[AX], r[DX], r[CX], r[BX], r[SI], r[DI], r[BP], r[SP], r[R8],
			r[R9], r[R10], r[R11], r[R12], r[R13], r[R14], r[R15], r[IP]},
		.known = ARCH_ALL,
	};
}

/* struct ucontext again: uc_flags, uc_link (the kernel writes 0), uc_stack (ss_sp,
   ss_flags, ss_size), registers. uc_stack is what sigaltstack had said. */
bool arch_find_alternate(const void *stack, size_t length, uint64_t address, uint64_t sp,
	struct arch_alternate *out)
{
	enum {
		FLAGS,
		LINK,
		SS_SP,
		SS_FLAGS,
		SS_SIZE,
		REGISTERS,
		SAVED_SP = REGISTERS + 15,
		EFLAGS = REGISTERS + 17,
		CS = REGISTERS + 18,
		WORDS = CS + 1,
		UC_FLAGS_MAX = 7, /* UC_FP_XSTATE and UC_SIGCONTEXT_SS */
		EFLAGS_ALWAYS = 2,
		USER_CS = 0x33, /* asm/segment.h: __USER_CS */
	};
	const unsigned char *at = stack;
	bool found = false;
	/* The last one is that of the handler that came first, where this stack begins;
	   what lies below may be left over. */
	for (; length >= WORDS * 8; length -= 8, at += 8, address += 8) {
		uint64_t w[WORDS];
		memcpy(&w[SS_SP], at + SS_SP * 8, 8);
		if (w[SS_SP] > sp || w[SS_SP] == 0)
			continue;
		memcpy(w, at, sizeof(w));
		uint64_t bytes = w[SS_SIZE], start = w[SS_SP];
		bool fits = w[FLAGS] <= UC_FLAGS_MAX && w[LINK] == 0 &&
			    (w[EFLAGS] & EFLAGS_ALWAYS) &&
			    (w[CS] & UINT16_MAX) == USER_CS && bytes <= UINT32_MAX &&
			    sp - start < bytes && address - start < bytes;
		if (!fits || w[SAVED_SP] - start < bytes)
			continue;
		out->limit = start + bytes;
		out->interrupted_sp = w[SAVED_SP];
		found = true;
	}
	return found;
}
