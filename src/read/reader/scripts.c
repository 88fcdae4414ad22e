/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/scripts.h"

#include "src/base/ask-opener.h"
#include "src/base/clean.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/runtimes/python/python.h"
#include "src/read/runtimes/v8/v8.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct scripts {
	struct address_space *space;
	struct symbolizer *symbolizer;
	struct profile *profile;
	struct ring *ring;
	struct python *python;
	struct v8 *v8;
	struct recipe recipe;
	struct idmap
		functions; /* (number of a code object, enum language) -> function, and */
	struct idmap places; /* (function, line) -> location; of this profile */
	struct python_stack stack;
	bool is_own[CALLCHAIN_NODES]; /* of the locations so far: code of V8's file */
};

enum language {
	PYTHON,
	JAVASCRIPT
};

struct scripts *scripts_create(struct address_space *space, struct symbolizer *symbolizer,
	struct profile *profile, struct ring *ring)
{
	struct scripts *scripts = mem_zalloc(sizeof(*scripts));
	scripts->space = space;
	scripts->symbolizer = symbolizer;
	scripts->profile = profile;
	scripts->ring = ring;
	scripts->python = python_create(space);
	scripts->v8 = v8_create(space);
	return scripts;
}

void scripts_renew(struct scripts *scripts, struct profile *profile)
{
	scripts->profile = profile;
	idmap_clear(&scripts->functions);
	idmap_clear(&scripts->places);
}

void scripts_exec(struct scripts *scripts)
{
	scripts_renew(scripts, scripts->profile);
	python_exec(scripts->python);
	v8_exec(scripts->v8);
	scripts->recipe = (struct recipe){.n_areas = 0};
	recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
}

void scripts_destroy(struct scripts *scripts)
{
	if (!scripts)
		return;
	python_destroy(scripts->python);
	v8_destroy(scripts->v8);
	idmap_finish(&scripts->functions);
	idmap_finish(&scripts->places);
	free(scripts);
}

void scripts_refresh(struct scripts *scripts, uint64_t now_ns)
{
	if (python_prepare(scripts->python, now_ns, &scripts->recipe))
		recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
	else if (!python_is_known(scripts->python) &&
		 v8_prepare(scripts->v8, now_ns, &scripts->recipe))
		recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
}

/* --- functions -------------------------------------------------------------------------- */

/* A script is often called by a path from where it was started. */
static char *whole_path(const struct scripts *scripts, const char *file)
{
	char folder[CLEAN_MAX], clean[CLEAN_MAX];
	if (file[0] == '/' || file[0] == '<' || file[0] == '\0')
		return mem_strdup(file[0] == '/' ? file : "");
	const struct proc_dir *dir = address_space_proc_dir(scripts->space);
	ssize_t length = ask_opener_link(dir->fd, "cwd", folder, sizeof(folder) - 1);
	if (length <= 0 || folder[0] != '/')
		return mem_strdup("");
	clean_text(clean, sizeof(clean), folder, (size_t)length);
	return mem_printf("%s/%s", clean, file);
}

/* The last part of FILE; of a package's first file the last two. */
static const char *module_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	if (!slash || file[0] == '<')
		return file;
	if (strcmp(slash, "/__init__.py") != 0)
		return slash + 1;
	while (slash > file && slash[-1] != '/')
		slash--;
	return slash;
}

static uint32_t function_of(struct scripts *scripts, enum language language,
	uint32_t number, const char *name, const char *file, uint32_t first_line)
{
	const uint32_t *known = idmap_get(&scripts->functions, number, language);
	if (known)
		return *known;
	char *path = whole_path(scripts, file);
	struct function function = {
		.name = name,
		.system_name = name,
		.module = module_of(file),
		.file = path,
		.start_line = first_line,
	};
	uint32_t id = profile_intern_function(scripts->profile, &function);
	free(path);
	idmap_put(&scripts->functions, number, language, id);
	return id;
}

static uint32_t place_of(
	struct scripts *scripts, const struct line *line, uint64_t address)
{
	const uint32_t *known = idmap_get(&scripts->places, line->function, line->line);
	if (known)
		return *known;
	uint32_t id =
		profile_add_location(scripts->profile, PROFILE_NONE, address, line, 1);
	idmap_put(&scripts->places, line->function, line->line, id);
	return id;
}

/* PROFILE_NONE: it is no function of the program. */
static uint32_t locate(struct scripts *scripts, const struct snapshot *record,
	const struct python_frame *frame)
{
	struct line line = {.line = 0};
	const struct python_code *code =
		python_find_code(scripts->python, record, frame, &line.line);
	if (python_is_cleanup(scripts->python, frame, code))
		return PROFILE_NONE;
	if (!code)
		return profile_intern_synthetic(scripts->profile, SCRIPTS_GONE_LABEL);
	line.function = function_of(
		scripts, PYTHON, code->number, code->name, code->file, code->first_line);
	return place_of(scripts, &line, frame->instruction);
}

/* --- merging ---------------------------------------------------------------------------- */

struct merging {
	struct scripts *scripts;
	const struct snapshot *record;
	const struct callchain *chain;
	uint32_t *locations;
	size_t length, most;
	uint32_t next; /* segment */
};

static void put(struct merging *merging, uint32_t location)
{
	if (location != PROFILE_NONE && merging->length < merging->most)
		merging->locations[merging->length++] = location;
}

static const struct region *region_of(const struct merging *merging, uint32_t i)
{
	return address_space_find(
		merging->scripts->space, frame_code(merging->chain->frames[i]));
}

static uint32_t locate_native(const struct merging *merging, uint32_t i)
{
	return symbolizer_locate(merging->scripts->symbolizer, merging->chain->frames[i]);
}

/* What stands for the frames before I that are not kept. */
static void put_fold(struct merging *merging, uint32_t i)
{
	const struct callchain_fold *fold = &merging->chain->fold;
	if (i == CALLCHAIN_LEAF && fold->frames)
		put(merging, symbolizer_locate_fold(merging->scripts->symbolizer, fold));
}

static void put_native(struct merging *merging, uint32_t i)
{
	put_fold(merging, i);
	put(merging, locate_native(merging, i));
}

static void put_all_native(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->chain->length; i++)
		put_native(merging, i);
}

static void put_segment(struct merging *merging)
{
	const struct python_stack *stack = &merging->scripts->stack;
	const struct python_segment *segment = &stack->segments[merging->next++];
	for (uint32_t i = 0; i < segment->count; i++)
		put(merging, locate(merging->scripts, merging->record,
				     &stack->frames[segment->first + i]));
}

static bool is_left(const struct merging *merging)
{
	return merging->next < merging->scripts->stack.n_segments;
}

static uint64_t next_mark(const struct merging *merging)
{
	return merging->scripts->stack.segments[merging->next].mark;
}

static bool is_interpreters(const struct merging *merging, uint32_t i)
{
	const struct region *region = region_of(merging, i);
	return region && python_owns(merging->scripts->python, region);
}

static void put_label(struct merging *merging, const char *label)
{
	put(merging, profile_intern_synthetic(merging->scripts->profile, label));
}

/* If the interpreter is of a version whose functions are not known. */
static void put_version(struct merging *merging)
{
	char version[32], label[96];
	uint32_t i = 0;
	if (!python_is_unknown(merging->scripts->python, version, sizeof(version)))
		return;
	while (i < merging->chain->length && !is_interpreters(merging, i))
		i++;
	snprintf(label, sizeof(label), SCRIPTS_VERSION_LABEL, version);
	if (i < merging->chain->length)
		put_label(merging, label);
}

/* Code that begins programs and threads: the first of all, and the C library's. */
static bool is_beginning(const struct merging *merging, uint32_t i)
{
	if (i + 1 == merging->chain->length && merging->chain->end == UNWIND_ROOT)
		return true;
	const struct region *region = region_of(merging, i);
	return region &&
	       (strstr(region->path, "/libc.so") || strstr(region->path, "/ld-linux") ||
		       strstr(region->path, "/libpthread"));
}

/* The interpreter's own frames, which are left out, would say it. */
static bool waits_for_lock(const struct merging *merging)
{
	const struct snapshot *record = merging->record;
	return record->state == THREAD_BLOCKED && record->call.nr == SYS_futex &&
	       python_is_lock(merging->scripts->python, record->call.args[0]);
}

/* False: the marks are not in the order of the frames. */
static bool put_merged(struct merging *merging)
{
	const struct callchain *chain = merging->chain;
	size_t script_end = 0;
	bool only_beginning = true, waits = waits_for_lock(merging);
	for (uint32_t i = 0; i < chain->length; i++) {
		uint64_t low = chain->frames[i].sp;
		if (waits && is_interpreters(merging, i)) {
			put_label(merging, SCRIPTS_LOCK_LABEL);
			waits = false;
		}
		uint64_t high = i + 1 < chain->length ? chain->frames[i + 1].sp : low;
		bool is_call = false;
		for (; is_left(merging) && next_mark(merging) - low < high - low &&
			low < high;
			is_call = true)
			put_segment(merging);
		if (is_left(merging) && next_mark(merging) != 0 && low != 0 &&
			next_mark(merging) < low)
			return false;
		if (is_call) {
			script_end = merging->length;
			only_beginning = true;
		} else if (!is_interpreters(merging, i)) {
			put_native(merging, i);
			only_beginning &= is_beginning(merging, i);
		} else if (is_left(merging) && next_mark(merging) == 0) {
			put_segment(merging); /* the rest was not copied */
			return true;
		}
	}
	if (is_left(merging) && chain->end == UNWIND_ROOT)
		return false;
	while (is_left(merging)) { /* the native stack broke before */
		put_segment(merging);
		script_end = merging->length;
	}
	if (script_end > 0 && only_beginning)
		merging->length = script_end;
	return true;
}

/* --- JavaScript ------------------------------------------------------------------------- */

enum {
	/* A frame pointer points to that of the caller, and behind the return address the caller's
	   part of the stack begins. */
	FRAME_HEAD = 16,
};

static uint32_t locate_line(
	struct scripts *scripts, const struct v8_line *found, uint64_t address)
{
	const struct v8_function *function = found->function;
	struct line line = {.line = found->line};
	line.function = function_of(scripts, JAVASCRIPT, function->number, function->name,
		function->file, function->first_line);
	return place_of(scripts, &line, address);
}

/* Code of V8's file may be JavaScript's only if V8 has made it; of a stripped file nobody knows. */
static bool may_be_builtin(const struct merging *merging, uint32_t i)
{
	const struct profile *profile = merging->scripts->profile;
	const struct location *location =
		profile_location(profile, locate_native(merging, i));
	const char *name = profile_function(profile, location->lines[0].function)->name;
	return strncmp(name, "Builtins_", 9) == 0 || name[0] == '[';
}

static bool is_v8s(const struct merging *merging, uint32_t i)
{
	const struct region *region = region_of(merging, i);
	return region && v8_owns(merging->scripts->v8, region);
}

/* What V8 says of frame I: *COUNT functions of JavaScript in LINES. */
static enum v8_kind ask_v8(const struct merging *merging, uint32_t i,
	struct v8_line lines[V8_INLINED_MAX], size_t *count)
{
	const struct callchain *chain = merging->chain;
	const struct region *region = region_of(merging, i);
	uint64_t end = i + 1 < chain->length ? chain->frames[i + 1].sp : 0;
	*count = 0;
	if (!region || end <= FRAME_HEAD ||
		!(is_v8s(merging, i) ? may_be_builtin(merging, i)
				     : region_is_anonymous(region)))
		return V8_NO_FRAME;
	return v8_locate(merging->scripts->v8, merging->record, region,
		frame_code(chain->frames[i]), end - FRAME_HEAD, lines, count);
}

/* Put one native frame, or the functions of JavaScript that it is. True if there are any. */
static bool put_frame(struct merging *merging, uint32_t i)
{
	struct scripts *scripts = merging->scripts;
	struct v8_line lines[V8_INLINED_MAX];
	size_t count, before = merging->length;
	enum v8_kind kind = ask_v8(merging, i, lines, &count);
	put_fold(merging, i);
	if (kind == V8_NO_FRAME || kind == V8_BUILTIN)
		put(merging, locate_native(merging, i));
	else if (kind == V8_UNKNOWN)
		put_label(merging, SCRIPTS_GONE_JS_LABEL);
	for (size_t k = 0; k < count; k++)
		put(merging, locate_line(scripts, &lines[k],
				     frame_code(merging->chain->frames[i])));
	for (size_t k = before; k < merging->length; k++)
		scripts->is_own[k] = kind == V8_NO_FRAME && is_v8s(merging, i);
	return count > 0;
}

/* Leave out V8's own code between START and END. Returns where it ends then. */
static size_t leave_out(struct merging *merging, size_t start, size_t end, size_t limit)
{
	size_t kept = start;
	for (size_t i = start; i < limit; i++)
		if (i >= end || !merging->scripts->is_own[i]) {
			merging->locations[kept] = merging->locations[i];
			merging->scripts->is_own[kept++] = merging->scripts->is_own[i];
		}
	return kept;
}

/* What JavaScript calls stays as it is. Between two of its functions V8's own code is left out,
   and at the beginning of the stack all that only begins it. */
static void put_javascript(struct merging *merging)
{
	const struct callchain *chain = merging->chain;
	size_t last = 0;
	bool only_beginning = true;
	for (uint32_t i = 0; i < chain->length; i++) {
		size_t before = merging->length;
		if (put_frame(merging, i)) {
			if (last > 0)
				merging->length =
					leave_out(merging, last, before, merging->length);
			last = merging->length;
			only_beginning = true;
		} else if (merging->length > before) {
			only_beginning &= is_v8s(merging, i) || is_beginning(merging, i);
		}
	}
	if (last > 0 && only_beginning)
		merging->length = last;
}

/* --- Java ------------------------------------------------------------------------------- */

static const char *path_of(const struct profile *profile, const struct location *location)
{
	return location->mapping == PROFILE_NONE
		       ? "[anon]" /* interpreted: the same code for all methods */
		       : profile_mapping(profile, location->mapping)->path;
}

/* Does ID begin programs and threads of Java? Or does it run a METHOD? */
static bool is_javas(const struct profile *profile, uint32_t id, bool method)
{
	static const char *const beginning[] = {
		"/libc.so", "/ld-linux", "/libpthread", "/libjvm.so", "/libjli.so"};
	const struct location *location = profile_location(profile, id);
	const char *path = path_of(profile, location);
	if (strcmp(path, "[anon]") == 0)
		return (profile_function(profile, location->lines[0].function)->name[0] !=
			       '[') == method;
	for (size_t i = 0; i < sizeof(beginning) / sizeof(*beginning); i++)
		if (strstr(path, beginning[i]))
			return !method;
	return false;
}

/* The stack begins with the first method, if nothing but the virtual machine began that. */
static void begin_with_method(struct merging *merging)
{
	const struct profile *profile = merging->scripts->profile;
	size_t end = merging->length;
	while (end > 0 && is_javas(profile, merging->locations[end - 1], false))
		end--;
	if (end > 0 && is_javas(profile, merging->locations[end - 1], true) &&
		merging->chain->end == UNWIND_ROOT)
		merging->length = end;
}

size_t scripts_locate(struct scripts *scripts, const struct snapshot *record,
	const struct callchain *chain, uint32_t *locations, size_t most)
{
	struct python_stack *stack = &scripts->stack;
	struct merging merging = {.scripts = scripts,
		.record = record,
		.chain = chain,
		.locations = locations,
		.most = most};
	stack->end = PYTHON_NONE;
	if (python_is_known(scripts->python) && record->second_result != RECIPE_NONE)
		python_stack(scripts->python, record, stack);
	if (record->second_result == RECIPE_OUTSIDE)
		python_lacks(scripts->python);
	bool is_merged = (stack->end == PYTHON_ALL || stack->end == PYTHON_CUT) &&
			 put_merged(&merging);
	if (!is_merged) {
		merging.length = 0;
		if (v8_is_known(scripts->v8))
			put_javascript(&merging);
		else
			put_all_native(&merging);
		if (symbolizer_has_java(scripts->symbolizer))
			begin_with_method(&merging);
	}
	if (stack->end != PYTHON_NONE && (!is_merged || stack->end == PYTHON_CUT))
		put_label(&merging, SCRIPTS_UNKNOWN_LABEL);
	put_version(&merging);
	return merging.length;
}
