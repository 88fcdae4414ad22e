/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit.h"

#include "src/arch/arch.h"
#include "src/base/mem.h"
#include "src/read/runtimes/lua/luajit-code.h"
#include "src/read/runtimes/lua/luajit-stack.h"

#include <stdlib.h>
#include <string.h>

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	(void)image;
	(void)bias;
	struct luajit_place *place = mem_zalloc(sizeof(*place));
	place->space = space;
	place->memory = address_space_memory(space);
	place->codes = luajit_codes_create(&place->memory);
	return place;
}

static void destroy(void *self)
{
	struct luajit_place *place = self;
	luajit_codes_destroy(place->codes);
	free(place->traces.list);
	free(place);
}

static bool is_known(const void *self, char *version, size_t size)
{
	(void)self;
	if (size > 0)
		version[0] = '\0';
	return strcmp(ARCH_NAME, "x86_64") == 0;
}

static bool recipe(void *self, struct recipe *recipe)
{
	luajit_recipe(self, recipe);
	return true;
}

static enum script_natives natives(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, uint32_t *length, struct arch_registers *registers)
{
	struct luajit_place *place = (struct luajit_place *)(uintptr_t)self;
	struct luajit_states states;
	luajit_states_find(&place->globals, &place->memory, snapshot, &states);
	return luajit_natives(&states, place->space, snapshot, chain, length, registers);
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	luajit_stack_read((struct luajit_place *)(uintptr_t)self, snapshot, chain, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	(void)snapshot;
	struct luajit_place *place = self;
	return luajit_codes_find(place->codes, frame, out);
}

const struct runtime luajit_runtime = {
	.language = "LuaJIT",
	.library = "/libluajit-",
	.program = "/bin/luajit",
	.destroy = destroy,
	.mark = "luaJIT_setmode",
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.natives = natives,
	.frames = frames,
	.name = name,
	.has_compiler = true,
};
