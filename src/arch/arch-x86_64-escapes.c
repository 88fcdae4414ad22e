/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-x86_64-escapes.h"

/* The map behind 0f, of what has a ModRM byte. Most of it is arithmetic on vectors, whose
   registers are others. */
static void two_bytes_modrm(
	struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	x86_take_modrm(d);
	switch (opcode) {
	case 0x2c:
	case 0x2d:
	case 0x40 ... 0x50:
	case 0xaf:
	case 0xb6 ... 0xb8:
	case 0xbc ... 0xbf:
	case 0xd7:
		x86_set_unknown(insn, d->reg);
		break;
	case 0x7e:
		if (!d->repeat)
			x86_writes_rm(d, insn, false);
		break;
	case 0x90 ... 0x9f:
	case 0xb0:
	case 0xc0:
		x86_writes_rm(d, insn, true);
		break;
	case 0xa4:
	case 0xac:
	case 0xba:
		x86_take(d, 1);
		x86_writes_rm(d, insn, false);
		break;
	case 0xa5:
	case 0xab:
	case 0xad:
	case 0xb1:
	case 0xb3:
	case 0xbb:
	case 0xc1:
	case 0xc7:
		x86_writes_rm(d, insn, false);
		break;
	case 0x70 ... 0x73:
	case 0xc2:
	case 0xc4:
	case 0xc6:
		x86_take(d, 1);
		break;
	case 0xc5:
		x86_take(d, 1);
		x86_set_unknown(insn, d->reg);
		break;
	default:
		break;
	}
}

void x86_two_bytes(struct x86_decoder *d, struct arch_insn *insn)
{
	unsigned opcode = (unsigned)x86_take(d, 1);
	switch (opcode) {
	case 0x05: /* syscall: rax, rcx and r11 */
		insn->is_syscall = true;
		return;
	case 0x0b:
		insn->flow = ARCH_FLOW_STOP;
		return;
	case 0x06:
	case 0x08:
	case 0x09:
	case 0x0e:
	case 0x30 ... 0x37:
	case 0x77:
	case 0xa2: /* cpuid: rbx, too */
		if (opcode == 0xa2)
			x86_set_unknown(insn, 3);
		return;
	case 0x80 ... 0x8f:
		insn->flow = ARCH_FLOW_BRANCH;
		insn->is_direct = true;
		insn->target = x86_take_signed(d, 4);
		return;
	case 0xc8 ... 0xcf:
		x86_set_unknown(insn, (opcode & 7) | (d->rex & 1 ? 8 : 0));
		return;
	case 0x38:
		opcode = (unsigned)x86_take(d, 1);
		x86_take_modrm(d);
		if (opcode >= 0xf0)
			x86_set_unknown(insn, d->reg);
		return;
	case 0x3a:
		opcode = (unsigned)x86_take(d, 1);
		x86_take_modrm(d);
		x86_take(d, 1);
		if (opcode >= 0x14 && opcode <= 0x17)
			x86_writes_rm(d, insn, false);
		return;
	case 0x04:
	case 0x07:
	case 0x0a:
	case 0x0c:
	case 0x0f:
	case 0x24 ... 0x27:
	case 0x39:
	case 0x3b ... 0x3f:
	case 0xa0: /* push and pop of segments, and rsm */
	case 0xa1:
	case 0xa6 ... 0xaa:
		d->failed = true;
		return;
	default:
		two_bytes_modrm(d, insn, opcode);
	}
}

/* What follows the prefix of XOP, which AMD had once and libcrypto still uses where it is
   (AMD64 Architecture Programmer's Manual, volume 6). */
static void take_xop(
	struct x86_decoder *d, struct arch_insn *insn, unsigned map, unsigned vvvv)
{
	unsigned opcode = (unsigned)x86_take(d, 1);
	x86_take_modrm(d);
	if (map == 8 || map == 10)
		x86_take(d, map == 8 ? 1 : 4);
	if (map == 9 && (opcode == 0x01 || opcode == 0x02))
		x86_set_unknown(insn, vvvv ^ 15);
	else if (map == 10 && opcode == 0x10)
		x86_set_unknown(insn, d->reg);
	else if (map > 10)
		d->failed = true;
}

void x86_vector(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode)
{
	unsigned payload = (unsigned)x86_take(d, 1), map = 1;
	uint8_t vvvv = payload >> 3 & 15;
	d->rex = payload & 0x80 ? 0 : 4;
	if (opcode != 0xc5) {
		map = payload & (opcode == 0x62 ? 7 : 31);
		d->rex |= payload & 0x40 ? 0 : 2;
		d->rex |= payload & 0x20 ? 0 : 1;
		vvvv = (unsigned)x86_take(d, 1) >> 3 & 15;
		if (opcode == 0x62)
			x86_take(d, 1);
	}
	if (opcode == 0x8f) {
		take_xop(d, insn, map, vvvv);
		return;
	}
	opcode = (unsigned)x86_take(d, 1);
	if (map == 1 && opcode == 0x77)
		return;
	x86_take_modrm(d);
	if (map == 3 ||
		(map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
				     (opcode >= 0xc4 && opcode <= 0xc6))))
		x86_take(d, 1);
	bool to_reg = (map == 2 && opcode >= 0xf2 && opcode != 0xf3) ||
		      (map == 3 && opcode == 0xf0) ||
		      (map == 1 && (opcode == 0x2c || opcode == 0x2d || opcode == 0x50 ||
					   opcode == 0xd7 || opcode == 0xc5));
	if (to_reg)
		x86_set_unknown(insn, d->reg);
	else if (map == 2 && opcode == 0xf3)
		x86_set_unknown(insn, vvvv ^ 15);
	else if ((map == 1 && opcode == 0x7e) ||
		 (map == 3 && opcode >= 0x14 && opcode <= 0x17))
		x86_writes_rm(d, insn, false);
	else if (map > 3)
		d->failed = map != 5 && map != 6;
}
