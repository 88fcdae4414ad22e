#include "src/symbolizer.h"

#include "src/clean.h"
#include "src/demangle.h"
#include "src/line-resolver.h"
#include "src/map.h"
#include "src/mem.h"
#include "src/perf-map.h"
#include "src/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_FILE UINT32_MAX

/* A location whose lines are to be looked up. */
struct unasked {
	uint64_t vaddr;
	uint32_t file, location;
};

/* Code of one mapping that waits for its debug file to be fetched. */
struct awaited {
	uint32_t mapping;
	const char *build_id;
	struct code_names *names;
	VEC(struct unasked) places; /* their FILE is not known yet */
};

struct symbolizer {
	struct address_space *space;
	struct profile *profile;
	struct map functions; /* (mapping, address of the symbol) -> function */

	struct line_resolver *resolver; /* NULL: no lines are wanted */
	struct map lines_files;		/* mapping -> file of the resolver, NO_FILE */
	VEC(struct unasked) unasked;

	struct debug_fetch *fetch; /* NULL: nothing is fetched */
	VEC(struct awaited) awaited;

	struct perf_map *perf_map;
	VEC(uint32_t) jit_locations; /* of code without a file, named or not yet */
};

struct symbolizer *symbolizer_create(struct address_space *space, struct profile *profile,
	struct line_resolver *resolver)
{
	struct symbolizer *symbolizer = mem_zalloc(sizeof(*symbolizer));
	symbolizer->space = space;
	symbolizer->profile = profile;
	symbolizer->resolver = resolver;
	symbolizer->perf_map = perf_map_create(address_space_proc_dir(space));
	return symbolizer;
}

static void forget_awaited(struct symbolizer *symbolizer)
{
	vec_each (&symbolizer->awaited, awaited)
		vec_free(&awaited->places);
	symbolizer->awaited.len = 0;
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	perf_map_destroy(symbolizer->perf_map);
	forget_awaited(symbolizer);
	vec_free(&symbolizer->awaited);
	vec_free(&symbolizer->jit_locations);
	vec_free(&symbolizer->unasked);
	map_finish(&symbolizer->lines_files);
	map_finish(&symbolizer->functions);
	free(symbolizer);
}

void symbolizer_exec(struct symbolizer *symbolizer)
{
	perf_map_destroy(symbolizer->perf_map);
	symbolizer->perf_map = perf_map_create(address_space_proc_dir(symbolizer->space));
	symbolizer->jit_locations.len = 0;
	forget_awaited(symbolizer); /* the images are gone */
}

/* What was not copied comes again, as new, if its code runs. */
void symbolizer_renew(struct symbolizer *symbolizer, const struct renewal *renewal)
{
	size_t kept = 0;
	symbolizer->profile = renewal->to;
	map_clear(&symbolizer->functions);
	map_clear(&symbolizer->lines_files);
	vec_each (&symbolizer->unasked, unasked)
		if (renewal_knows_location(renewal, &unasked->location))
			symbolizer->unasked.data[kept++] = *unasked;
	symbolizer->unasked.len = kept;
	kept = 0;
	vec_each (&symbolizer->jit_locations, id)
		if (renewal_knows_location(renewal, id))
			symbolizer->jit_locations.data[kept++] = *id;
	symbolizer->jit_locations.len = kept;
	forget_awaited(symbolizer); /* its images may be closed */
}

const char *symbolizer_refusal(const struct symbolizer *symbolizer)
{
	return perf_map_refusal(symbolizer->perf_map);
}

void symbolizer_fetch(struct symbolizer *symbolizer, struct debug_fetch *fetch)
{
	symbolizer->fetch = fetch;
}

static uint32_t intern_named(
	struct symbolizer *symbolizer, const char *name, const char *module)
{
	struct function function = {
		.name = name, .system_name = name, .module = module, .file = ""};
	return profile_intern_function(symbolizer->profile, &function);
}

/* A function by what the compiler calls it: demangled, and cleaned. FILE is clean. */
static uint32_t intern_mangled(struct symbolizer *symbolizer, const char *symbol,
	const char *module, const char *file, uint32_t start_line)
{
	char system_name[CLEAN_MAX], name[CLEAN_MAX];
	char *plain = demangle(symbol, DEMANGLE_FULL);
	const char *best = plain ? plain : symbol;
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
	return profile_intern_function(symbolizer->profile, &function);
}

/* The function of a symbol: demangled and cleaned the first time it is met. */
static uint32_t intern_symbol(
	struct symbolizer *symbolizer, uint32_t mapping, const struct elf_symbol *symbol)
{
	uint32_t *known = map_get(&symbolizer->functions, mapping, symbol->vaddr);
	if (known)
		return *known;
	uint32_t id = intern_mangled(symbolizer, symbol->name,
		profile_mapping(symbolizer->profile, mapping)->module, "", 0);
	map_put(&symbolizer->functions, mapping, symbol->vaddr, id);
	return id;
}

/* Code of a file that no symbol covers: by the address of its function in the file, if
   that is known, else by its own. */
static uint32_t intern_address(
	struct symbolizer *symbolizer, const char *module, uint64_t vaddr)
{
	char name[CLEAN_MAX + 32];
	snprintf(name, sizeof(name), "[%s+0x%" PRIx64 "]", module, vaddr);
	return intern_named(symbolizer, name, module);
}

/* Code without a file, as a JIT compiler's: one name for all of it, because nothing tells
   where one function ends and the next begins. */
static uint32_t intern_module(struct symbolizer *symbolizer, const char *module)
{
	char name[CLEAN_MAX + 2];
	snprintf(name, sizeof(name), module[0] == '[' ? "%s" : "[%s]", module);
	return intern_named(symbolizer, name, module);
}

/* The function at ADDRESS of an executable REGION. */
static uint32_t name_address(
	struct symbolizer *symbolizer, const struct region *region, uint64_t address)
{
	const char *module =
		profile_mapping(symbolizer->profile, region->mapping)->module;
	uint64_t bias = 0;
	struct code_names *names = address_space_names(symbolizer->space, region, &bias);
	if (!names) {
		/* The first time at once, while the target lives. */
		if (symbolizer->jit_locations.len == 0)
			perf_map_refresh(symbolizer->perf_map);
		const char *name = perf_map_find(symbolizer->perf_map, address);
		return name ? intern_mangled(symbolizer, name, module, "", 0)
			    : intern_module(symbolizer, module);
	}
	const struct elf_symbol *symbol = code_names_symbol(names, address - bias);
	if (!symbol)
		return intern_address(
			symbolizer, module, code_names_start(names, address - bias));
	return intern_symbol(symbolizer, region->mapping, symbol);
}

static uint32_t open_lines_file(
	struct symbolizer *symbolizer, uint32_t mapping, struct code_names *names)
{
	bool trusted;
	int fd = code_names_lines_file(names, &trusted);
	uint32_t file =
		fd < 0 ? NO_FILE
		       : line_resolver_add_file(symbolizer->resolver, fd, trusted);
	map_put(&symbolizer->lines_files, mapping, 0, file);
	return file;
}

/* The resolver's file with the lines of MAPPING's code. The file is opened now, while the
   target lives. */
static uint32_t lines_file_of(
	struct symbolizer *symbolizer, uint32_t mapping, struct code_names *names)
{
	uint32_t *known = map_get(&symbolizer->lines_files, mapping, 0);
	if (known)
		return *known;
	uint32_t file = open_lines_file(symbolizer, mapping, names);
	const char *build_id =
		symbolizer->fetch && file == NO_FILE ? code_names_wanted(names) : NULL;
	if (build_id)
		vec_push(&symbolizer->awaited,
			(struct awaited){mapping, build_id, names, .places = {0}});
	return file;
}

static void note_for_later(struct symbolizer *symbolizer, const struct region *region,
	uint64_t address, uint32_t location)
{
	uint64_t bias = 0;
	if (!region || region->mapping == PROFILE_NONE)
		return;
	struct code_names *names = address_space_names(symbolizer->space, region, &bias);
	if (!names)
		vec_push(&symbolizer->jit_locations, location);
	bool may_have_lines = names && symbolizer->resolver;
	uint32_t file = may_have_lines ? lines_file_of(symbolizer, region->mapping, names)
				       : NO_FILE;
	struct unasked place = {address - bias, file, location};
	if (file != NO_FILE)
		vec_push(&symbolizer->unasked, place);
	vec_each (&symbolizer->awaited, awaited)
		if (awaited->mapping == region->mapping)
			vec_push(&awaited->places, place);
}

uint32_t symbolizer_locate(struct symbolizer *symbolizer, struct frame frame)
{
	struct profile *profile = symbolizer->profile;
	uint64_t address = frame_code(frame);
	const struct region *region = address_space_find(symbolizer->space, address);
	uint32_t mapping = region ? region->mapping : PROFILE_NONE;
	uint32_t known = profile_find_location(profile, mapping, address);
	if (known != PROFILE_NONE)
		return known;
	struct line line = {
		.function = mapping == PROFILE_NONE
				    ? intern_named(symbolizer, "[unknown]", "")
				    : name_address(symbolizer, region, address),
	};
	uint32_t id = profile_add_location(profile, mapping, address, &line, 1);
	note_for_later(symbolizer, region, address, id);
	return id;
}

/* --- lines, later ------------------------------------------------------------------ */

void symbolizer_ask_lines(struct symbolizer *symbolizer)
{
	vec_each (&symbolizer->unasked, unasked)
		line_resolver_ask(symbolizer->resolver, unasked->file, unasked->vaddr,
			unasked->location);
	symbolizer->unasked.len = 0;
}

bool symbolizer_wait_lines(struct symbolizer *symbolizer, uint64_t limit_ns)
{
	return !symbolizer->resolver ||
	       (line_resolver_wait(symbolizer->resolver, limit_ns) &&
		       symbolizer->awaited.len == 0);
}

/* One line of the new location. The symbol table knows the real function better (clones
   have names of their own there), and the name it had so far is the one on the screen. */
static struct line line_of(struct symbolizer *symbolizer, const struct location *old,
	const struct line_answer_frame *frame, bool is_real)
{
	char file[CLEAN_MAX];
	clean_text(file, sizeof(file), frame->file, strlen(frame->file));
	struct line line = {.line = frame->line};
	const struct function *known =
		profile_function(symbolizer->profile, old->lines[0].function);
	if (is_real && (known->name[0] != '[' || !frame->name[0])) {
		struct function function = *known;
		function.file = file;
		function.start_line = frame->start_line;
		line.function = profile_intern_function(symbolizer->profile, &function);
	} else {
		line.function = intern_mangled(symbolizer,
			frame->name[0] ? frame->name : "[inlined]", known->module, file,
			frame->start_line);
	}
	return line;
}

static void take_answer(struct symbolizer *symbolizer, const struct line_answer *answer,
	struct map *renamed)
{
	struct line lines[LINE_FRAMES_MAX];
	const struct location *old =
		profile_location(symbolizer->profile, answer->cookie);
	for (uint32_t i = 0; i < answer->n_frames; i++)
		lines[i] = line_of(
			symbolizer, old, &answer->frames[i], i + 1 == answer->n_frames);
	uint32_t id = profile_add_location(
		symbolizer->profile, old->mapping, old->address, lines, answer->n_frames);
	map_put(renamed, answer->cookie, 0, id);
}

/* A debug file has come: what was seen of its code gets the names in it, and is to get
   its lines. */
static void take_fetched(
	struct symbolizer *symbolizer, const struct awaited *awaited, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	uint32_t file = open_lines_file(symbolizer, awaited->mapping, awaited->names);
	vec_each (&awaited->places, place) {
		const struct location *old = profile_location(profile, place->location);
		const struct elf_symbol *symbol =
			code_names_symbol(awaited->names, place->vaddr);
		struct line line = old->lines[0];
		if (symbol)
			line.function =
				intern_symbol(symbolizer, awaited->mapping, symbol);
		if (line.function != old->lines[0].function) {
			uint32_t now = profile_add_location(
				profile, old->mapping, old->address, &line, 1);
			map_put(renamed, place->location, 0, now);
			place->location = now;
		}
		place->file = file;
		if (file != NO_FILE)
			vec_push(&symbolizer->unasked, *place);
	}
}

static void take_files(struct symbolizer *symbolizer, struct map *renamed)
{
	size_t kept = 0;
	vec_each (&symbolizer->awaited, awaited) {
		const char *path;
		enum debug_fetch_state state = debug_fetch_ask(symbolizer->fetch,
			awaited->build_id,
			profile_mapping(symbolizer->profile, awaited->mapping)->module,
			&path);
		if (state == DEBUG_FETCH_PENDING) {
			symbolizer->awaited.data[kept++] = *awaited;
			continue;
		}
		if (state == DEBUG_FETCH_FOUND && code_names_adopt(awaited->names, path))
			take_fetched(symbolizer, awaited, renamed);
		vec_free(&awaited->places);
	}
	symbolizer->awaited.len = kept;
}

/* Look again at code without a file when its compiler has written names. */
static void take_jit_names(struct symbolizer *symbolizer, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	if (!symbolizer->jit_locations.len || !perf_map_refresh(symbolizer->perf_map))
		return;
	vec_each (&symbolizer->jit_locations, id) {
		const struct location *old = profile_location(profile, *id);
		const struct function *function =
			profile_function(profile, old->lines[0].function);
		const char *name = perf_map_find(symbolizer->perf_map, old->address);
		if (!name)
			continue;
		struct line line = {.function = intern_mangled(
					    symbolizer, name, function->module, "", 0)};
		if (line.function == old->lines[0].function)
			continue;
		uint32_t now = profile_add_location(
			profile, old->mapping, old->address, &line, 1);
		if (function->name[0] == '[') /* it had none */
			map_put(renamed, *id, 0, now);
		*id = now;
	}
}

/* What was named by a mapping before it was known that others take turns with it there
   loses its name. */
static void take_doubts(struct symbolizer *symbolizer, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	uint32_t mapping, n_locations = profile->locations->len;
	while (address_space_take_doubtful(symbolizer->space, &mapping))
		for (uint32_t id = 0; id < n_locations; id++) {
			const struct location *location = profile_location(profile, id);
			if (location->mapping != mapping)
				continue;
			uint64_t address = location->address;
			uint32_t nameless =
				profile_find_location(profile, PROFILE_NONE, address);
			struct line line = {
				.function = intern_named(symbolizer, "[unknown]", "")};
			if (nameless == PROFILE_NONE)
				nameless = profile_add_location(
					profile, PROFILE_NONE, address, &line, 1);
			map_put(renamed, id, 0, nameless);
		}
}

void symbolizer_take_lines(struct symbolizer *symbolizer, struct map *renamed)
{
	struct line_answer answer;
	while (symbolizer->resolver &&
		line_resolver_take(symbolizer->resolver, &answer)) {
		if (answer.n_frames > 0)
			take_answer(symbolizer, &answer, renamed);
		line_answer_finish(&answer);
	}
	take_files(symbolizer, renamed);
	take_jit_names(symbolizer, renamed);
	take_doubts(symbolizer, renamed);
}
