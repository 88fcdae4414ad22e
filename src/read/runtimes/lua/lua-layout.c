/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua-layout.h"

#include <stddef.h>
#include <stdio.h>

/* lopcodes.h of each. */
static const struct lua_opcode OPCODES_501[] = {
	[0] = {.op = LUA_MOVE},
	[1] = {.op = LUA_LOADK},
	[3] = {.op = LUA_LOADNIL},
	[4] = {.op = LUA_GETUPVAL},
	[5] = {.op = LUA_GETGLOBAL},
	[6] = {.op = LUA_GETTABLE},
	[7] = {.op = LUA_SET, .keeps = true},
	[8] = {.keeps = true},
	[9] = {.op = LUA_SET, .keeps = true},
	[11] = {.op = LUA_SELF},
	[12] = {.op = LUA_EVENT, .event = "__add"},
	[13] = {.op = LUA_EVENT, .event = "__sub"},
	[14] = {.op = LUA_EVENT, .event = "__mul"},
	[15] = {.op = LUA_EVENT, .event = "__div"},
	[16] = {.op = LUA_EVENT, .event = "__mod"},
	[17] = {.op = LUA_EVENT, .event = "__pow"},
	[18] = {.op = LUA_EVENT, .event = "__unm"},
	[20] = {.op = LUA_EVENT, .event = "__len"},
	[21] = {.op = LUA_EVENT, .event = "__concat"},
	[22] = {.op = LUA_JMP, .keeps = true},
	[23] = {.op = LUA_EVENT, .event = "__eq", .keeps = true},
	[24] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[25] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[28] = {.op = LUA_CALL},
	[29] = {.op = LUA_CALL},
	[30] = {.keeps = true},
	[33] = {.op = LUA_TFORCALL, .keeps = true},
	[34] = {.keeps = true},
	[35] = {.keeps = true},
};

static const struct lua_opcode OPCODES_502[] = {
	[0] = {.op = LUA_MOVE},
	[1] = {.op = LUA_LOADK},
	[4] = {.op = LUA_LOADNIL},
	[5] = {.op = LUA_GETUPVAL},
	[6] = {.op = LUA_GETTABUP},
	[7] = {.op = LUA_GETTABLE},
	[8] = {.op = LUA_SET, .keeps = true},
	[9] = {.keeps = true},
	[10] = {.op = LUA_SET, .keeps = true},
	[12] = {.op = LUA_SELF},
	[13] = {.op = LUA_EVENT, .event = "__add"},
	[14] = {.op = LUA_EVENT, .event = "__sub"},
	[15] = {.op = LUA_EVENT, .event = "__mul"},
	[16] = {.op = LUA_EVENT, .event = "__div"},
	[17] = {.op = LUA_EVENT, .event = "__mod"},
	[18] = {.op = LUA_EVENT, .event = "__pow"},
	[19] = {.op = LUA_EVENT, .event = "__unm"},
	[21] = {.op = LUA_EVENT, .event = "__len"},
	[22] = {.op = LUA_EVENT, .event = "__concat"},
	[23] = {.op = LUA_JMP, .keeps = true},
	[24] = {.op = LUA_EVENT, .event = "__eq", .keeps = true},
	[25] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[26] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[27] = {.keeps = true},
	[29] = {.op = LUA_CALL},
	[30] = {.op = LUA_CALL},
	[31] = {.keeps = true},
	[34] = {.op = LUA_TFORCALL, .keeps = true},
	[36] = {.keeps = true},
	[39] = {.keeps = true},
};

static const struct lua_opcode OPCODES_503[] = {
	[0] = {.op = LUA_MOVE},
	[1] = {.op = LUA_LOADK},
	[4] = {.op = LUA_LOADNIL},
	[5] = {.op = LUA_GETUPVAL},
	[6] = {.op = LUA_GETTABUP},
	[7] = {.op = LUA_GETTABLE},
	[8] = {.op = LUA_SET, .keeps = true},
	[9] = {.keeps = true},
	[10] = {.op = LUA_SET, .keeps = true},
	[12] = {.op = LUA_SELF},
	[13] = {.op = LUA_EVENT, .event = "__add"},
	[14] = {.op = LUA_EVENT, .event = "__sub"},
	[15] = {.op = LUA_EVENT, .event = "__mul"},
	[16] = {.op = LUA_EVENT, .event = "__mod"},
	[17] = {.op = LUA_EVENT, .event = "__pow"},
	[18] = {.op = LUA_EVENT, .event = "__div"},
	[19] = {.op = LUA_EVENT, .event = "__idiv"},
	[20] = {.op = LUA_EVENT, .event = "__band"},
	[21] = {.op = LUA_EVENT, .event = "__bor"},
	[22] = {.op = LUA_EVENT, .event = "__bxor"},
	[23] = {.op = LUA_EVENT, .event = "__shl"},
	[24] = {.op = LUA_EVENT, .event = "__shr"},
	[25] = {.op = LUA_EVENT, .event = "__unm"},
	[26] = {.op = LUA_EVENT, .event = "__bnot"},
	[28] = {.op = LUA_EVENT, .event = "__len"},
	[29] = {.op = LUA_EVENT, .event = "__concat"},
	[30] = {.op = LUA_JMP, .keeps = true},
	[31] = {.op = LUA_EVENT, .event = "__eq", .keeps = true},
	[32] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[33] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[34] = {.keeps = true},
	[36] = {.op = LUA_CALL},
	[37] = {.op = LUA_CALL},
	[38] = {.keeps = true},
	[41] = {.op = LUA_TFORCALL, .keeps = true},
	[43] = {.keeps = true},
	[46] = {.keeps = true},
};

static const struct lua_opcode OPCODES_504[] = {
	[0] = {.op = LUA_MOVE},
	[3] = {.op = LUA_LOADK},
	[8] = {.op = LUA_LOADNIL},
	[9] = {.op = LUA_GETUPVAL},
	[10] = {.keeps = true},
	[11] = {.op = LUA_GETTABUP},
	[12] = {.op = LUA_GETTABLE},
	[13] = {.op = LUA_GETI},
	[14] = {.op = LUA_GETFIELD},
	[15] = {.op = LUA_SET, .keeps = true},
	[16] = {.op = LUA_SET, .keeps = true},
	[17] = {.op = LUA_SET, .keeps = true},
	[18] = {.op = LUA_SET, .keeps = true},
	[20] = {.op = LUA_SELF},
	[46] = {.op = LUA_MMBIN, .keeps = true},
	[47] = {.op = LUA_MMBIN, .keeps = true},
	[48] = {.op = LUA_MMBIN, .keeps = true},
	[49] = {.op = LUA_EVENT, .event = "__unm"},
	[50] = {.op = LUA_EVENT, .event = "__bnot"},
	[52] = {.op = LUA_EVENT, .event = "__len"},
	[53] = {.op = LUA_EVENT, .event = "__concat"},
	[54] = {.op = LUA_EVENT, .event = "__close", .keeps = true},
	[55] = {.op = LUA_EVENT, .event = "__close", .keeps = true},
	[56] = {.op = LUA_JMP, .keeps = true},
	[57] = {.op = LUA_EVENT, .event = "__eq", .keeps = true},
	[58] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[59] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[60] = {.keeps = true},
	[61] = {.keeps = true},
	[62] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[63] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[64] = {.op = LUA_EVENT, .event = "__lt", .keeps = true},
	[65] = {.op = LUA_EVENT, .event = "__le", .keeps = true},
	[66] = {.keeps = true},
	[68] = {.op = LUA_CALL},
	[69] = {.op = LUA_CALL},
	[70] = {.op = LUA_EVENT, .event = "__close", .keeps = true},
	[71] = {.keeps = true},
	[72] = {.keeps = true},
	[75] = {.keeps = true},
	[76] = {.op = LUA_TFORCALL, .keeps = true},
	[78] = {.keeps = true},
	[82] = {.keeps = true},
};

#define OPCODES(version)              \
	.opcodes = OPCODES_##version, \
	.n_opcodes = sizeof(OPCODES_##version) / sizeof(*OPCODES_##version)

static const struct lua_layout LUA_51 = {
	.version = 501,
	.is_array = true,
	.state_global = 32,
	.state_call = 40,
	.state_pc = 48,
	.state_stack = 64,
	.state_last = 56,
	.state_jump = 168,
	.state_base = 80,
	.call_bytes = 40,
	.call_base = 0,
	.call_function = 8,
	.call_pc = 24,
	.call_status = 36, /* how many calls were tail calls */
	.is_tail = 0xffff,
	.proto_tag = 9,
	.closure_proto = 32,
	.constants = 16,
	.code = 24,
	.lines = 40,
	.locals = 48,
	.upvalues = 56,
	.source = 64,
	.n_upvalues = 72,
	.n_constants = 76,
	.n_code = 80,
	.n_lines = 84,
	.n_locals = 92,
	.first_line = 96,
	.upvalue_bytes = 8,
	.line_bytes = 4,
	.op_bits = 6,
	OPCODES(501),
};

/* What is the same since 5.2. */
#define LUA_LIST                                                                     \
	.state_global = 24, .state_call = 32, .call_bytes = 80, .call_previous = 16, \
	.closure_proto = 24, .upvalue_bytes = 16

static const struct lua_layout LUA_52 = {
	.version = 502,
	LUA_LIST,
	.is_pc_kept = true,
	.state_stack = 56,
	.state_last = 48,
	.state_jump = 112,
	.state_base = 128,
	.call_base = 48,
	.call_pc = 56,
	.call_status = 34,
	.is_lua = 1 << 0,
	.is_hooked = 1 << 1,
	.is_reentry = 1 << 2,
	.is_tail = 1 << 6,
	.proto_tag = 9,
	.constants = 16,
	.code = 24,
	.lines = 40,
	.locals = 48,
	.upvalues = 56,
	.source = 72,
	.n_upvalues = 80,
	.n_constants = 84,
	.n_code = 88,
	.n_lines = 92,
	.n_locals = 100,
	.first_line = 104,
	.line_bytes = 4,
	.op_bits = 6,
	OPCODES(502),
};

static const struct lua_layout LUA_53 = {
	.version = 503,
	LUA_LIST,
	.is_pc_kept = true,
	.state_stack = 56,
	.state_last = 48,
	.state_jump = 88,
	.state_base = 96,
	.call_base = 32,
	.call_pc = 40,
	.call_status = 66,
	.is_lua = 1 << 1,
	.is_hooked = 1 << 2,
	.is_fresh = 1 << 3,
	.is_tail = 1 << 5,
	.is_finalizer = 1 << 8,
	.proto_tag = 9,
	.n_upvalues = 16,
	.n_constants = 20,
	.n_code = 24,
	.n_lines = 28,
	.n_locals = 36,
	.first_line = 40,
	.constants = 48,
	.code = 56,
	.lines = 72,
	.locals = 80,
	.upvalues = 88,
	.source = 104,
	.line_bytes = 4,
	.op_bits = 6,
	OPCODES(503),
};

#define LUA_54(jump)                                                                     \
	.version = 504, LUA_LIST, .has_no_base = true, .state_stack = 48,                \
	.state_last = 40, .state_jump = (jump), .state_base = (jump) + 8, .call_pc = 32, \
	.call_status = 62, .is_c = 1 << 1, .is_fresh = 1 << 2, .is_hooked = 1 << 3,      \
	.is_tail = 1 << 5, .is_finalizer = 1 << 7, .proto_tag = 10, .n_upvalues = 16,    \
	.n_constants = 20, .n_code = 24, .n_lines = 28, .n_locals = 36,                  \
	.n_more_lines = 40, .first_line = 44, .constants = 56, .code = 64,               \
	.upvalues = 80, .lines = 88, .more_lines = 96, .locals = 104, .source = 112,     \
	.line_bytes = 1, .op_bits = 7, OPCODES(504)

static const struct lua_layout LUA_540 = {LUA_54(80)}, LUA_543 = {LUA_54(88)};

const struct lua_layout *lua_layout_of(const char *release)
{
	unsigned major, minor, number;
	if (sscanf(release, "%1u.%1u.%2u", &major, &minor, &number) != 3 || major != 5)
		return NULL;
	switch (minor) {
	case 1:
		return &LUA_51;
	case 2:
		return &LUA_52;
	case 3:
		return &LUA_53;
	case 4:
		return number < 3 ? &LUA_540 : &LUA_543;
	default:
		return NULL;
	}
}
