/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua-texts: how the functions of a Lua program are called and numbered, alike for all implementations of
 * Lua, and the texts that are kept for that. The reader's thread.
 */
#ifndef CPROFTOP_LUA_TEXTS_H
#define CPROFTOP_LUA_TEXTS_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/read/runtimes/runtime.h"

#include <stddef.h>
#include <stdint.h>

enum {
	LUA_TEXT_MAX = 1000, /* bytes of a text that are read */
};

/* Zeroed at first. */
struct lua_texts {
	struct strpool pool;
	struct idmap numbers; /* (name, file and line) */
	uint32_t n_numbers;
};

void lua_texts_clear(struct lua_texts *texts); /* numbers go on */
void lua_texts_finish(struct lua_texts *texts);

/* LENGTH bytes of TEXT, cleaned. Valid until all is cleared, as are the others. */
const char *lua_texts_intern(struct lua_texts *texts, const char *text, size_t length);

/* What is shown of the SOURCE of a function: "@file", "=text", or the program itself (luaO_chunkid). */
const char *lua_texts_file(struct lua_texts *texts, const char *source, size_t length);

/* The name of a function for which nobody has one: by where it begins. */
const char *lua_texts_own_name(
	struct lua_texts *texts, const char *file, uint32_t first_line);

/* A function, which has a number for each name by which it is called. FILE NULL: that of those that C implements; NAME
   NULL: it is hidden. */
enum script_kind lua_texts_tell(struct lua_texts *texts, const char *name,
	const char *file, uint32_t first_line, struct script_function *out);

#endif
