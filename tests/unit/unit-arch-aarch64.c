/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aarch64: instructions, one by one, against what the manual says; and what the kernel leaves on the
   stack. Run in tests/cross/check. */

#include "tests/lib/unit.h"

#include "src/arch/arch-call.h"
#include "src/arch/arch-code.h"
#include "src/arch/arch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
	SP = 31,
	LR = 30,
	FP = 29,
	NO = ARCH_NO_REG,
};

struct sample {
	const char *text;
	uint32_t word;
	uint8_t flow, effect, reg, reg2, base;
	int32_t offset, moved, target;
};

#define NEXT ARCH_FLOW_NEXT
#define SET  ARCH_EFFECT_SET
#define LOAD ARCH_EFFECT_LOAD
#define PUT  ARCH_EFFECT_STORE
#define NONE ARCH_EFFECT_NONE

/* As objdump prints them. A target is in bytes from the instruction itself. */
static const struct sample samples[] = {
	{"stp x29, x30, [sp, #-32]!", 0xa9be7bfd, NEXT, PUT, FP, LR, SP, -32, -32, 0},
	{"stp x29, x30, [sp, #16]", 0xa9017bfd, NEXT, PUT, FP, LR, SP, 16, 0, 0},
	{"ldp x29, x30, [sp], #32", 0xa8c27bfd, NEXT, LOAD, FP, LR, SP, 0, 32, 0},
	{"ldp x19, x20, [sp, #16]", 0xa94153f3, NEXT, LOAD, 19, 20, SP, 16, 0, 0},
	{"ldp w1, w2, [x3, #8]", 0x29410861, NEXT, LOAD, 1, 2, 3, 8, 0, 0},
	{"stp d8, d9, [sp, #-16]!", 0x6dbf27e8, NEXT, PUT, NO, NO, SP, -16, -16, 0},
	{"stp q0, q1, [sp, #32]", 0xad0107e0, NEXT, PUT, NO, NO, SP, 32, 0, 0},
	{"str x30, [sp, #-16]!", 0xf81f0ffe, NEXT, PUT, LR, NO, SP, -16, -16, 0},
	{"ldr x30, [sp], #16", 0xf84107fe, NEXT, LOAD, LR, NO, SP, 0, 16, 0},
	{"str x19, [sp, #16]", 0xf9000bf3, NEXT, PUT, 19, NO, SP, 16, 0, 0},
	{"ldr x19, [sp, #24]", 0xf9400ff3, NEXT, LOAD, 19, NO, SP, 24, 0, 0},
	{"stur x19, [x29, #-8]", 0xf81f83b3, NEXT, PUT, 19, NO, FP, -8, 0, 0},
	{"strb w0, [x1, #3]", 0x39000c20, NEXT, PUT, NO, NO, 1, 3, 0, 0},
	{"ldr w0, [x1, #4]", 0xb9400420, NEXT, LOAD, 0, NO, 1, 4, 0, 0},
	{"ldr x0, [x1, x2, lsl #3]", 0xf8627820, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"ldr q0, [x1], #16", 0x3cc10420, NEXT, LOAD, NO, NO, 1, 0, 16, 0},
	{"ldaxr w0, [x1]", 0x885ffc20, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"stlxr w3, w0, [x1]", 0x8803fc20, NEXT, SET, 3, NO, NO, 0, 0, 0},
	{"mov x29, sp", 0x910003fd, NEXT, SET, FP, NO, SP, 0, 0, 0},
	{"mov sp, x29", 0x910003bf, NEXT, SET, SP, NO, FP, 0, 0, 0},
	{"sub sp, sp, #0x40", 0xd10103ff, NEXT, SET, SP, NO, SP, -64, 0, 0},
	{"sub sp, sp, #0x1, lsl #12", 0xd14007ff, NEXT, SET, SP, NO, SP, -4096, 0, 0},
	{"add x29, sp, #0x10", 0x910043fd, NEXT, SET, FP, NO, SP, 16, 0, 0},
	{"add w0, w0, #1", 0x11000400, NEXT, SET, 0, NO, NO, 1, 0, 0},
	{"cmp x0, #1", 0xf100041f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"and sp, x9, #0xfffffffffffffff0", 0x927ced3f, NEXT, SET, SP, NO, NO, 0, 0, 0},
	{"tst x0, #1", 0xf240001f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"mov x19, x0", 0xaa0003f3, NEXT, SET, 19, NO, 0, 0, 0, 0},
	{"mov x0, xzr", 0xaa1f03e0, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"sub sp, sp, x9", 0xcb2963ff, NEXT, SET, SP, NO, NO, 0, 0, 0},
	{"add x0, x1, x2", 0x8b020020, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"cmp x1, x2", 0xeb02003f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"ccmp x1, x2, #0x3, eq", 0xfa420023, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"mov x8, #0x8b", 0xd2801168, NEXT, SET, 8, NO, NO, 0, 0, 0},
	{"mrs x0, tpidr_el0", 0xd53bd040, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"fmov x0, d0", 0x9e660000, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"fadd d0, d1, d2", 0x1e622820, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"nop", 0xd503201f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"paciasp", 0xd503233f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"bti c", 0xd503245f, NEXT, NONE, NO, NO, NO, 0, 0, 0},
	{"b .+8", 0x14000002, ARCH_FLOW_JUMP, NONE, NO, NO, NO, 0, 0, 8},
	{"bl .-4", 0x97ffffff, ARCH_FLOW_CALL, SET, LR, NO, NO, 0, 0, -4},
	{"b.ne .+16", 0x54000081, ARCH_FLOW_BRANCH, NONE, NO, NO, NO, 0, 0, 16},
	{"cbz x0, .-8", 0xb4ffffc0, ARCH_FLOW_BRANCH, NONE, NO, NO, NO, 0, 0, -8},
	{"tbnz w0, #3, .+12", 0x37180060, ARCH_FLOW_BRANCH, NONE, NO, NO, NO, 0, 0, 12},
	{"blr x1", 0xd63f0020, ARCH_FLOW_CALL, SET, LR, NO, NO, 0, 0, 0},
	{"blraaz x1", 0xd63f083f, ARCH_FLOW_CALL, SET, LR, NO, NO, 0, 0, 0},
	{"br x1", 0xd61f0020, ARCH_FLOW_INDIRECT, NONE, NO, NO, NO, 0, 0, 0},
	{"br x17", 0xd61f0220, ARCH_FLOW_SLOT, NONE, NO, NO, NO, 0, 0, 0},
	{"ret", 0xd65f03c0, ARCH_FLOW_RETURN, NONE, NO, NO, NO, 0, 0, 0},
	{"retaa", 0xd65f0bff, ARCH_FLOW_RETURN, NONE, NO, NO, NO, 0, 0, 0},
	{"brk #0x3e8", 0xd4207d00, ARCH_FLOW_STOP, NONE, NO, NO, NO, 0, 0, 0},
	{"svc #0", 0xd4000001, NEXT, SET, 0, NO, NO, 0, 0, 0},
	{"udf #0", 0x00000000, ARCH_FLOW_STOP, NONE, NO, NO, NO, 0, 0, 0},
	{"addvl sp, sp, #-1", 0x043f57ff, NEXT, SET, SP, NO, NO, 0, 0, 0},
	{"cntd x0", 0x04e0e3e0, NEXT, SET, 0, NO, NO, 0, 0, 0},
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		struct arch_insn insn;
		print_message("# %s\n", s->text);
		assert_true(arch_decode_insn((const void *)&s->word, 4, &insn));
		assert_int_equal(insn.length, 4);
		assert_int_equal(insn.flow, s->flow);
		assert_int_equal(insn.effect, s->effect);
		assert_int_equal(insn.reg, s->reg);
		assert_int_equal(insn.reg2, s->reg2);
		assert_int_equal(insn.base, s->base);
		assert_int_equal(insn.offset, s->offset);
		assert_int_equal(insn.moved, s->moved);
		if (insn.is_direct)
			assert_int_equal(insn.target + 4, s->target);
	}
}

static void test_what_is_no_instruction(void **state)
{
	const uint32_t word = 0x02000000;
	struct arch_insn insn;
	(void)state;
	assert_false(arch_decode_insn((const void *)&word, 4, &insn));
	assert_int_equal(insn.length, 4);
	assert_false(arch_decode_insn((const void *)&samples[0].word, 3, &insn));
}

static void test_calls(void **state)
{
	const uint32_t code[] = {0xd503201f, 0x94000004}; /* nop; bl .+16 */
	const unsigned char *after = (const unsigned char *)(code + 2);
	int32_t distance;
	int64_t to;
	(void)state;
	assert_true(arch_ends_with_call(after, 8));
	assert_false(arch_ends_with_call(after - 4, 4));
	assert_true(arch_called(after, &distance));
	assert_int_equal(distance, 12);
	assert_int_equal(arch_reference(after - 4, &to), ARCH_REFERENCE_RELATIVE);
	assert_int_equal(to, 16);
}

static enum arch_frame frame_of(uint32_t last, uint32_t next)
{
	const uint32_t code[ARCH_CODE_BYTES / 4] = {0, last, next, 0xd503201f};
	return arch_frame_at((const unsigned char *)code);
}

static void test_frames(void **state)
{
	const uint32_t push = 0xa9be7bfd, set = 0x910003fd, nop = 0xd503201f;
	const uint32_t pop = 0xa8c27bfd, set_sp = 0x927cee9f; /* and sp, x20, #-16 */
	const uint32_t trampoline[ARCH_CODE_BYTES / 4] = {0, 0, 0xd2801168, 0xd4000001};
	const uint32_t behind[ARCH_CODE_BYTES / 4] = {0, 0xd2801168, 0xd4000001, 0};
	(void)state;
	assert_int_equal(frame_of(nop, push), ARCH_FRAME_NOT_BUILT);
	assert_int_equal(frame_of(nop, 0xd503233f), ARCH_FRAME_NOT_BUILT); /* paciasp */
	assert_int_equal(frame_of(nop, 0xd65f03c0), ARCH_FRAME_NOT_BUILT); /* ret */
	assert_int_equal(frame_of(nop, pop), ARCH_FRAME_BUILT);
	assert_int_equal(frame_of(pop, set_sp), ARCH_FRAME_NOT_BUILT);
	assert_int_equal(frame_of(push, set), ARCH_FRAME_PUSHED);
	assert_int_equal(frame_of(set, nop), ARCH_FRAME_BUILT);
	assert_int_equal(frame_of(nop, 0xd503249f), ARCH_FRAME_BUILT); /* bti j */
	assert_int_equal(
		arch_frame_at((const unsigned char *)trampoline), ARCH_FRAME_SIGNAL);
	assert_int_equal(arch_frame_at((const unsigned char *)behind), ARCH_FRAME_SIGNAL);
}

static void test_plt(void **state)
{
	/* adrp x16, 11000; ldr x17, [x16, #8]; add x16, x16, #8; br x17 */
	const uint32_t plain[] = {0x90000090, 0xf9400611, 0x91002210, 0xd61f0220};
	const uint32_t guarded[] = {
		0xd503245f, 0x90000090, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f};
	struct arch_plt plt;
	(void)state;
	assert_true(arch_plt_entry((const void *)plain, sizeof(plain), 0x1030, &plt));
	assert_true(plt.has_slot);
	assert_int_equal(plt.slot, 0x11008);
	assert_true(arch_plt_entry((const void *)guarded, sizeof(guarded), 0x1030, &plt));
	assert_int_equal(plt.slot, 0x11008);
	assert_false(arch_plt_entry((const void *)(plain + 1), 12, 0x1034, &plt));
	assert_false(arch_plt_entry((const void *)plain, 4, 0x1030, &plt));
}

static void test_signed_return_address(void **state)
{
	(void)state;
	assert_int_equal(arch_return_address(UINT64_C(0x3b0000aaaadeadbe)), 0xaaaadeadbe);
	assert_int_equal(
		arch_return_address(UINT64_C(0x007faaaadeadbeef)), 0xaaaadeadbeef);
	assert_int_equal(arch_return_address(0xffff12345678), 0xffff12345678);
}

/* --- what the kernel leaves ---------------------------------------------------------- */

static struct {
	uint64_t sp, pc, x19;
	unsigned char *stack;
	bool is_decoded, is_found;
	struct arch_registers registers;
	struct arch_alternate alternate;
} seen;

enum {
	STACK_BYTES = 64 << 10,
};

/* On the alternate stack. The kernel's frame is at UCONTEXT less the siginfo. */
static void handle(int number, siginfo_t *info, void *context)
{
	(void)number;
	const ucontext_t *ucontext = context;
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	seen.sp = ucontext->uc_mcontext.sp;
	seen.pc = ucontext->uc_mcontext.pc;
	seen.x19 = ucontext->uc_mcontext.regs[19];
	arch_decode_signal_context(info, &seen.registers);
	uint64_t top = (uint64_t)(uintptr_t)seen.stack + STACK_BYTES;
	seen.is_found = arch_find_alternate(
		(const void *)(uintptr_t)here, top - here, here, here, &seen.alternate);
}

static void test_a_signal_on_an_alternate_stack(void **state)
{
	(void)state;
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	seen.stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(
		sigaltstack(
			&(stack_t){.ss_sp = seen.stack, .ss_size = STACK_BYTES}, NULL),
		0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	assert_int_equal(seen.registers.values[arch_pc], seen.pc);
	assert_int_equal(seen.registers.values[arch_sp], seen.sp);
	assert_int_equal(seen.registers.values[19], seen.x19);
	assert_true(seen.is_found);
	assert_int_equal(seen.alternate.interrupted_sp, seen.sp);
	assert_int_equal(
		seen.alternate.limit, (uint64_t)(uintptr_t)seen.stack + STACK_BYTES);
}

/* --- calls ---------------------------------------------------------------------------- */

static void test_a_call_that_is_told(void **state)
{
	struct arch_regset regset = {.size = 34 * 8};
	uint64_t words[34] = {
		[0] = (uint64_t)-4, [1] = 11, [5] = 15, [8] = 20, [32] = 0x1004};
	struct arch_call call = {.number = 20, .arguments = {3}}, told;
	long number;
	(void)state;
	memcpy(regset.bytes, words, sizeof(words));
	assert_true(arch_hides_call(&regset, &number));
	assert_int_equal(number, 20);
	assert_false(arch_left_call(&regset, &told));
	assert_false(arch_restart_interrupted_syscall(&regset));
	arch_reveal_call(&regset, &call);
	assert_false(arch_hides_call(&regset, &number));
	assert_true(arch_left_call(&regset, &told));
	assert_int_equal(told.number, 20);
	assert_int_equal(told.arguments[0], 3);
	assert_int_equal(told.arguments[5], 15);
	assert_int_equal(arch_call_address(&regset), 0x1000);
	assert_true(arch_restart_interrupted_syscall(&regset));
	memcpy(words, regset.bytes, sizeof(words));
	assert_int_equal(words[0], 3);
	assert_int_equal(words[32], 0x1000);
	assert_true(arch_forgets_call(&regset));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_what_is_no_instruction),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_signed_return_address),
		cmocka_unit_test(test_a_signal_on_an_alternate_stack),
		cmocka_unit_test(test_a_call_that_is_told),
	};
	return unit_run(tests);
}
