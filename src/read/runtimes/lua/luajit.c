/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit.h"

#include "src/base/mem.h"
#include "src/read/runtimes/lua/luajit-code.h"
#include "src/read/runtimes/lua/luajit-layout.h"
#include "src/read/runtimes/lua/luajit-stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct luajit {
	struct luajit_place place;
	bool is_known;
};

/* Has a lua_State base and top where luajit-layout.h has them? lua_gettop tells the distance of the two, and is
   on x86-64 `mov 40(%rdi),%rax; sub 32(%rdi),%rax'. */
static bool has_layout(struct elf_image *image)
{
	static const unsigned char code[] = {
		0x48, 0x8b, 0x47, LUAJIT_STATE_TOP, 0x48, 0x2b, 0x47, LUAJIT_STATE_BASE};
	struct elf_variable gettop = {.name = "lua_gettop"};
	unsigned char bytes[sizeof(code) + 4]; /* an endbr64 may be before */
	elf_image_find_variables(image, &gettop, 1);
	return gettop.vaddr &&
	       elf_image_read(image, gettop.vaddr, bytes, sizeof(bytes)) &&
	       (memcmp(bytes, code, sizeof(code)) == 0 ||
		       memcmp(bytes + 4, code, sizeof(code)) == 0);
}

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	(void)bias;
	struct luajit *luajit = mem_zalloc(sizeof(*luajit));
	luajit->is_known = has_layout(image);
	luajit->place.space = space;
	luajit->place.memory = address_space_memory(space);
	luajit->place.codes = luajit_codes_create(&luajit->place.memory);
	return luajit;
}

static void destroy(void *self)
{
	struct luajit *luajit = self;
	luajit_codes_destroy(luajit->place.codes);
	free(luajit->place.traces.list);
	free(luajit);
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct luajit *luajit = self;
	snprintf(version, size, "%s", "");
	return luajit->is_known;
}

static bool recipe(void *self, struct recipe *recipe)
{
	const struct luajit *luajit = self;
	luajit_recipe(&luajit->place, recipe);
	return true;
}

static enum script_natives natives(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, uint32_t *length, struct arch_registers *registers)
{
	struct luajit_place *place = &((struct luajit *)(uintptr_t)self)->place;
	const struct luajit_natives natives = {
		place->space, &place->memory, &place->traces};
	struct luajit_states states;
	luajit_states_find(&place->globals, &place->memory, snapshot, &states);
	return luajit_natives_check(
		&natives, &states, snapshot, chain, length, registers);
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	struct luajit_place *place = &((struct luajit *)(uintptr_t)self)->place;
	luajit_stack_read(place, snapshot, chain, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	(void)snapshot;
	struct luajit *luajit = self;
	return luajit_codes_find(luajit->place.codes, frame, out);
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
