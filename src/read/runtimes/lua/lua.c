/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lua {
	struct address_space *space;
	char version[8];
};

static void *create(struct address_space *space)
{
	struct lua *lua = mem_zalloc(sizeof(*lua));
	lua->space = space;
	return lua;
}

static void destroy(void *self)
{
	free(self);
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct lua *lua = self;
	snprintf(version, size, "%s", lua->version);
	return false;
}

/* lua_ident is a text with "Lua 5.4.4" in it. */
static bool meet_lua(void *self, struct elf_image *image, uint64_t bias)
{
	struct lua *lua = self;
	struct elf_variable ident = {.name = "lua_ident"};
	char text[32] = "";
	elf_image_find_variables(image, &ident, 1);
	if (!ident.vaddr || address_space_read(lua->space, ident.vaddr + bias, text,
				    sizeof(text) - 1) != sizeof(text) - 1)
		return false;
	const char *version = strstr(text, "Lua 5.");
	if (!version)
		return false;
	snprintf(lua->version, sizeof(lua->version), "5.%u",
		(unsigned)(unsigned char)version[strlen("Lua 5.")] - '0');
	return true;
}

static bool meet_luajit(void *self, struct elf_image *image, uint64_t bias)
{
	struct elf_variable mode = {.name = "luaJIT_setmode"};
	(void)self;
	(void)bias;
	elf_image_find_variables(image, &mode, 1);
	return mode.vaddr != 0;
}

const struct runtime lua_runtime = {
	.language = "Lua",
	.library = "/liblua5.",
	.create = create,
	.destroy = destroy,
	.meet = meet_lua,
	.is_known = is_known,
};

const struct runtime luajit_runtime = {
	.language = "LuaJIT",
	.library = "/libluajit-",
	.create = create,
	.destroy = destroy,
	.meet = meet_luajit,
	.is_known = is_known,
};
