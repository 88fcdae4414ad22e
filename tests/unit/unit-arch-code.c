/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions, one by one, against what the processor's manual says. */

#include "tests/lib/unit.h"

#include "src/arch/arch-code.h"
#include "src/arch/arch.h"

#include <string.h>

enum {
	RAX = 0,
	RBX = 3,
	RBP = 6,
	RSP = 7,
	R10 = 10,
	R12 = 12,
	NO = ARCH_NO_REG,
};

struct sample {
	const char *text, *bytes;
	uint8_t length, flow, effect, reg, base;
	int32_t number; /* offset, or target of a jump */
};

#define BYTES(text) text, sizeof(text) - 1

static const struct sample samples[] = {
	{"push %rbp", BYTES("\x55"), ARCH_FLOW_NEXT, ARCH_EFFECT_PUSH, RBP, NO, 0},
	{"push %r12", BYTES("\x41\x54"), ARCH_FLOW_NEXT, ARCH_EFFECT_PUSH, R12, NO, 0},
	{"push $5", BYTES("\x6a\x05"), ARCH_FLOW_NEXT, ARCH_EFFECT_PUSH, NO, NO, 0},
	{"push 8(%rip)", BYTES("\xff\x35\x08\0\0\0"), ARCH_FLOW_NEXT, ARCH_EFFECT_PUSH,
		NO, NO, 0},
	{"vprotd $7,%xmm1,%xmm2 (XOP)", BYTES("\x8f\xe8\x78\xc2\xd1\x07"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"blsfill %eax,%ebx (TBM)", BYTES("\x8f\xe9\x60\x01\xd0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RBX, NO, 0},
	{"pop (%rax)", BYTES("\x8f\x00"), ARCH_FLOW_NEXT, ARCH_EFFECT_POP, NO, NO, 0},
	{"xchg %ah,%al", BYTES("\x86\xe0"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RAX, NO, 0},
	{"pop %rbx", BYTES("\x5b"), ARCH_FLOW_NEXT, ARCH_EFFECT_POP, RBX, NO, 0},
	{"leave", BYTES("\xc9"), ARCH_FLOW_NEXT, ARCH_EFFECT_LEAVE, NO, NO, 0},
	{"mov %rsp,%rbp", BYTES("\x48\x89\xe5"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RBP,
		RSP, 0},
	{"mov %rsp,%rbp", BYTES("\x48\x8b\xec"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RBP,
		RSP, 0},
	{"mov %esp,%ebp", BYTES("\x89\xe5"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RBP, NO, 0},
	{"sub $0x28,%rsp", BYTES("\x48\x83\xec\x28"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET,
		RSP, RSP, -0x28},
	{"add $0x1000,%rsp", BYTES("\x48\x81\xc4\0\x10\0\0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RSP, RSP, 0x1000},
	{"and $-16,%rsp", BYTES("\x48\x83\xe4\xf0"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RSP,
		NO, 0},
	{"sub %rax,%rsp", BYTES("\x48\x29\xc4"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RSP, NO,
		0},
	{"cmp $1,%rsp", BYTES("\x48\x83\xfc\x01"), ARCH_FLOW_NEXT, ARCH_EFFECT_NONE, NO,
		NO, 0},
	{"lea -8(%r10),%rsp", BYTES("\x49\x8d\x62\xf8"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET,
		RSP, R10, -8},
	{"lea (%rsp,%rcx,8),%rsp", BYTES("\x48\x8d\x24\xcc"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RSP, NO, 0},
	{"mov 0x10(%rsp),%rbx", BYTES("\x48\x8b\x5c\x24\x10"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_LOAD, RBX, RSP, 0x10},
	{"mov %rbx,-8(%rbp)", BYTES("\x48\x89\x5d\xf8"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_STORE, RBX, RBP, -8},
	{"mov %fs:-8,%rax", BYTES("\x64\x48\x8b\x04\x25\xf8\xff\xff\xff"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_LOAD_TLS, RAX, NO, -8},
	{"mov %fs:8(%rax),%rbx", BYTES("\x64\x48\x8b\x58\x08"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_LOAD_TLS, RBX, RAX, 8},
	{"mov %rbx,%fs:-8", BYTES("\x64\x48\x89\x1c\x25\xf8\xff\xff\xff"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_STORE_TLS, RBX, NO, -8},
	{"mov %fs:8(%rax,%rcx,2),%rbx", BYTES("\x64\x48\x8b\x5c\x48\x08"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RBX, NO, 0},
	{"mov %fs:8(%rip),%rbx", BYTES("\x64\x48\x8b\x1d\x08\0\0\0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RBX, NO, 0},
	{"mov %gs:8(%rax),%rbx", BYTES("\x65\x48\x8b\x58\x08"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RBX, NO, 0},
	{"mov %fs:0,%eax", BYTES("\x64\x8b\x04\x25\0\0\0\0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RAX, NO, 0},
	{"mov $-8,%r10", BYTES("\x49\xc7\xc2\xf8\xff\xff\xff"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_NUMBER, R10, NO, -8},
	{"movq $0,0x38(%rax)", BYTES("\x48\xc7\x40\x38\0\0\0\0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"mov $0,%ch", BYTES("\xb5\0"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, 2, NO, 0},
	{"mov $0,%bpl", BYTES("\x40\xb5\0"), ARCH_FLOW_NEXT, ARCH_EFFECT_SET, RBP, NO, 0},
	{"movabs $1,%rax", BYTES("\x48\xb8\x01\0\0\0\0\0\0\0"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_SET, RAX, NO, 0},
	{"endbr64", BYTES("\xf3\x0f\x1e\xfa"), ARCH_FLOW_NEXT, ARCH_EFFECT_NONE, NO, NO,
		0},
	{"nopw %cs:0(%rax,%rax,1)", BYTES("\x66\x2e\x0f\x1f\x84\0\0\0\0\0"),
		ARCH_FLOW_NEXT, ARCH_EFFECT_NONE, NO, NO, 0},
	{"movaps %xmm5,%xmm4", BYTES("\x0f\x28\xe5"), ARCH_FLOW_NEXT, ARCH_EFFECT_NONE,
		NO, NO, 0},
	{"vzeroupper", BYTES("\xc5\xf8\x77"), ARCH_FLOW_NEXT, ARCH_EFFECT_NONE, NO, NO,
		0},
	{"vpcmpeqb (%rdi),%ymm0,%ymm1", BYTES("\xc5\xfd\x74\x0f"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"vmovdqu64 (%rsi),%zmm16", BYTES("\x62\xe1\xfe\x48\x6f\x06"), ARCH_FLOW_NEXT,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"call .+10", BYTES("\xe8\x05\0\0\0"), ARCH_FLOW_CALL, ARCH_EFFECT_NONE, NO, NO,
		5},
	{"call *%rax", BYTES("\xff\xd0"), ARCH_FLOW_CALL, ARCH_EFFECT_NONE, NO, NO, 0},
	{"call *8(%rax,%rcx,8)", BYTES("\xff\x54\xc8\x08"), ARCH_FLOW_CALL,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"jmp .-2", BYTES("\xeb\xfc"), ARCH_FLOW_JUMP, ARCH_EFFECT_NONE, NO, NO, -4},
	{"jne .+0x100", BYTES("\x0f\x85\xfa\0\0\0"), ARCH_FLOW_BRANCH, ARCH_EFFECT_NONE,
		NO, NO, 0xfa},
	{"jmp *%rax", BYTES("\xff\xe0"), ARCH_FLOW_INDIRECT, ARCH_EFFECT_NONE, NO, NO, 0},
	{"bnd jmp *8(%rip)", BYTES("\xf2\xff\x25\x08\0\0\0"), ARCH_FLOW_SLOT,
		ARCH_EFFECT_NONE, NO, NO, 0},
	{"ret", BYTES("\xc3"), ARCH_FLOW_RETURN, ARCH_EFFECT_NONE, NO, NO, 0},
	{"rep ret", BYTES("\xf3\xc3"), ARCH_FLOW_RETURN, ARCH_EFFECT_NONE, NO, NO, 0},
	{"ret $8", BYTES("\xc2\x08\0"), ARCH_FLOW_RETURN, ARCH_EFFECT_NONE, NO, NO, 0},
	{"ud2", BYTES("\x0f\x0b"), ARCH_FLOW_STOP, ARCH_EFFECT_NONE, NO, NO, 0},
	{"hlt", BYTES("\xf4"), ARCH_FLOW_STOP, ARCH_EFFECT_NONE, NO, NO, 0},
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		unsigned char code[ARCH_INSN_MAX];
		struct arch_insn insn;
		memset(code, 0xcc, sizeof(code));
		memcpy(code, sample->bytes, sample->length);
		print_message("# %s\n", sample->text);
		assert_true(arch_decode_insn(code, sizeof(code), &insn));
		assert_int_equal(insn.length, sample->length);
		assert_int_equal(insn.flow, sample->flow);
		assert_int_equal(insn.effect, sample->effect);
		assert_int_equal(insn.reg, sample->reg);
		assert_int_equal(insn.base, sample->base);
		bool jumps = insn.flow == ARCH_FLOW_CALL || insn.flow == ARCH_FLOW_JUMP ||
			     insn.flow == ARCH_FLOW_BRANCH;
		assert_int_equal(jumps ? insn.target : insn.offset, sample->number);
		/* What is cut off is no instruction. */
		for (size_t length = 0; length < sample->length; length++)
			if (arch_decode_insn(code, length, &insn))
				assert_true(insn.length <= length);
	}
}

static void test_not_instructions(void **state)
{
	(void)state;
	static const char *const bytes[] = {"\x06", "\x62", "\x9a\0\0\0\0\0\0", "\xcf",
		"\x0f\x04", "\x48\x94", "\xff\x18", "\xc8\0\0\0"};
	struct arch_insn insn;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		assert_false(arch_decode_insn(
			(const unsigned char *)bytes[i], strlen(bytes[i]) + 1, &insn));
}

static void test_ends_with_call(void **state)
{
	(void)state;
	static const unsigned char direct[] = {0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4};
	static const unsigned char slot[] = {0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4};
	static const unsigned char pointer[] = {0, 0, 0, 0, 0, 0x41, 0xff, 0xd4};
	static const unsigned char none[] = {0x90, 0x90, 0xe9, 1, 2, 3, 4, 0x90};
	assert_true(arch_ends_with_call(direct + 8, 8));
	assert_true(arch_ends_with_call(slot + 8, 8));
	assert_true(arch_ends_with_call(pointer + 8, 8));
	assert_false(arch_ends_with_call(none + 8, 8));
	int32_t distance;
	assert_true(arch_called(direct + 8, &distance));
	assert_int_equal(distance, 0x04030201);
	assert_false(arch_called(slot + 8, &distance));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_not_instructions),
		cmocka_unit_test(test_ends_with_call),
	};
	return unit_run(tests);
}
