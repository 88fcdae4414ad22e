/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua-texts.h"

#include "src/base/clean.h"

#include <stdio.h>
#include <string.h>

/* As Lua itself calls it. */
#define OF_C "[C]"

void lua_texts_clear(struct lua_texts *texts)
{
	idmap_clear(&texts->numbers);
	strpool_finish(&texts->pool);
}

void lua_texts_finish(struct lua_texts *texts)
{
	idmap_finish(&texts->numbers);
	strpool_finish(&texts->pool);
}

const char *lua_texts_intern(struct lua_texts *texts, const char *text, size_t length)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, length);
	return strpool_intern(&texts->pool, clean);
}

const char *lua_texts_file(struct lua_texts *texts, const char *source, size_t length)
{
	char short_text[96];
	if (length > 0 && (source[0] == '@' || source[0] == '='))
		return lua_texts_intern(texts, source + 1, length - 1);
	const char *end = memchr(source, '\n', length);
	size_t most = end ? (size_t)(end - source) : length;
	int n = snprintf(short_text, sizeof(short_text), "[string \"%.*s%s\"]",
		(int)(most < 60 ? most : 60), source, end || most > 60 ? "..." : "");
	return lua_texts_intern(texts, short_text, (size_t)n);
}

const char *lua_texts_own_name(
	struct lua_texts *texts, const char *file, uint32_t first_line)
{
	char text[LUA_TEXT_MAX + 32];
	const char *slash = strrchr(file, '/');
	if (first_line == 0)
		return "main chunk";
	int n = snprintf(text, sizeof(text), "function <%.*s:%u>", LUA_TEXT_MAX,
		slash && file[0] != '[' ? slash + 1 : file, first_line);
	return lua_texts_intern(texts, text, (size_t)n);
}

enum script_kind lua_texts_tell(struct lua_texts *texts, const char *name,
	const char *file, uint32_t first_line, struct script_function *out)
{
	if (!name)
		return SCRIPT_HIDDEN;
	out->name = strpool_intern(&texts->pool, name);
	out->file = strpool_intern(&texts->pool, file ? file : OF_C);
	out->first_line = first_line;
	uint64_t a = (uint64_t)(uintptr_t)out->name, b = (uint64_t)(uintptr_t)out->file;
	const uint32_t *number = idmap_get(&texts->numbers, a, b + first_line);
	out->number = number ? *number : texts->n_numbers++;
	if (!number)
		idmap_put(&texts->numbers, a, b + first_line, out->number);
	return SCRIPT_NAMED;
}
