/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-code.h"

#include "src/arch/arch-x86_64-escapes.h"
#include "src/arch/arch-x86_64-operands.h"

#include <string.h>

/* In DWARF's numbers. A handler gets its arguments in rax and rdx; a call preserves rbx,
   rbp and r12 to r15: System V ABI AMD64, 3.2.1. */
const arch_set arch_handler_arguments = 1u << 0 | 1u << 1;
const arch_set arch_preserved = 1u << 3 | 1u << 6 | 0xfu << 12;

/* 00 to 3f: eight operations, in six forms each. */
static void arithmetic_forms(
	struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	bool is_compare = opcode >= 0x38, is_byte = !(opcode & 1);
	switch (opcode & 7) {
	case 0:
	case 1:
		x86_take_modrm(d);
		if (!is_compare)
			x86_writes_rm(d, insn, is_byte);
		break;
	case 2:
	case 3:
		x86_take_modrm(d);
		if (!is_compare)
			x86_writes(d, insn, d->reg, is_byte);
		break;
	case 4:
		x86_take(d, 1);
		break;
	case 5:
		x86_take(d, d->operand16 ? 2 : 4);
		break;
	default:
		d->failed = true;
	}
}

/* The rest of the one-byte map that has a ModRM byte. */
static void with_modrm(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	size_t full = d->operand16 ? 2 : 4;
	x86_take_modrm(d);
	switch (opcode) {
	case 0x63:
		x86_set_unknown(insn, d->reg);
		break;
	case 0x69:
	case 0x6b:
		x86_take(d, opcode == 0x69 ? full : 1);
		x86_set_unknown(insn, d->reg);
		break;
	case 0x80:
	case 0x81:
	case 0x83:
		x86_arithmetic(d, insn, opcode);
		break;
	case 0x86:
	case 0x87: /* xchg: of two registers only one can be told */
		/* 4 is %ah where bytes are meant and there is no REX */
		if (d->mod == 3 && (opcode == 0x87 || d->has_rex) &&
			(d->rm == X86_SP || d->reg == X86_SP))
			d->failed = true;
		x86_writes(d, insn, d->mod == 3 && d->rm == X86_FP ? X86_FP : d->reg,
			opcode == 0x86);
		break;
	case 0x88:
		x86_writes_rm(d, insn, true);
		break;
	case 0x8a:
		x86_writes(d, insn, d->reg, true);
		break;
	case 0x89:
	case 0x8b:
		x86_move(d, insn, opcode == 0x8b);
		break;
	case 0x8d:
		x86_load_address(d, insn);
		break;
	case 0x8f:
		x86_pop(insn, d->mod == 3 ? d->rm : ARCH_NO_REG);
		break;
	case 0xc0:
	case 0xc1:
	case 0xc6:
		x86_take(d, 1);
		x86_writes_rm(d, insn, opcode != 0xc1);
		break;
	case 0xc7:
		x86_move_number(d, insn);
		break;
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		x86_writes_rm(d, insn, !(opcode & 1));
		break;
	case 0xf6:
	case 0xf7:
		if ((d->reg & 7) < 2)
			x86_take(d, opcode == 0xf6 ? 1 : full);
		else if ((d->reg & 7) < 4)
			x86_writes_rm(d, insn, opcode == 0xf6);
		break;
	case 0xfe:
	case 0xff:
		x86_group_ff(d, insn, opcode);
		break;
	default: /* 84, 85: test; 8c, 8e: segments; d8 to df: floating point */
		break;
	}
}

/* Branches, jumps, calls, returns and traps. False if OPCODE is none. */
static bool leads_elsewhere(
	struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	switch (opcode) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		insn->flow = ARCH_FLOW_BRANCH;
		insn->is_direct = true;
		insn->target = x86_take_signed(d, 1);
		break;
	case 0xc2:
	case 0xc3:
		x86_take(d, opcode == 0xc2 ? 2 : 0);
		insn->flow = ARCH_FLOW_RETURN;
		break;
	case 0xcc:
	case 0xf1:
	case 0xf4:
		insn->flow = ARCH_FLOW_STOP;
		break;
	case 0xe8:
	case 0xe9:
		insn->flow = opcode == 0xe8 ? ARCH_FLOW_CALL : ARCH_FLOW_JUMP;
		insn->is_direct = true;
		insn->target = x86_take_signed(d, 4);
		break;
	case 0xeb:
		insn->flow = ARCH_FLOW_JUMP;
		insn->is_direct = true;
		insn->target = x86_take_signed(d, 1);
		break;
	default:
		return false;
	}
	return true;
}

static void without_modrm(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	unsigned reg = (opcode & 7) | (d->rex & 1 ? 8 : 0);
	size_t full = d->operand16 ? 2 : 4;
	if (leads_elsewhere(d, insn, opcode))
		return;
	switch (opcode) {
	case 0x50 ... 0x57:
		x86_push(insn, reg);
		break;
	case 0x58 ... 0x5f:
		x86_pop(insn, reg);
		break;
	case 0x68:
	case 0x6a:
		x86_take(d, opcode == 0x68 ? full : 1);
		x86_push(insn, ARCH_NO_REG);
		break;
	case 0x90 ... 0x97:
		if (reg == X86_SP)
			d->failed = true;
		else if (reg != 0)
			x86_set_unknown(insn, reg);
		break;
	case 0x9c:
		x86_push(insn, ARCH_NO_REG);
		break;
	case 0x9d:
		x86_pop(insn, ARCH_NO_REG);
		break;
	case 0xa0 ... 0xa3:
		x86_take(d, d->address32 ? 4 : 8);
		break;
	case 0xa8:
	case 0xcd:
	case 0xe4 ... 0xe7:
		x86_take(d, 1);
		break;
	case 0xa9:
		x86_take(d, full);
		break;
	case 0xb0 ... 0xb7:
		x86_take(d, 1);
		x86_writes(d, insn, reg, true);
		break;
	case 0xb8 ... 0xbf:
		x86_take(d, x86_is_wide(d) ? 8 : full);
		x86_set_unknown(insn, reg);
		break;
	case 0xc9:
		insn->effect = ARCH_EFFECT_LEAVE;
		break;
	case 0x6c ... 0x6f:
	case 0x98:
	case 0x99:
	case 0x9b:
	case 0x9e:
	case 0x9f:
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
	case 0xd7:
	case 0xec ... 0xef:
	case 0xf5:
	case 0xf8 ... 0xfd:
		break;
	default:
		d->failed = true;
	}
}

/* The same byte is pop to memory, whose ModRM has no such bits. */
static bool is_xop(const struct x86_decoder *d, unsigned opcode)
{
	return opcode == 0x8f && d->at < d->limit && (*d->at & 31) >= 8;
}

bool arch_decode_insn(const unsigned char *code, size_t length, struct arch_insn *out)
{
	struct x86_decoder d = {
		.at = code,
		.limit = code + (length < ARCH_INSN_MAX ? length : ARCH_INSN_MAX),
	};
	*out = (struct arch_insn){
		.reg = ARCH_NO_REG, .base = ARCH_NO_REG, .reg2 = ARCH_NO_REG};
	unsigned opcode = x86_take_prefixes(&d);
	if (opcode == 0x0f)
		x86_two_bytes(&d, out);
	else if (opcode < 0x40)
		arithmetic_forms(&d, out, opcode);
	else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62 || is_xop(&d, opcode))
		x86_vector(&d, out, opcode);
	else if (opcode == 0x63 || opcode == 0x69 || opcode == 0x6b ||
		 (opcode >= 0x80 && opcode <= 0x8f && opcode != 0x82) || opcode == 0xc0 ||
		 opcode == 0xc1 || opcode == 0xc6 || opcode == 0xc7 ||
		 (opcode >= 0xd0 && opcode <= 0xd3) ||
		 (opcode >= 0xd8 && opcode <= 0xdf) || opcode == 0xf6 || opcode == 0xf7 ||
		 opcode >= 0xfe)
		with_modrm(&d, out, opcode);
	else
		without_modrm(&d, out, opcode);
	out->length = (uint8_t)(d.at - code);
	out->has_reference = d.is_rip && !d.address32;
	out->reference = out->has_reference ? d.displacement : 0;
	return !d.failed;
}

bool arch_ends_with_call(const unsigned char *after, size_t count)
{
	/* From the longest form on: call rel32; call *mem or *reg, of 2 to 7 bytes and a
	   prefix. */
	struct arch_insn insn;
	for (size_t bytes = 2; bytes <= 8 && bytes <= count; bytes++)
		if (arch_decode_insn(after - bytes, bytes, &insn) &&
			insn.length == bytes && insn.flow == ARCH_FLOW_CALL)
			return true;
	return false;
}

bool arch_is_plt_push(const unsigned char *code)
{
	return code[0] == 0xff && code[1] == 0x35;
}

bool arch_called(const unsigned char *after, int32_t *distance)
{
	memcpy(distance, after - 4, sizeof(*distance));
	return after[-5] == 0xe8;
}

bool arch_called_slot(const unsigned char *after, int32_t *distance)
{
	memcpy(distance, after - 4, sizeof(*distance));
	return after[-6] == 0xff && after[-5] == 0x15;
}
