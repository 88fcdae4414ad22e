/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-luajit.h"

#include "src/base/mem.h"
#include "src/read/runtimes/lua/luajit-layout.h"

#include <stdlib.h>
#include <string.h>

enum {
	RDX = 1,
	RBX = 3,
	R15 = 15,
	N_LINES = 40,
	LINES = 0x140, /* in a function */
	FUNCTION_SIZE = 0x200,
	/* lj_bc.h */
	GET_GLOBAL = 54,
	CALL = 66,
	FIXED = 0x4000, /* references: constants are below the bias */
	IR_FUNCTION = 8,
};

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_luajit *made = context;
	uint64_t at = address - MADE_MEMORY;
	if (at >= MADE_BYTES)
		return 0;
	length = length < MADE_BYTES - at ? length : MADE_BYTES - at;
	memcpy(out, made->bytes + at, length);
	return length;
}

void made_luajit_put(struct made_luajit *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

static void put4(struct made_luajit *made, size_t at, uint32_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

static void put_address(struct made_luajit *made, size_t at, size_t to)
{
	made_luajit_put(made, at, MADE_MEMORY + to);
}

static void put_text(struct made_luajit *made, size_t at, const char *text)
{
	made->bytes[at + LUAJIT_TYPE] = LUAJIT_TYPE_TEXT;
	put4(made, at + LUAJIT_TEXT_LENGTH, (uint32_t)strlen(text));
	memcpy(made->bytes + at + LUAJIT_TEXT_BYTES, text, strlen(text));
}

/* A function that begins on FIRST_LINE, each of whose instructions is one line farther: R0 = sort; call R0 */
static void put_function(
	struct made_luajit *made, size_t closure, size_t proto, uint32_t first_line)
{
	made->bytes[closure + LUAJIT_TYPE] = LUAJIT_TYPE_FUNCTION;
	put_address(made, closure + LUAJIT_FUNCTION_PC, proto + MADE_CODE);
	made->bytes[proto + LUAJIT_TYPE] = LUAJIT_TYPE_PROTO;
	put4(made, proto + LUAJIT_PROTO_N_CODE, MADE_INSTRUCTIONS);
	put4(made, proto + LUAJIT_PROTO_SIZE, FUNCTION_SIZE);
	put_address(made, proto + LUAJIT_PROTO_CONSTANTS, proto + MADE_CONSTANTS);
	put4(made, proto + LUAJIT_PROTO_N_OBJECTS, 1);
	put_address(made, proto + MADE_CONSTANTS - LUAJIT_VALUE, MADE_TEXTS);
	put_address(made, proto + LUAJIT_PROTO_FILE, MADE_TEXTS + 0x40);
	put4(made, proto + LUAJIT_PROTO_FIRST_LINE, first_line);
	put4(made, proto + LUAJIT_PROTO_N_LINES, N_LINES);
	put_address(made, proto + LUAJIT_PROTO_LINES, proto + LINES);
	for (uint32_t i = 0; i < MADE_INSTRUCTIONS; i++)
		made->bytes[proto + LINES + i] = (unsigned char)(i + 1);
	put4(made, proto + MADE_CODE + 4, GET_GLOBAL);
	put4(made, proto + MADE_CODE + 8, CALL);
}

/* The frame at BASE, which was called as LINK says. */
static void put_frame(
	struct made_luajit *made, size_t base, size_t closure, uint64_t link)
{
	made_luajit_put(made, base - 16, luajit_function_value(MADE_MEMORY + closure));
	made_luajit_put(made, base - 8, link);
}

static void put_cframe(struct made_luajit *made, size_t at, size_t previous)
{
	uint64_t words[10] = {0};
	words[LUAJIT_CFRAME_STATE / 8] = MADE_MEMORY + MADE_STATE;
	words[LUAJIT_CFRAME_PREVIOUS / 8] = previous ? MADE_STACK + previous : 0;
	for (uint64_t i = LUAJIT_CFRAME_SAVED / 8; i < 10; i++)
		words[i] = 0x100 + i; /* registers */
	memcpy(made->stack + at, words, sizeof(words));
}

/* At its start it is where the main chunk calls, and from 0x40 on in the comparator. */
static void put_trace(struct made_luajit *made)
{
	uint16_t snapshots = 2, number = 1, from = 0x40;
	uint64_t map = MADE_MEMORY + MADE_MAIN_PROTO + MADE_CODE + 8;
	put_address(made, MADE_GLOBAL + LUAJIT_TRACES_FIRST, MADE_TRACES);
	put4(made, MADE_GLOBAL + LUAJIT_TRACES_FIRST + LUAJIT_TRACES_COUNT, 2);
	put_address(made, MADE_TRACES + 8, MADE_TRACE);
	made->bytes[MADE_TRACE + LUAJIT_TYPE] = LUAJIT_TYPE_TRACE;
	memcpy(made->bytes + MADE_TRACE + LUAJIT_TRACE_N_SNAPSHOTS, &snapshots, 2);
	memcpy(made->bytes + MADE_TRACE + LUAJIT_TRACE_NUMBER, &number, 2);
	made_luajit_put(made, MADE_TRACE + LUAJIT_TRACE_IR,
		MADE_MEMORY + MADE_IR - (uint64_t)FIXED * LUAJIT_IR_BYTES);
	put_address(made, MADE_TRACE + LUAJIT_TRACE_SNAPSHOTS, MADE_SNAPSHOTS);
	put_address(made, MADE_TRACE + LUAJIT_TRACE_MAP, MADE_MAP);
	put4(made, MADE_TRACE + LUAJIT_TRACE_N_MAP, 6);
	put4(made, MADE_TRACE + LUAJIT_TRACE_CODE_BYTES, MADE_TRACE_BYTES);
	made_luajit_put(made, MADE_TRACE + LUAJIT_TRACE_CODE, MADE_TRACE_CODE);
	made_luajit_put(made, MADE_MAP, map << 8);
	put4(made, MADE_SNAPSHOTS + LUAJIT_SNAPSHOT_BYTES, 2);
	memcpy(made->bytes + MADE_SNAPSHOTS + LUAJIT_SNAPSHOT_BYTES +
			LUAJIT_SNAPSHOT_CODE,
		&from, 2);
	made->bytes[MADE_SNAPSHOTS + LUAJIT_SNAPSHOT_BYTES + LUAJIT_SNAPSHOT_N] = 2;
	/* Slot 2 is the comparator, slot 3 how it was called; its frame has slot 2, too. */
	put4(made, MADE_MAP + 8, 2u << 24 | FIXED);
	put4(made, MADE_MAP + 12, 3u << 24 | (FIXED + 2));
	map = MADE_MEMORY + MADE_COMPARATOR_PROTO + MADE_CODE + 12;
	made_luajit_put(made, MADE_MAP + 16, map << 8 | 2);
	made->bytes[MADE_IR + 4] = IR_FUNCTION;
	put_address(made, MADE_IR + 8, MADE_COMPARATOR);
	put_address(made, MADE_IR + 24, MADE_MAIN_PROTO + MADE_CODE + 12);
}

void made_luajit_registers(
	struct made_luajit *made, uint64_t base, uint64_t pc, uint64_t constants)
{
	struct arch_registers *registers = &made->snapshot->known;
	made->snapshot->regset.size = 0;
	registers->known = ARCH_ALL;
	registers->values[RDX] = MADE_MEMORY + base;
	registers->values[RBX] = MADE_MEMORY + pc;
	registers->values[R15] = MADE_MEMORY + constants;
	made->chain->frames[0].kept[1] = MADE_MEMORY + constants;
}

void made_luajit_run_trace(struct made_luajit *made, uint32_t offset)
{
	put_address(made, MADE_GLOBAL + LUAJIT_GLOBAL_BASE, MADE_MAIN_BASE);
	memset(made->stack + MADE_INNER, 0, LUAJIT_CFRAME_BYTES);
	made_luajit_put(made, MADE_STATE + LUAJIT_STATE_CFRAME, MADE_STACK + MADE_OUTER);
	made->chain->frames[0].pc = MADE_TRACE_CODE + offset;
	made->chain->frames[1].sp = MADE_STACK + MADE_CALLER;
	made->chain->length = 2;
}

static void put_chain(struct made_luajit *made)
{
	static const size_t places[] = {
		MADE_INNER, MADE_INNER + LUAJIT_CFRAME_BYTES, MADE_OUTER, MADE_CALLER};
	struct callchain *chain = made->chain;
	chain->end = UNWIND_ROOT;
	for (unsigned i = 0; i < 4; i++)
		chain->frames[chain->length++] = (struct frame){.pc = 0x1234,
			.sp = MADE_STACK + places[i],
			.is_activation = i == 0};
}

void made_luajit_init(struct made_luajit *made, struct address_space *space)
{
	uint64_t kept = MADE_MEMORY + MADE_GLOBAL;
	*made = (struct made_luajit){.place = {.space = space, .globals = {1, {kept}}}};
	made->place.memory = (struct target_memory){.read = read_made, .context = made};
	made->place.codes = luajit_codes_create(&made->place.memory);
	made->snapshot =
		mem_zalloc(sizeof(*made->snapshot) + MADE_STACK_BYTES + MADE_BYTES);
	made->chain = mem_zalloc(sizeof(*made->chain));
	made->bytes[MADE_STATE + LUAJIT_TYPE] = LUAJIT_TYPE_STATE;
	put_address(made, MADE_STATE + LUAJIT_STATE_GLOBAL, MADE_GLOBAL);
	put_address(made, MADE_STATE + LUAJIT_STATE_BASE, MADE_SORT_BASE);
	put_address(made, MADE_STATE + LUAJIT_STATE_STACK, MADE_VALUES);
	put_address(made, MADE_STATE + LUAJIT_STATE_LIMIT, MADE_VALUES + 0x200);
	made_luajit_put(made, MADE_STATE + LUAJIT_STATE_CFRAME, MADE_STACK + MADE_INNER);
	put_address(made, MADE_GLOBAL + LUAJIT_GLOBAL_MAIN, MADE_STATE);
	put_text(made, MADE_TEXTS, "sort");
	put_text(made, MADE_TEXTS + 0x40, "@dir/file.lua");
	put_function(made, MADE_COMPARATOR, MADE_COMPARATOR_PROTO, 3);
	put_function(made, MADE_MAIN, MADE_MAIN_PROTO, 0);
	made->bytes[MADE_SORT + LUAJIT_TYPE] = LUAJIT_TYPE_FUNCTION;
	made->bytes[MADE_SORT + LUAJIT_FUNCTION_KIND] = 1;
	put_address(made, MADE_SORT + LUAJIT_FUNCTION_PC, MADE_GLOBAL + 360);
	put_frame(made, MADE_MAIN_BASE, MADE_MAIN, 0x10 | LUAJIT_LINK_C);
	put_frame(made, MADE_SORT_BASE, MADE_SORT,
		MADE_MEMORY + MADE_MAIN_PROTO + MADE_CODE + 12);
	put_frame(made, MADE_COMPARATOR_BASE, MADE_COMPARATOR, 0x20 | LUAJIT_LINK_C);
	put_cframe(made, MADE_INNER, MADE_OUTER);
	put_cframe(made, MADE_OUTER, 0);
	put_trace(made);
	put_chain(made);
	made_luajit_registers(made, MADE_COMPARATOR_BASE,
		MADE_COMPARATOR_PROTO + MADE_CODE + 8,
		MADE_COMPARATOR_PROTO + MADE_CONSTANTS);
	made_luajit_sample(made);
}

void made_luajit_finish(struct made_luajit *made)
{
	luajit_codes_destroy(made->place.codes);
	free(made->place.traces.list);
	free(made->snapshot);
	free(made->chain);
}

void made_luajit_sample(struct made_luajit *made)
{
	struct snapshot *snapshot = made->snapshot;
	snapshot->kind = SNAPSHOT_SAMPLE;
	snapshot->stack_address = MADE_STACK;
	snapshot->stack_length = snapshot->second_at = MADE_STACK_BYTES;
	snapshot->second_result = RECIPE_DONE;
	snapshot->second_blocks = MADE_BLOCKS;
	for (unsigned i = 0; i < MADE_BLOCKS; i++)
		snapshot->second_addresses[i] = MADE_MEMORY + (uint64_t)i * RECIPE_BLOCK;
	memcpy(snapshot->stack, made->stack, MADE_STACK_BYTES);
	memcpy(snapshot->stack + MADE_STACK_BYTES, made->bytes, MADE_BYTES);
}
