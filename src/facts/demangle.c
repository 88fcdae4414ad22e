/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/demangle.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/jit-name.h"
#include "src/facts/mangled/mangled.h"
#include "src/facts/template-arguments.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char *demangle_whole(const char *symbol, enum demangle_style style)
{
	size_t length = strnlen(symbol, MANGLED_MAX_BYTES + 1);
	if (length > MANGLED_MAX_BYTES || style == DEMANGLE_NONE)
		return NULL;
	size_t name_length = strcspn(symbol, "@");
	char *name = mem_zalloc(name_length + 1);
	memcpy(name, symbol, name_length);
	char *plain = mem_alloc(MANGLED_PLAIN_MAX_BYTES);
	bool is_mangled = name[0] == '_' && mangled_read(name, style == DEMANGLE_FULL,
						    plain, MANGLED_PLAIN_MAX_BYTES);
	if (!is_mangled) {
		free(plain);
		if (name_length > 0 && name_length < length)
			return name;
		free(name);
		return NULL;
	}
	free(name);
	if (style == DEMANGLE_NO_TEMPLATES)
		template_arguments_strip(plain);
	return mem_resize(plain, strlen(plain) + 1, 1);
}

/* A PLT stub has the name of the function that it jumps to. */
static char *demangle_stub(const char *symbol, size_t length, enum demangle_style style)
{
	char *target = mem_printf("%.*s", (int)length, symbol);
	char *plain = demangle_whole(target, style);
	char *stub = plain ? mem_printf("%s@plt", plain) : NULL;
	free(target);
	free(plain);
	return stub;
}

static bool is_short(enum demangle_style style)
{
	return style == DEMANGLE_NO_PARAMS || style == DEMANGLE_NO_TEMPLATES;
}

char *demangle(const char *symbol, enum demangle_style style)
{
	if (jit_name_is(symbol)) /* "@" may be in its path */
		return is_short(style) ? jit_name_short(symbol) : NULL;
	size_t length = strnlen(symbol, MANGLED_MAX_BYTES + 1);
	if (length > 4 && length <= MANGLED_MAX_BYTES &&
		strcmp(symbol + length - 4, "@plt") == 0)
		return demangle_stub(symbol, length - 4, style);
	return demangle_whole(symbol, style);
}

void demangle_short(const char *symbol, char *out, size_t size)
{
	char *plain = demangle(symbol, DEMANGLE_NO_PARAMS);
	clean_text(out, size, plain ? plain : "", plain ? strlen(plain) : 0);
	free(plain);
}
