/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/python/python.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/space/image-search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often to look at memory that the recipe lacked; if that was in vain, how often at least. */
#define LOOK_NS (NS_PER_SEC / 20)
#define REST_NS NS_PER_SEC

enum {
	VERSION_NOT_SAID = 0x0300,
	GIL_BYTES =
		224, /* struct _gil_runtime_state: two conditions with their mutexes */
};

struct python {
	struct address_space *space;
	const struct python_layout *layout; /* NULL: none, or not known */
	unsigned version;
	uint64_t runtime;	 /* _PyRuntime */
	uint64_t gil;		 /* 0: not known */
	int32_t place;		 /* of a thread's state, see python_state_place */
	struct region_file file; /* the interpreter's */
	struct python_memory memory;
	struct python_codes *codes;
	struct image_search search;
	uint64_t changes; /* of the address space, when it was looked at last */
	uint64_t looked_ns, rest_ns; /* and how long not to look again */
	bool lacks, is_prepared;
};

static size_t read_memory(void *context, uint64_t address, void *out, size_t length)
{
	return address_space_read(context, address, out, length);
}

struct python *python_create(struct address_space *space)
{
	struct python *python = mem_zalloc(sizeof(*python));
	python->space = space;
	python->memory = (struct python_memory){.read = read_memory, .context = space};
	python->rest_ns = LOOK_NS;
	return python;
}

void python_exec(struct python *python)
{
	struct address_space *space = python->space;
	python_codes_destroy(python->codes);
	*python = (struct python){.space = space,
		.memory = {.read = read_memory, .context = space},
		.rest_ns = LOOK_NS};
}

void python_destroy(struct python *python)
{
	if (!python)
		return;
	python_codes_destroy(python->codes);
	free(python);
}

bool python_is_known(const struct python *python)
{
	return python->is_prepared;
}

bool python_is_unknown(const struct python *python, char *text, size_t size)
{
	if (!python->version || python->layout)
		return false;
	if (python->version == VERSION_NOT_SAID)
		snprintf(text, size, "before 3.11");
	else
		snprintf(text, size, "%u.%u%s", python->version >> 8,
			python->version & 0xff,
			python_layout_of(python->version) ? ", free-threaded" : "");
	return true;
}

void python_lacks(struct python *python)
{
	python->lacks = true;
}

bool python_owns(const struct python *python, const struct region *region)
{
	return region_is_of(region, &python->file);
}

void python_stack(const struct python *python, const struct snapshot *snapshot,
	struct python_stack *out)
{
	python_stack_read(python->layout, python->place, snapshot, out);
}

const struct python_code *python_find_code(struct python *python,
	const struct snapshot *snapshot, const struct python_frame *frame, uint32_t *line)
{
	return python_codes_find(python->codes, snapshot, frame, line);
}

bool python_is_lock(const struct python *python, uint64_t address)
{
	return python->gil && address - python->gil < GIL_BYTES;
}

bool python_is_cleanup(const struct python *python, const struct python_frame *frame,
	const struct python_code *code)
{
	enum {
		NO_FROZEN_CODE = 0x030d, /* among the interpreter's variables */
	};
	if (code)
		return strcmp(code->file, "__init__") == 0 &&
		       strcmp(code->name, "__init__") == 0;
	const struct region *region = address_space_region(python->space, frame->code);
	return python->version >= NO_FROZEN_CODE && region && python_owns(python, region);
}

/* --- the interpreter -------------------------------------------------------------------- */

enum variable {
	RUNTIME,
	CODE_TYPE,
	TEXT_TYPE,
	VERSION,
	VARIABLES
};

/* Builds without the lock of the interpreter have other structures: from 3.13 on it says so
   (struct _Py_DebugOffsets). */
static bool is_free_threaded(const struct python *python)
{
	struct {
		char cookie[8];
		uint64_t version, free_threaded;
	} offsets;
	if (python->version < 0x030d)
		return false;
	return address_space_read(python->space, python->runtime, &offsets,
		       sizeof(offsets)) != sizeof(offsets) ||
	       memcmp(offsets.cookie, "xdebugpy", sizeof(offsets.cookie)) != 0 ||
	       offsets.version >> 16 != python->version || offsets.free_threaded != 0;
}

/* Where do threads keep their state? False: it has not started, or nobody knows. */
static bool find_place(struct python *python)
{
	const struct python_layout *layout = python->layout;
	struct {
		int32_t is_made;
		uint32_t key;
	} tss = {.is_made = 1};
	if (layout->tss_key &&
		address_space_read(python->space, python->runtime + layout->tss_key, &tss,
			sizeof(tss)) != sizeof(tss))
		return false;
	return tss.is_made == 1 && python_state_place(layout, tss.key, &python->place);
}

static uint64_t word_at(const struct python *python, uint64_t address)
{
	uint64_t word = 0;
	if (address == 0 || address_space_read(python->space, address, &word,
				    sizeof(word)) != sizeof(word))
		return 0;
	return word;
}

static uint64_t find_lock(const struct python *python)
{
	const struct python_layout *layout = python->layout;
	if (!layout->interpreters)
		return python->runtime + layout->gil;
	uint64_t interpreter = word_at(python, python->runtime + layout->interpreters);
	return interpreter ? word_at(python, interpreter + layout->gil) : 0;
}

static void take_image(
	struct python *python, const struct elf_image *image, uint64_t bias)
{
	struct elf_variable variables[VARIABLES] = {
		[RUNTIME] = {.name = "_PyRuntime"},
		[CODE_TYPE] = {.name = "PyCode_Type"},
		[TEXT_TYPE] = {.name = "PyUnicode_Type"},
		[VERSION] = {.name = "Py_Version"},
	};
	uint64_t version = 0;
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[RUNTIME].vaddr || !variables[CODE_TYPE].vaddr ||
		!variables[TEXT_TYPE].vaddr)
		return;
	/* Since 3.11. */
	if (variables[VERSION].vaddr)
		address_space_read(python->space, variables[VERSION].vaddr + bias,
			&version, sizeof(version));
	python->version = version ? (unsigned)(version >> 16) : VERSION_NOT_SAID;
	python->runtime = variables[RUNTIME].vaddr + bias;
	python->memory.code_type = variables[CODE_TYPE].vaddr + bias;
	python->memory.text_type = variables[TEXT_TYPE].vaddr + bias;
	python->layout = python_layout_of(python->version);
	if (python->layout && is_free_threaded(python))
		python->layout = NULL;
	const struct region *region =
		address_space_region(python->space, python->memory.code_type);
	if (region)
		python->file = region_file(region);
}

/* Code that has not run yet is not looked at, but for a library that says what it is. */
static void meet_library(struct python *python)
{
	const struct region *region;
	uint64_t at = 0;
	for (; (region = address_space_region_from(python->space, at));
		at = region->limit)
		if ((region->permissions & REGION_EXECUTE) &&
			strstr(region->path, "/libpython3."))
			address_space_find(python->space, region->start);
}

static void look_for_it(struct python *python)
{
	const struct elf_image *image;
	uint64_t bias, code;
	if (!image_search_is_due(&python->search, python->space))
		return;
	meet_library(python);
	while (!python->version &&
		(image = image_search_next(&python->search, python->space, &bias, &code)))
		take_image(python, image, bias);
	if (python->layout && !python->codes)
		python->codes = python_codes_create(python->layout, &python->memory);
}

/* --- its memory ------------------------------------------------------------------------- */

/* Is the page at ADDRESS, of a private mapping of FILE at OFFSET, another one than the file's?
   Then it is anonymous memory, and reading it waits for no file. */
static bool is_page_copied(
	struct python *python, int file, uint64_t address, uint64_t offset)
{
	unsigned char now[RECIPE_BLOCK],
		then[RECIPE_BLOCK] = {0}; /* behind the file's end */
	if (address_space_read(python->space, address, now, sizeof(now)) != sizeof(now))
		return false;
	return pread(file, then, sizeof(then), (off_t)offset) >= 0 &&
	       memcmp(now, then, sizeof(now)) != 0;
}

/* The interpreter's own variables: the state of the first thread, constants of its modules. */
static void add_variables(
	struct python *python, struct recipe *recipe, const struct region *region)
{
	const struct region *code = NULL;
	uint64_t bias;
	for (uint64_t at = 0; (code = address_space_region_from(python->space, at));
		at = code->limit)
		if (python_owns(python, code) && (code->permissions & REGION_EXECUTE))
			break;
	code = code ? address_space_find(python->space, code->start) : NULL;
	struct elf_image *image =
		code ? address_space_image(python->space, code, &bias) : NULL;
	int file = image ? elf_image_dup(image) : -1;
	if (file < 0)
		return;
	for (uint64_t page = region->start; page < region->limit; page += RECIPE_BLOCK)
		if (is_page_copied(python, file, page,
			    region->file_offset + (page - region->start)))
			recipe_add_area(recipe, page, page + RECIPE_BLOCK);
	close(file);
}

static void add_areas(struct python *python, struct recipe *recipe)
{
	const unsigned both = REGION_READ | REGION_WRITE;
	const struct region *region;
	uint64_t at = 0;
	for (; (region = address_space_region_from(python->space, at));
		at = region->limit) {
		if ((region->permissions & both) != both)
			continue;
		if (region_is_anonymous(region))
			recipe_add_area(recipe, region->start, region->limit);
		else if (python_owns(python, region))
			add_variables(python, recipe, region);
	}
}

/* What is to be copied, if that is not what RECIPE says already. */
static bool make_recipe(struct python *python, bool is_first, struct recipe *recipe)
{
	struct recipe fresh = {.n_areas = 0};
	python_recipe(python->layout, python->place, &fresh);
	add_areas(python, &fresh);
	if (!is_first && fresh.n_areas == recipe->n_areas &&
		memcmp(fresh.areas, recipe->areas,
			fresh.n_areas * sizeof(*fresh.areas)) == 0)
		return false;
	*recipe = fresh;
	return true;
}

bool python_prepare(struct python *python, uint64_t now_ns, struct recipe *recipe)
{
	if (!python->version)
		look_for_it(python);
	if (!python->layout || now_ns - python->looked_ns < python->rest_ns)
		return false;
	python->looked_ns = now_ns;
	if (python->lacks)
		address_space_refresh(python->space);
	uint64_t changes = address_space_changes(python->space);
	if (changes == python->changes && !python->lacks)
		return false;
	bool is_first = !python->is_prepared;
	python->changes = changes;
	python->is_prepared = find_place(python);
	python->lacks = !python->is_prepared;
	python->gil = find_lock(python);
	if (python->is_prepared && make_recipe(python, is_first, recipe)) {
		python->rest_ns = LOOK_NS;
		return true;
	}
	python->rest_ns = python->rest_ns < REST_NS / 2 ? 2 * python->rest_ns : REST_NS;
	return false;
}
