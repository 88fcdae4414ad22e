/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua.h"

#include "src/base/mem.h"
#include "src/read/runtimes/lua/lua-code.h"
#include "src/read/runtimes/lua/lua-layout.h"
#include "src/read/runtimes/lua/lua-stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 18, /* of a program that has Lua in it */
	FUNCTIONS_OF_LUA = 2000, /* more than Lua alone has */
};

struct lua {
	char version[8];
	struct lua_place *place; /* NULL: not known */
};

static void destroy(void *self)
{
	struct lua *lua = self;
	if (lua->place)
		lua_codes_destroy(lua->place->codes);
	free(lua->place);
	free(lua);
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct lua *lua = self;
	snprintf(version, size, "%s", lua->version);
	return lua->place != NULL;
}

struct range {
	uint64_t start, size;
};

static bool is_of_lua(const struct elf_symbol *symbol)
{
	return strncmp(symbol->name, "lua_", 4) == 0 ||
	       strncmp(symbol->name, "luaL_", 5) == 0;
}

/* The code of luaV_execute. Most files do not say where that is; then it is by far the largest
   function, if the file is Lua and little else, or else the largest between the first and the last
   function of its interface, as a linker keeps the files of a library together. */
static bool find_loop(struct elf_image *image, struct range *loop)
{
	struct elf_unwind_table table;
	struct range largest = {.size = 0}, inside = {.size = 0}, candidate = {.size = 0};
	uint64_t first = 0, last = 0; /* of the interface */
	if (!elf_image_unwind_table(image, &table) || table.fde_count > FUNCTIONS_MAX)
		return false;
	for (uint64_t i = 0; i < table.fde_count; i++) {
		int32_t entry[2];
		struct range it;
		if (!elf_image_read(image, table.table_vaddr + i * sizeof(entry), entry,
			    sizeof(entry)))
			return false;
		uint64_t at = table.hdr_vaddr + (uint64_t)(int64_t)entry[0];
		if (!elf_image_fde_range(image, at, &it.start, &it.size))
			continue;
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		bool is_named = symbol && symbol->vaddr == at;
		if (is_named && strcmp(symbol->name, "luaV_execute") == 0) {
			*loop = it;
			return true;
		}
		if (it.size > largest.size)
			largest = it;
		if (it.size > candidate.size)
			candidate = it;
		if (is_named && is_of_lua(symbol)) {
			inside = last ? candidate : inside;
			candidate = last ? candidate : (struct range){.size = 0};
			first = last ? first : i;
			last = i;
		}
	}
	bool is_little = table.fde_count < FUNCTIONS_OF_LUA;
	*loop = is_little ? largest : inside;
	return loop->size > 0 && (is_little || last - first < FUNCTIONS_OF_LUA);
}

/* lua_ident is a text with "Lua 5.4.4" in it. */
static void *meet_lua(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct elf_variable ident = {.name = "lua_ident"};
	char text[32] = "";
	struct range loop;
	elf_image_find_variables(image, &ident, 1);
	if (!ident.vaddr || address_space_read(space, ident.vaddr + bias, text,
				    sizeof(text) - 1) != sizeof(text) - 1)
		return NULL;
	const char *version = strstr(text, "Lua 5.");
	if (!version)
		return NULL;
	version += strlen("Lua ");
	struct lua *lua = mem_zalloc(sizeof(*lua));
	snprintf(lua->version, sizeof(lua->version), "5.%u",
		(unsigned)(unsigned char)version[strlen("5.")] - '0');
	const struct lua_layout *layout = lua_layout_of(version);
	if (!layout || !find_loop(image, &loop))
		return lua;
	lua->place = mem_zalloc(sizeof(*lua->place));
	*lua->place = (struct lua_place){.layout = layout,
		.memory = address_space_memory(space),
		.loop = loop.start + bias,
		.loop_limit = loop.start + bias + loop.size};
	lua->place->codes = lua_codes_create(layout, &lua->place->memory);
	return lua;
}

static bool recipe(void *self, struct recipe *recipe)
{
	const struct lua *lua = self;
	lua_recipe(lua->place, recipe);
	return true;
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	const struct lua *lua = self;
	lua_stack_read(lua->place, snapshot, chain, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct lua *lua = self;
	return lua_codes_find(lua->place->codes, snapshot, frame, out);
}

const struct runtime lua_runtime = {
	.language = "Lua",
	.library = "/liblua5.",
	.destroy = destroy,
	.mark = "lua_ident",
	.meet = meet_lua,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
};
