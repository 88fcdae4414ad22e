/* SPDX-License-Identifier: GPL-2.0-or-later */
/* riscv64: registers at a stop, and what the kernel leaves on the stack for a signal handler. Run in
   tests/cross/check. */

#include "tests/lib/unit.h"

#include "src/arch/arch-code.h"
#include "src/arch/arch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	RA = 1,
	SP = 2,
	FP = 8,
	A0 = 10,
	STACK_BYTES = 64 << 10,
};

static void test_registers(void **state)
{
	(void)state;
	struct arch_regset regset = {.size = ARCH_GENERAL_BYTES};
	uint64_t words[ARCH_GENERAL_BYTES / 8];
	for (unsigned i = 0; i < ARCH_GENERAL_BYTES / 8; i++)
		words[i] = 0x1000 + i;
	memcpy(regset.bytes, words, sizeof(words));
	struct arch_registers registers;
	assert_true(arch_decode_regset(&regset, &registers));
	assert_int_equal(arch_get_pc(&registers), 0x1000);
	assert_int_equal(registers.values[0], 0);
	assert_int_equal(registers.values[RA], 0x1001);
	assert_int_equal(arch_get_sp(&registers), 0x1002);
	assert_int_equal(arch_regset_sp(&regset), 0x1002);
	assert_int_equal(arch_regset_thread_pointer(&regset), 0x1004);
	assert_int_equal(arch_regset_fp(&regset), 0x1000 + FP);
	assert_int_equal(arch_regset_argument(&regset, 1), 0x1000 + A0 + 1);
	regset.size /= 2;
	assert_false(arch_decode_regset(&regset, &registers));
	assert_int_equal(arch_regset_sp(&regset), 0);
}

static struct {
	unsigned char stack[STACK_BYTES];
	struct arch_alternate alternate;
	struct arch_registers registers;
	bool is_found;
	uint64_t pc, sp, s0;
} seen;

/* The kernel's frame begins at the siginfo. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	uint64_t here = (uint64_t)(uintptr_t)info;
	uint64_t top = (uint64_t)(uintptr_t)seen.stack + STACK_BYTES;
	(void)number;
	seen.pc = interrupted->uc_mcontext.__gregs[0];
	seen.sp = interrupted->uc_mcontext.__gregs[SP];
	seen.s0 = interrupted->uc_mcontext.__gregs[FP];
	arch_decode_signal_context(info, &seen.registers);
	seen.is_found =
		arch_find_alternate(info, top - here, here, here, &seen.alternate);
}

static void test_a_signal_on_an_alternate_stack(void **state)
{
	(void)state;
	stack_t stack = {.ss_sp = seen.stack, .ss_size = STACK_BYTES};
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(arch_get_pc(&seen.registers), seen.pc);
	assert_int_equal(arch_get_sp(&seen.registers), seen.sp);
	assert_int_equal(seen.registers.values[FP], seen.s0);
	assert_true(seen.is_found);
	assert_int_equal(seen.alternate.interrupted_sp, seen.sp);
	assert_int_equal(
		seen.alternate.limit, (uint64_t)(uintptr_t)seen.stack + STACK_BYTES);
}

/* As objdump prints them. */
static void test_calls(void **state)
{
	(void)state;
	static const struct {
		uint32_t words[2];
		bool is_call;
		int32_t distance;
	} samples[] = {
		{{0, 0xbc9ff0ef}, true, -0x438 - 4},		 /* jal 750, at b88 */
		{{0, 0x010000ef}, true, 16 - 4},		 /* jal ra, 16 */
		{{0, 0x0100006f}, false, 0},			 /* j 16 */
		{{0x00001097, 0xff0080e7}, true, 4096 - 16 - 8}, /* auipc; jalr -16(ra) */
		{{0x00001097, 0xff0280e7}, false, 0},		 /* jalr -16(t0) */
	};
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const unsigned char *after =
			(const unsigned char *)(samples[i].words + 2);
		int32_t distance = 0;
		assert_int_equal(arch_called(after, &distance), samples[i].is_call);
		if (samples[i].is_call)
			assert_int_equal(distance, samples[i].distance);
	}
}

static void test_plt(void **state)
{
	(void)state;
	const uint32_t entry[] = {0x00002e17, 0x8b0e3e03, 0x000e0367, 0x00000013};
	struct arch_plt plt;
	assert_true(
		arch_plt_entry((const unsigned char *)entry, sizeof(entry), 0x750, &plt));
	assert_int_equal(plt.slot, 0x750 + 0x2000 - 0x750);
	assert_false(arch_plt_entry(
		(const unsigned char *)entry, sizeof(entry) - 1, 0x750, &plt));
}

/* Nothing else is said about code, and no system call is meddled with. */
static void test_what_is_not_known(void **state)
{
	(void)state;
	struct arch_insn insn;
	struct arch_regset regset = {.size = ARCH_GENERAL_BYTES};
	const unsigned char code[ARCH_CODE_BYTES] = {0x82, 0x80}; /* ret */
	assert_false(arch_decode_insn(code, sizeof(code), &insn));
	assert_int_equal(arch_frame_at(code), ARCH_FRAME_NOT_BUILT);
	assert_false(arch_restart_interrupted_syscall(&regset));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_a_signal_on_an_alternate_stack),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_what_is_not_known),
	};
	return unit_run(tests);
}
