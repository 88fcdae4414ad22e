/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-lua.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	TAG_LUA = 0x46,
	TAG_C = 0x16,
	TAG_FUNCTION = 6, /* any, in 5.1 */
	TAG_STRING = 0x44,
	MAIN_SLOT = 1, /* on Lua's stack; its registers are behind it */
	SORT_SLOT = 2,
	COMPARATOR_SLOT = 5,
	IS_C = 10, /* of 5.1, in a closure */
};

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_lua *made = context;
	uint64_t at = address - MADE_MEMORY;
	if (at >= MADE_BYTES)
		return 0;
	length = length < MADE_BYTES - at ? length : MADE_BYTES - at;
	memcpy(out, made->bytes + at, length);
	return length;
}

void made_lua_put(struct made_lua *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

static void put4(struct made_lua *made, size_t at, uint32_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

static void put_address(struct made_lua *made, size_t at, size_t to)
{
	made_lua_put(made, at, MADE_MEMORY + to);
}

static void put_text(struct made_lua *made, size_t at, const char *text)
{
	made->bytes[at + LUA_TAG] = 4;
	made->bytes[at + 11] = (unsigned char)strlen(text);
	made_lua_put(made, at + 16, strlen(text)); /* in 5.2 */
	memcpy(made->bytes + at + LUA_TEXT_BYTES, text, strlen(text));
}

/* A function that begins on FIRST_LINE, each of whose instructions is one line farther. */
static void put_function(struct made_lua *made, size_t at, uint32_t first_line)
{
	const struct lua_layout *layout = made->place.layout;
	size_t proto = at + MADE_PROTO;
	made->bytes[at + LUA_TAG] = LUA_TAG_CLOSURE;
	put_address(made, at + layout->closure_proto, proto);
	made->bytes[proto + LUA_TAG] = layout->proto_tag;
	put_address(made, proto + layout->code, at + MADE_CODE);
	put_address(made, proto + layout->lines, at + MADE_LINES);
	put_address(made, proto + layout->constants, at + MADE_CONSTANTS);
	put_address(made, proto + layout->source, at + MADE_SOURCE);
	put4(made, proto + layout->n_code, MADE_INSTRUCTIONS);
	put4(made, proto + layout->n_lines, MADE_INSTRUCTIONS);
	put4(made, proto + layout->n_constants, 1);
	put4(made, proto + layout->first_line, first_line);
	for (uint32_t i = 0; i < MADE_INSTRUCTIONS; i++)
		if (layout->line_bytes == 1)
			made->bytes[at + MADE_LINES + i] = 1;
		else
			put4(made, at + MADE_LINES + 4 * i, first_line + i + 1);
	put_address(made, at + MADE_CONSTANTS, at + MADE_TEXT);
	made->bytes[at + MADE_CONSTANTS + LUA_TAG] = TAG_STRING;
	put_text(made, at + MADE_TEXT, "sort");
	put_text(made, at + MADE_SOURCE, "@dir/file.lua");
}

/* R0 = _ENV.sort; call R0 */
static void put_code(struct made_lua *made, size_t code)
{
	const uint32_t key = 1u << 22; /* is a constant */
	static const uint32_t words[][2] = {
		{5, 28}, {6 | key, 29}, {6 | key, 36}, {11, 68}};
	const uint32_t *of = words[made->place.layout->version - 501];
	put4(made, code, of[0]);
	put4(made, code + 4, of[1]);
}

size_t made_lua_call(const struct made_lua *made, enum made_call call)
{
	const struct lua_layout *layout = made->place.layout;
	return layout->is_array
		       ? MADE_CALLS + (size_t)layout->call_bytes * (MADE_MAIN + 1 - call)
		       : MADE_CALLS + 0x100u * call;
}

size_t made_lua_pc(const struct made_lua *made)
{
	const struct lua_layout *layout = made->place.layout;
	return layout->state_pc ? (size_t)MADE_STATE + layout->state_pc
				: (size_t)MADE_CALLS + layout->call_pc;
}

static void put_call(struct made_lua *made, enum made_call call, unsigned slot)
{
	const struct lua_layout *layout = made->place.layout;
	size_t at = made_lua_call(made, call),
	       function = MADE_FUNCTIONS + 0x1000u * (call == MADE_MAIN);
	bool is_lua = call != MADE_SORT;
	uint16_t status = layout->is_fresh;
	put_address(
		made, at + layout->call_function, MADE_VALUES + LUA_VALUE_BYTES * slot);
	if (!layout->is_array)
		put_address(made, at + layout->call_previous,
			call == MADE_MAIN ? (size_t)MADE_STATE + layout->state_base
					  : at + 0x100);
	if (!layout->has_no_base)
		put_address(made, at + layout->call_base,
			MADE_VALUES + LUA_VALUE_BYTES * (slot + 1));
	if (is_lua)
		put_address(made, at + layout->call_pc, function + MADE_CODE + 8);
	if (call == MADE_COMPARATOR)
		put_address(made, made_lua_pc(made), function + MADE_CODE + 8);
	status = (uint16_t)(is_lua ? status | layout->is_lua : layout->is_c);
	memcpy(made->bytes + at + layout->call_status, &status, 2);
	size_t value = MADE_VALUES + LUA_VALUE_BYTES * slot;
	put_address(made, value, is_lua ? function : MADE_FUNCTIONS + 0xf00);
	made->bytes[value + LUA_TAG] = layout->is_array ? TAG_FUNCTION
				       : is_lua		? TAG_LUA
							: TAG_C;
}

void made_lua_enter(struct made_lua *made, enum made_call call)
{
	put_address(made, MADE_STATE + made->place.layout->state_call,
		made_lua_call(made, call));
}

void made_lua_chain(struct made_lua *made, unsigned loops, bool is_leaf)
{
	struct callchain *chain = made->chain;
	chain->length = 0;
	chain->end = UNWIND_ROOT;
	for (unsigned i = 0; i < 2 * loops + !is_leaf; i++) {
		bool is_loop = i % 2 == !is_leaf;
		chain->frames[chain->length++] =
			(struct frame){.pc = is_loop ? MADE_LOOP + 16 : 0x1234,
				.sp = MADE_STACK + 16 + 32 * i,
				.is_activation = i == 0};
	}
}

void made_lua_init(struct made_lua *made, const char *release)
{
	const struct lua_layout *layout = lua_layout_of(release);
	uint64_t state = MADE_MEMORY + MADE_STATE;
	*made = (struct made_lua){.place = {.layout = layout,
					  .loop = MADE_LOOP,
					  .loop_limit = MADE_LOOP + 0x1000,
					  .n_globals = 1,
					  .globals = {MADE_MEMORY + MADE_GLOBAL}}};
	made->place.memory = (struct target_memory){.read = read_made, .context = made};
	made->place.codes = lua_codes_create(layout, &made->place.memory);
	made->snapshot =
		mem_zalloc(sizeof(*made->snapshot) + MADE_STACK_BYTES + MADE_BYTES);
	made->chain = mem_zalloc(sizeof(*made->chain));
	made->bytes[MADE_STATE + LUA_TAG] = LUA_TAG_STATE;
	put_address(made, MADE_STATE + layout->state_global, MADE_GLOBAL);
	made_lua_enter(made, MADE_COMPARATOR);
	put_address(made, MADE_STATE + LUA_STATE_TOP, MADE_VALUES + 0x80);
	put_address(made, MADE_STATE + layout->state_stack, MADE_VALUES);
	put_address(made, MADE_STATE + layout->state_last, MADE_VALUES + 0x800);
	if (layout->is_array)
		put_address(made, MADE_STATE + layout->state_base, MADE_CALLS);
	put_address(made,
		(layout->is_array ? (size_t)MADE_CALLS
				  : (size_t)MADE_STATE + layout->state_base) +
			layout->call_function,
		MADE_VALUES);
	made->bytes[MADE_FUNCTIONS + 0xf00 + LUA_TAG] = LUA_TAG_CLOSURE;
	made->bytes[MADE_FUNCTIONS + 0xf00 + IS_C] = 1;
	put_address(made, MADE_GLOBAL, MADE_STATE);
	made_lua_put(made, MADE_STATE + layout->state_jump, MADE_STACK + MADE_JUMP);
	memcpy(made->stack + 64, &state, sizeof(state));
	put_call(made, MADE_COMPARATOR, COMPARATOR_SLOT);
	put_call(made, MADE_SORT, SORT_SLOT);
	put_call(made, MADE_MAIN, MAIN_SLOT);
	put_function(made, MADE_FUNCTIONS, 3);
	put_function(made, MADE_FUNCTIONS + 0x1000, 0);
	put_code(made, MADE_FUNCTIONS + 0x1000 + MADE_CODE);
	made_lua_chain(made, 2, true);
	made_lua_sample(made);
}

void made_lua_finish(struct made_lua *made)
{
	lua_codes_destroy(made->place.codes);
	free(made->snapshot);
	free(made->chain);
}

void made_lua_sample(struct made_lua *made)
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
