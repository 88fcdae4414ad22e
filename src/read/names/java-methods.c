/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/java-methods.h"

#include "src/base/clean.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A collector that works beside the program counts a collection when it begins, and unloads classes
   when it has marked all objects. */
#define UNLOADING_NS (10 * NS_PER_SEC)

enum {
	KNOWN_MAX = 1 << 18, /* then all are forgotten */
};

struct java_methods {
	struct hotspot_methods *reader;
	const struct address_space *space;
	struct profile *profile;
	VEC(struct java_method) known;
	struct idmap of_address; /* (address, 0) -> known */
	uint32_t last_number;
	/* What was read before the present sample was taken; and at LOOKED_NS. */
	struct hotspot_turn before, latest;
	uint64_t looked_ns;
	uint64_t collected_ns; /* when a collection was noticed last */
};

struct java_methods *java_methods_create(struct hotspot_methods *reader,
	const struct address_space *space, struct profile *profile)
{
	struct java_methods *methods = mem_zalloc(sizeof(*methods));
	methods->reader = reader;
	methods->space = space;
	methods->profile = profile;
	methods->before = methods->latest = hotspot_read_turn(reader);
	methods->looked_ns = clock_monotonic_ns();
	return methods;
}

void java_methods_destroy(struct java_methods *methods)
{
	if (!methods)
		return;
	hotspot_methods_destroy(methods->reader);
	vec_free(&methods->known);
	idmap_finish(&methods->of_address);
	free(methods);
}

static void forget(struct java_methods *methods)
{
	methods->known.len = 0;
	idmap_clear(&methods->of_address);
}

void java_methods_renew(struct java_methods *methods, struct profile *profile)
{
	methods->profile = profile;
	vec_each (&methods->known, known)
		known->function = PROFILE_NONE;
}

const struct hotspot_methods *java_methods_reader(const struct java_methods *methods)
{
	return methods->reader;
}

void java_methods_look(struct java_methods *methods)
{
	if (address_space_sample_ns(methods->space) <= methods->looked_ns)
		return;
	methods->before = methods->latest;
	methods->latest = hotspot_read_turn(methods->reader);
	methods->looked_ns = clock_monotonic_ns();
	if (methods->latest.collections != methods->before.collections)
		methods->collected_ns = methods->looked_ns;
}

/* May methods and their code, as they are at NOW, lie where others were at BEFORE? */
static bool has_turned(const struct java_methods *methods,
	const struct hotspot_turn *before, const struct hotspot_turn *now)
{
	bool is_collected =
		now->collections != before->collections ||
		(methods->collected_ns &&
			methods->looked_ns - methods->collected_ns < UNLOADING_NS);
	return is_collected && now->loader != before->loader;
}

bool java_methods_have_turned(const struct java_methods *methods)
{
	struct hotspot_turn now = hotspot_read_turn(methods->reader);
	return has_turned(methods, &methods->before, &now);
}

/* Is METHOD what was there when the present sample was taken? */
static struct java_method *if_it_was(const struct java_methods *methods,
	struct java_method *method, bool is_sure, uint64_t mirror)
{
	return is_sure || java_watch_was_there(&method->watch, methods->space) ||
			       hotspot_is_mirror(methods->reader, &method->method, mirror)
		       ? method
		       : NULL;
}

struct java_method *java_methods_at(
	struct java_methods *methods, uint64_t address, bool is_sure, uint64_t mirror)
{
	struct hotspot_method now;
	const uint32_t *known = idmap_get(&methods->of_address, address, 0);
	struct java_method *method = known ? &methods->known.data[*known] : NULL;
	if (method && !is_sure && !java_watch_is_due(&method->watch, methods->space))
		return if_it_was(methods, method, false, mirror);
	struct hotspot_turn turn = hotspot_read_turn(methods->reader);
	if (!hotspot_read_method(methods->reader, address, &now))
		return NULL;
	bool is_same = method && memcmp(&now, &method->method, sizeof(now)) == 0;
	if (!method) {
		if (methods->known.len >= KNOWN_MAX)
			forget(methods);
		idmap_put(&methods->of_address, address, 0, (uint32_t)methods->known.len);
		vec_push(&methods->known, (struct java_method){.turn = methods->before});
		method = &methods->known.data[methods->known.len - 1];
	}
	/* What looks the same may have been something else in between. */
	bool is_other = (known && !is_same) || has_turned(methods, &method->turn, &turn);
	java_watch_note(&method->watch, is_other);
	method->turn = turn;
	if (!is_same) {
		method->method = now;
		method->number = ++methods->last_number;
		method->function = PROFILE_NONE;
		method->since_ns = known ? method->watch.last_ns : 0;
	}
	return if_it_was(methods, method, is_sure, mirror);
}

/* "java/util/HashMap.java" */
static char *source_of(const struct hotspot_names *names)
{
	bool is_below = names->package[0] && names->file[0] && !strchr(names->file, '/');
	char *path = mem_printf("%s%s%s", is_below ? names->package : "",
		is_below ? "/" : "", names->file);
	for (size_t i = 0; is_below && names->package[i]; i++)
		if (path[i] == '.')
			path[i] = '/';
	return path;
}

static char *cleaned(const char *text)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, strlen(text));
	return mem_strdup(clean);
}

uint32_t java_methods_function(struct java_methods *methods, struct java_method *method)
{
	struct hotspot_names names;
	struct hotspot_method now;
	if (method->function != PROFILE_NONE)
		return method->function;
	if (!hotspot_name_method(methods->reader, &method->method, &names))
		return PROFILE_NONE;
	uint32_t start_line = hotspot_method_line(methods->reader, &method->method, 0);
	if (!hotspot_read_method(methods->reader, method->method.address, &now) ||
		memcmp(&now, &method->method, sizeof(now)) != 0)
		return PROFILE_NONE;
	char *path = source_of(&names), *file = cleaned(path),
	     *name = cleaned(names.name);
	char *module = cleaned(names.package[0] ? names.package : names.file);
	method->function = profile_intern_function(
		methods->profile, &(struct function){.name = name,
					  .system_name = name,
					  .module = module,
					  .file = file,
					  .start_line = start_line});
	free(path);
	free(file);
	free(name);
	free(module);
	return method->function;
}
