/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/function-names.h"

#include "src/base/clean.h"
#include "src/facts/demangle.h"

#include <stdlib.h>
#include <string.h>

uint32_t function_named(struct profile *profile, const char *name, const char *module)
{
	struct function function = {
		.name = name, .system_name = name, .module = module, .file = ""};
	return profile_intern_function(profile, &function);
}

uint32_t function_unknown(struct profile *profile)
{
	return function_named(profile, "[unknown]", "");
}

/* "write" of "__GI___libc_write", a name by which libc calls its own function. */
static const char *without_libc_prefix(const char *symbol)
{
	if (strncmp(symbol, "__GI_", 5) != 0)
		return symbol;
	symbol += 5 + strspn(symbol + 5, "_");
	return strncmp(symbol, "libc_", 5) == 0 ? symbol + 5 : symbol;
}

uint32_t function_mangled(struct profile *profile, const char *symbol, const char *module,
	const char *file, uint32_t start_line)
{
	char system_name[CLEAN_MAX], name[CLEAN_MAX];
	char *plain = demangle(symbol, DEMANGLE_FULL);
	const char *best = plain ? plain : without_libc_prefix(symbol);
	clean_text(system_name, sizeof(system_name), symbol, strlen(symbol));
	clean_text(name, sizeof(name), best, strlen(best));
	free(plain);
	struct function function = {
		.name = name,
		.system_name = system_name,
		.module = module,
		.file = file,
		.start_line = start_line,
	};
	return profile_intern_function(profile, &function);
}
