/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/jit-name.h"

#include "src/base/mem.h"

#include <stddef.h>
#include <string.h>

/* How names of each form begin, and which character stands before the script's path. */
static const struct form {
	const char *kind;
	char before_path;
	bool has_tier;
} forms[] = {
	{"JS:", ' ', true},
	{"LazyCompile:", ' ', true}, /* up to V8 9 */
	{"Function:", ' ', true},
	{"Script:", ' ', true},
	{"Eval:", ' ', true},
	{"py::", ':', false},
};

static const struct form *form_of(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (strncmp(name, forms[i].kind, strlen(forms[i].kind)) == 0)
			return &forms[i];
	return NULL;
}

bool jit_name_is(const char *name)
{
	return form_of(name) != NULL;
}

/* Find where the script's path begins in NAME, and where its last part begins; both are
   the end of NAME if there is no path. Only an absolute path counts: a name like
   "node:internal/url" is V8's own. */
static void find_path(
	const char *name, const struct form *form, const char **path, const char **last)
{
	*path = *last = name + strlen(name);
	for (const char *at = name; *at; at++) {
		if (at[0] != form->before_path)
			continue;
		bool is_path = at[1] == '/' || strncmp(at + 1, "file://", 7) == 0;
		if (!is_path)
			continue;
		*path = at + 1;
		*last = strrchr(at, '/') + 1;
		return;
	}
}

char *jit_name_short(const char *name)
{
	const struct form *form = form_of(name);
	if (!form)
		return NULL;
	const char *rest = name + strlen(form->kind);
	const char *function = rest, *path, *last;
	if (form->has_tier && *rest && strchr("*+^~", *rest))
		function++;
	find_path(function, form, &path, &last);
	if (function == rest && path == last)
		return NULL;
	return mem_printf("%s%.*s%s", form->kind, (int)(path - function), function, last);
}
