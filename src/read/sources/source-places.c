/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-places.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	PLACES_MAX = 256, /* a path has fewer components, unless it is meant to do harm */
};

bool source_map_is_valid(const char *text)
{
	const char *equals = strchr(text, '=');
	return equals && equals != text && equals[1];
}

/* "a/./b/../c" becomes "a/c"; a ".." that leads out of what is there disappears. PATH is
   changed, and has no '/' in front afterwards. */
static void normalize(char *path)
{
	char *out = path;
	for (const char *in = path; *in;) {
		size_t length = strcspn(in, "/");
		bool is_last = in[length] == '\0'; /* its NUL may become a '/' */
		if (length == 2 && in[0] == '.' && in[1] == '.') {
			if (out > path)
				out--; /* the '/' behind the last component */
			while (out > path && out[-1] != '/')
				out--;
		} else if (length > 0 && !(length == 1 && in[0] == '.')) {
			memmove(out, in, length);
			out += length;
			*out++ = '/';
		}
		in += length;
		if (is_last)
			break;
		in++;
	}
	if (out > path)
		out--;
	*out = '\0';
}

static void add(struct source_places *places, const char *base, size_t base_length,
	const char *rest)
{
	while (base_length > 1 && base[base_length - 1] == '/')
		base_length--;
	char *copy = mem_strdup(rest);
	normalize(copy);
	if (!*copy || places->list.len >= PLACES_MAX) {
		free(copy);
		return;
	}
	vec_push(&places->list,
		(struct source_place){mem_printf("%.*s", (int)base_length, base), copy});
}

static void add_mapped(struct source_places *places, const char *map, const char *path)
{
	size_t length = strcspn(map, "=");
	const char *to = map + length + 1;
	while (length > 1 && map[length - 1] == '/')
		length--;
	bool fits = strncmp(path, map, length) == 0 &&
		    (path[length] == '/' || path[length] == '\0' ||
			    (length == 1 && map[0] == '/'));
	if (fits)
		add(places, to, strlen(to), path + length);
}

static void add_below(
	struct source_places *places, const char *dir, size_t length, const char *path)
{
	char *clean = mem_strdup(path);
	normalize(clean);
	for (const char *rest = clean; rest; rest = strchr(rest, '/')) {
		rest += *rest == '/';
		add(places, dir, length, rest);
	}
	free(clean);
}

void source_places_find(
	struct source_places *places, const struct source_rules *rules, const char *path)
{
	if (!*path)
		return;
	for (size_t i = 0; i < rules->n_maps; i++)
		add_mapped(places, rules->maps[i], path);
	for (const char *dir = rules->dirs ? rules->dirs : ""; *dir;) {
		size_t length = strcspn(dir, ":");
		if (length > 0)
			add_below(places, dir, length, path);
		dir += length + (dir[length] == ':');
	}
	/* As it is, dots included: they may lead through symbolic links. */
	vec_push(&places->list, (struct source_place){NULL, mem_strdup(path)});
}

void source_places_finish(struct source_places *places)
{
	vec_each (&places->list, place) {
		free(place->base);
		free(place->rest);
	}
	vec_free(&places->list);
}

char *source_place_path(const struct source_place *place)
{
	if (!place->base)
		return mem_strdup(place->rest);
	return mem_printf("%s%s%s", place->base, strcmp(place->base, "/") == 0 ? "" : "/",
		place->rest);
}
