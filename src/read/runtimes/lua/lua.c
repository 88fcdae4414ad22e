/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lua {
	char version[8];
};

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
static void *meet_lua(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct elf_variable ident = {.name = "lua_ident"};
	char text[32] = "";
	elf_image_find_variables(image, &ident, 1);
	if (!ident.vaddr || address_space_read(space, ident.vaddr + bias, text,
				    sizeof(text) - 1) != sizeof(text) - 1)
		return NULL;
	const char *version = strstr(text, "Lua 5.");
	if (!version)
		return NULL;
	struct lua *lua = mem_zalloc(sizeof(*lua));
	snprintf(lua->version, sizeof(lua->version), "5.%u",
		(unsigned)(unsigned char)version[strlen("Lua 5.")] - '0');
	return lua;
}

static void *meet_luajit(
	struct address_space *space, struct elf_image *image, uint64_t bias)
{
	(void)space;
	(void)image;
	(void)bias;
	return mem_zalloc(sizeof(struct lua));
}

const struct runtime lua_runtime = {
	.language = "Lua",
	.library = "/liblua5.",
	.destroy = destroy,
	.mark = "lua_ident",
	.meet = meet_lua,
	.is_known = is_known,
};

const struct runtime luajit_runtime = {
	.language = "LuaJIT",
	.library = "/libluajit-",
	.destroy = destroy,
	.mark = "luaJIT_setmode",
	.meet = meet_luajit,
	.is_known = is_known,
};
