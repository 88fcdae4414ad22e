/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-x86_64-operands.h"

#include <string.h>

/* The DWARF numbers of the registers (System V ABI AMD64,
   figure 3.36). */
enum {
	DWARF_FP = 6,
	DWARF_SP = 7,
};

static const uint8_t dwarf_number[16] = {
	0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

uint64_t x86_take(struct x86_decoder *d, size_t bytes)
{
	uint64_t value = 0;
	if (d->failed || (size_t)(d->limit - d->at) < bytes) {
		d->failed = true;
		return 0;
	}
	memcpy(&value, d->at, bytes); /* little-endian, as the host */
	d->at += bytes;
	return value;
}

int32_t x86_take_signed(struct x86_decoder *d, size_t bytes)
{
	uint64_t value = x86_take(d, bytes);
	return bytes == 1 ? (int8_t)value : bytes == 2 ? (int16_t)value : (int32_t)value;
}

bool x86_is_wide(const struct x86_decoder *d)
{
	return d->rex & 8;
}

void x86_take_modrm(struct x86_decoder *d)
{
	unsigned byte = (unsigned)x86_take(d, 1);
	d->mod = byte >> 6;
	d->reg = (byte >> 3 & 7) | (d->rex & 4 ? 8 : 0);
	d->rm = byte & 7;
	d->base = ARCH_NO_REG;
	if (d->mod == 3) {
		d->rm |= d->rex & 1 ? 8 : 0;
		return;
	}
	unsigned base = d->rm;
	bool indexed = false;
	if (d->rm == 4) {
		unsigned sib = (unsigned)x86_take(d, 1);
		base = sib & 7;
		indexed = (sib >> 3 & 7) != 4 || d->rex & 2;
	}
	bool no_base = base == 5 && d->mod == 0;
	d->is_rip = no_base && d->rm == 5;
	d->is_absolute = no_base && d->rm == 4 && !indexed;
	d->displacement = d->mod == 1		   ? x86_take_signed(d, 1)
			  : d->mod == 2 || no_base ? x86_take_signed(d, 4)
						   : 0;
	if (!indexed && !no_base && !d->address32)
		d->base = base | (d->rex & 1 ? 8 : 0);
}

/* --- what an instruction does ------------------------------------------------------- */

void x86_set_unknown(struct arch_insn *insn, unsigned reg)
{
	insn->effect = ARCH_EFFECT_SET;
	insn->reg = dwarf_number[reg & 15];
	insn->base = ARCH_NO_REG;
}

/* REG is written, by an operation on bytes or not. Of these, 4 to 7 are ah to bh unless
   there is a REX prefix. */
void x86_writes(
	const struct x86_decoder *d, struct arch_insn *insn, unsigned reg, bool is_byte)
{
	if (is_byte && !d->has_rex && reg >= 4)
		reg -= 4;
	x86_set_unknown(insn, reg);
}

void x86_writes_rm(const struct x86_decoder *d, struct arch_insn *insn, bool is_byte)
{
	if (d->mod == 3)
		x86_writes(d, insn, d->rm, is_byte);
}

static void set_from(struct arch_insn *insn, unsigned reg, unsigned base, int32_t offset)
{
	insn->effect = ARCH_EFFECT_SET;
	insn->reg = dwarf_number[reg];
	insn->base = dwarf_number[base];
	insn->offset = offset;
}

void x86_push(struct arch_insn *insn, unsigned reg)
{
	insn->effect = ARCH_EFFECT_PUSH;
	insn->reg = reg == ARCH_NO_REG ? ARCH_NO_REG : dwarf_number[reg];
}

void x86_pop(struct arch_insn *insn, unsigned reg)
{
	insn->effect = ARCH_EFFECT_POP;
	insn->reg = reg == ARCH_NO_REG ? ARCH_NO_REG : dwarf_number[reg];
}

/* mov between a register and thread-local storage, which is at %fs. */
static void move_tls(const struct x86_decoder *d, struct arch_insn *insn, bool to_reg)
{
	bool is_known = d->is_absolute || d->base != ARCH_NO_REG;
	if (!d->fs || d->address32 || !x86_is_wide(d) || !is_known) {
		if (to_reg)
			x86_set_unknown(insn, d->reg);
		return;
	}
	insn->effect = to_reg ? ARCH_EFFECT_LOAD_TLS : ARCH_EFFECT_STORE_TLS;
	insn->reg = dwarf_number[d->reg];
	insn->base = d->is_absolute ? ARCH_NO_REG : dwarf_number[d->base];
	insn->offset = d->displacement;
}

void x86_move_number(struct x86_decoder *d, struct arch_insn *insn)
{
	int32_t number = x86_take_signed(d, d->operand16 ? 2 : 4);
	if (d->mod != 3)
		return;
	x86_set_unknown(insn, d->rm);
	if (x86_is_wide(d)) {
		insn->effect = ARCH_EFFECT_NUMBER;
		insn->offset = number;
	}
}

/* mov between registers, or a register and the stack. */
void x86_move(const struct x86_decoder *d, struct arch_insn *insn, bool to_reg)
{
	unsigned reg = d->reg;
	if (d->mod == 3) {
		unsigned to = to_reg ? reg : d->rm, from = to_reg ? d->rm : reg;
		if (x86_is_wide(d))
			set_from(insn, to, from, 0);
		else
			x86_set_unknown(insn, to);
		return;
	}
	if (d->fs || d->gs) {
		move_tls(d, insn, to_reg);
		return;
	}
	bool followed = x86_is_wide(d) && d->base != ARCH_NO_REG;
	if (to_reg && !followed) {
		x86_set_unknown(insn, reg);
	} else if (followed) {
		insn->effect = to_reg ? ARCH_EFFECT_LOAD : ARCH_EFFECT_STORE;
		insn->reg = dwarf_number[reg];
		insn->base = dwarf_number[d->base];
		insn->offset = d->displacement;
	}
}

void x86_load_address(const struct x86_decoder *d, struct arch_insn *insn)
{
	if (x86_is_wide(d) && d->base != ARCH_NO_REG)
		set_from(insn, d->reg, d->base, d->displacement);
	else
		x86_set_unknown(insn, d->reg);
}

/* 80, 81 and 83: add, or, adc, sbb, and, sub, xor, cmp with a number. */
void x86_arithmetic(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	int32_t number = opcode == 0x81 ? x86_take_signed(d, d->operand16 ? 2 : 4)
					: x86_take_signed(d, 1);
	unsigned operation = d->reg & 7;
	if (d->mod != 3 || operation == 7)
		return;
	if (opcode != 0x80 && x86_is_wide(d) && (operation == 0 || operation == 5))
		set_from(insn, d->rm, d->rm, operation == 0 ? number : -number);
	else
		x86_writes(d, insn, d->rm, opcode == 0x80);
}

/* fe and ff: inc, dec, call, jmp, push. */
void x86_group_ff(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	switch (d->reg & 7) {
	case 0:
	case 1:
		x86_writes_rm(d, insn, opcode == 0xfe);
		break;
	case 2:
		insn->flow = ARCH_FLOW_CALL;
		break;
	case 4:
		insn->flow = d->is_rip ? ARCH_FLOW_SLOT : ARCH_FLOW_INDIRECT;
		break;
	case 6:
		x86_push(insn, ARCH_NO_REG);
		break;
	default: /* far calls and jumps */
		d->failed = true;
	}
}

unsigned x86_take_prefixes(struct x86_decoder *d)
{
	for (;;) {
		unsigned byte = (unsigned)x86_take(d, 1);
		switch (byte) {
		case 0x64:
			d->fs = true;
			continue;
		case 0x65:
			d->gs = true;
			continue;
		case 0x66:
			d->operand16 = true;
			continue;
		case 0x67:
			d->address32 = true;
			continue;
		case 0xf3:
			d->repeat = true;
			continue;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
		case 0xf2:
			continue;
		default:
			break;
		}
		if ((byte & 0xf0) != 0x40 || d->failed)
			return byte;
		d->rex = byte & 15;
		d->has_rex = true;
		return (unsigned)x86_take(d, 1);
	}
}
