/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/python/python.h"

#include "src/base/mem.h"
#include "src/read/runtimes/python/python-code.h"
#include "src/read/runtimes/python/python-layout.h"
#include "src/read/runtimes/python/python-stack.h"
#include "src/read/space/thread-record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION_NOT_SAID = 0x0300,
	BASIC_SIZE_AT = 32,	 /* in a PyTypeObject: the bytes of an object */
	NO_FROZEN_CODE = 0x030d, /* among the interpreter's variables, since */
	/* struct _gil_runtime_state: two conditions with their mutexes, and before these: */
	GIL_BYTES = 224,
	GIL_HOLDER = 8, /* the PyThreadState that has it, or had it last */
	GIL_LOCKED = 16,
	PTHREAD_NUMBER =
		ARCH_THREAD_HEADER +
		16, /* in glibc's struct pthread: what the kernel calls the thread */
};

struct python {
	struct address_space *space;
	const struct python_layout *layout; /* NULL: not known */
	unsigned version;
	uint64_t runtime;	 /* _PyRuntime */
	uint64_t gil;		 /* 0: not known */
	int32_t place;		 /* of a thread's state, see python_state_place */
	struct region_file file; /* the interpreter's */
	struct python_memory memory;
	struct python_codes *codes;
};

static void destroy(void *self)
{
	struct python *python = self;
	python_codes_destroy(python->codes);
	free(python);
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct python *python = self;
	if (python->version == VERSION_NOT_SAID)
		snprintf(version, size, "before 3.7");
	else
		snprintf(version, size, "%u.%u%s", python->version >> 8,
			python->version & 0xff,
			python_layout_of(python->version) && !python->layout
				? ", free-threaded"
				: "");
	return python->layout != NULL;
}

static bool is_lock(const void *self, uint64_t address)
{
	const struct python *python = self;
	return python->gil && address - python->gil < GIL_BYTES;
}

static uint64_t word_at(const struct python *python, uint64_t address)
{
	return target_memory_word(&python->memory.target, address);
}

/* What the kernel calls the thread of STATE. Before 3.11 only the C library keeps that, beside the
   slot that leads to STATE: if it does, it is as it is known. */
static pid_t thread_of(const struct python *python, uint64_t state)
{
	const struct python_layout *layout = python->layout;
	if (layout->native_id)
		return (pid_t)word_at(python, state + layout->native_id);
	uint64_t thread = word_at(python, state + layout->thread_id);
	if (word_at(python, thread + (uint64_t)(int64_t)python->place) != state)
		return 0;
	return (pid_t)word_at(python, thread + PTHREAD_NUMBER);
}

static pid_t lock_owner(const void *self, uint64_t *lock)
{
	const struct python *python = self;
	uint64_t holder = word_at(python, python->gil + GIL_HOLDER);
	*lock = python->gil;
	bool is_held = holder && (uint32_t)word_at(python, python->gil + GIL_LOCKED) != 0;
	return is_held ? thread_of(python, holder) : 0;
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	const struct python *python = self;
	(void)chain;
	python_stack_read(python->layout, python->place, snapshot, out);
}

/* Is FRAME, whose function is CODE or NULL, the interpreter's own, which looks at what __init__ has
   returned (_Py_InitCleanup, since 3.12)? */
static bool is_cleanup(const struct python *python, const struct script_frame *frame,
	const struct python_code *code)
{
	if (code)
		return strcmp(code->file, "__init__") == 0 &&
		       strcmp(code->name, "__init__") == 0;
	const struct region *region =
		address_space_region(python->space, frame->function);
	return python->version >= NO_FROZEN_CODE && region &&
	       region_is_of(region, &python->file);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct python *python = self;
	uint32_t line = 0;
	const struct python_code *code =
		python_codes_find(python->codes, snapshot, frame, &line);
	if (is_cleanup(python, frame, code))
		return SCRIPT_HIDDEN;
	if (!code)
		return SCRIPT_GONE;
	*out = (struct script_function){
		.name = code->name,
		.file = code->file,
		.first_line = code->first_line,
		.line = line,
		.number = code->number,
	};
	return SCRIPT_NAMED;
}

/* --- the interpreter -------------------------------------------------------------------- */

enum variable {
	RUNTIME,
	CODE_TYPE,
	TEXT_TYPE,
	FRAME_TYPE,
	ALIAS_TYPE,
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

/* Up to 3.11 the lock of the interpreter lies before the key, with two mutexes of the C library's;
   the layouts have them as large as on x86-64. */
static uint64_t key_address(const struct python *python)
{
	const struct python_layout *layout = python->layout;
	uint64_t more = layout->interpreters ? 0 : 2 * (sizeof(pthread_mutex_t) - 40);
	return python->runtime + layout->tss_key + more;
}

/* Where do threads keep their state? False: it has not started, or nobody knows. */
static bool find_place(struct python *python)
{
	const struct python_layout *layout = python->layout;
	struct {
		int32_t is_made;
		uint32_t key;
	} tss = {.is_made = 1};
	if (layout->tss_key && address_space_read(python->space, key_address(python),
				       &tss, sizeof(tss)) != sizeof(tss))
		return false;
	int32_t record = 0;
	if (layout->tss_key && !thread_record_find(python->space, &record))
		return false;
	bool is_known =
		tss.is_made == 1 && python_state_place(layout, tss.key, &python->place);
	python->place += record;
	return is_known;
}

static uint64_t find_lock(const struct python *python)
{
	const struct python_layout *layout = python->layout;
	if (!layout->interpreters)
		return python->runtime + layout->gil;
	uint64_t interpreter = word_at(python, python->runtime + layout->interpreters);
	return interpreter ? word_at(python, interpreter + layout->gil) : 0;
}

static unsigned version_by_sizes(
	const struct python *python, const struct elf_variable *variables, uint64_t bias)
{
	uint64_t frame =
		word_at(python, variables[FRAME_TYPE].vaddr + bias + BASIC_SIZE_AT);
	uint64_t code =
		word_at(python, variables[CODE_TYPE].vaddr + bias + BASIC_SIZE_AT);
	unsigned version =
		python_version_by_sizes(frame, code, variables[ALIAS_TYPE].vaddr != 0);
	return version ? version : VERSION_NOT_SAID;
}

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct elf_variable variables[VARIABLES] = {
		[RUNTIME] = {.name = "_PyRuntime"},
		[CODE_TYPE] = {.name = "PyCode_Type"},
		[TEXT_TYPE] = {.name = "PyUnicode_Type"},
		[FRAME_TYPE] = {.name = "PyFrame_Type"},
		[ALIAS_TYPE] = {.name = "Py_GenericAliasType"},
		[VERSION] = {.name = "Py_Version"},
	};
	uint64_t version = 0;
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[RUNTIME].vaddr || !variables[CODE_TYPE].vaddr ||
		!variables[TEXT_TYPE].vaddr)
		return NULL;
	struct python *python = mem_zalloc(sizeof(*python));
	python->space = space;
	python->memory = (struct python_memory){.target = address_space_memory(space),
		.code_type = variables[CODE_TYPE].vaddr + bias,
		.text_type = variables[TEXT_TYPE].vaddr + bias};
	if (variables[VERSION].vaddr) /* since 3.11 */
		address_space_read(space, variables[VERSION].vaddr + bias, &version,
			sizeof(version));
	python->version = version ? (unsigned)(version >> 16)
				  : version_by_sizes(python, variables, bias);
	python->runtime = variables[RUNTIME].vaddr + bias;
	python->layout = python_layout_of(python->version);
	if (python->layout && is_free_threaded(python))
		python->layout = NULL;
	const struct region *region =
		address_space_region(space, python->memory.code_type);
	if (region)
		python->file = region_file(region);
	if (python->layout)
		python->codes = python_codes_create(python->layout, &python->memory);
	return python;
}

static bool recipe(void *self, struct recipe *recipe)
{
	struct python *python = self;
	python->gil = find_lock(python);
	if (!find_place(python))
		return false;
	python_recipe(python->layout, python->place, recipe);
	recipe->n_known = (uint32_t)python_codes_settled(
		python->codes, recipe->known, RECIPE_KNOWN);
	return true;
}

const struct runtime python_runtime = {
	.language = "Python",
	.lock = "GIL",
	.library = "/libpython3.",
	.destroy = destroy,
	.mark = "_PyRuntime",
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
	.loop = "_PyEval_EvalFrameDefault", /* or its .cold */
	.leaving = "_Py_CheckFunctionResult",
	.is_lock = is_lock,
	.lock_owner = lock_owner,
};
