/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby.h"

#include "src/base/mem.h"
#include "src/read/runtimes/ruby/ruby-code.h"
#include "src/read/runtimes/ruby/ruby-layout.h"
#include "src/read/runtimes/ruby/ruby-objects.h"
#include "src/read/runtimes/ruby/ruby-search.h"
#include "src/read/runtimes/ruby/ruby-stack.h"
#include "src/read/space/thread-record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION_BYTES = 16,
	MODULES_MAX = 1024,	 /* with thread-local storage */
	VARIABLES_MAX = 1 << 20, /* bytes */
	OWN_STORAGE_MAX = 64,	 /* bytes that each thread has of the library */
	STATIC_MAX = 64 << 10, /* how far below the thread pointer such storage begins */
	/* glibc: dtv_t, and the words of a condition that a thread may wait on */
	VECTOR_BYTES = 16,
	CONDITION_WORD = 0x28,
	CONDITION_LIMIT = 0x30,
};

struct ruby {
	struct address_space *space;
	const struct ruby_layout *layout; /* NULL: not known */
	char version[VERSION_BYTES];	  /* "3.1.2" */
	struct region_file file;	  /* libruby's, or the program's */
	uint64_t machine, object; /* the addresses of ruby_current_vm_ptr, rb_cObject */
	uint64_t single;      /* the address of ruby_single_main_ractor; 0: not known */
	uint64_t module_slot; /* 0: module 1, or: */
	uint64_t descriptor;
	/* Where the context is in its thread-local storage: from there on, below that. */
	uint32_t context, context_limit;
	bool has_context;
	struct ruby_place place;
	struct ruby_objects objects;
	struct ruby_codes *codes;
};

static void destroy(void *self)
{
	struct ruby *ruby = self;
	ruby_codes_destroy(ruby->codes);
	free(ruby);
}

/* --- which one it is -------------------------------------------------------------------- */

enum variable {
	VERSION,
	MACHINE,
	OBJECT,
	LOOP,
	SINGLE,
	COLLECTS,
	VARIABLES
};

static unsigned number_of(const char *version)
{
	unsigned major, minor;
	return sscanf(version, "%3u.%3u.", &major, &minor) == 2 ? major << 8 | minor : 0;
}

/* Up to 3.1 what is looked for has names that other files may use. */
static bool find_by_names(struct ruby *ruby, struct elf_image *image, uint64_t bias,
	const struct elf_variable variables[VARIABLES])
{
	struct elf_tls tls;
	uint64_t size, start;
	if (!variables[MACHINE].vaddr || !variables[LOOP].vaddr ||
		!variables[SINGLE].vaddr ||
		!elf_image_find_tls(image, "ruby_current_ec", &tls) ||
		!elf_image_fde_range(image, variables[LOOP].vaddr, &start, &size))
		return false;
	ruby->machine = variables[MACHINE].vaddr + bias;
	ruby->module_slot = tls.module_slot ? tls.module_slot + bias : 0;
	ruby->descriptor = tls.descriptor ? tls.descriptor + bias : 0;
	ruby->single = variables[SINGLE].vaddr + bias;
	ruby->context = (uint32_t)tls.offset;
	ruby->context_limit = ruby->context + 1;
	ruby_place_tags(&ruby->place, 0);
	ruby->place.loop = start + bias;
	ruby->place.loop_limit = start + size + bias;
	return true;
}

/* From 3.3 on such names are the library's own, and no stripped one has them. */
static bool find_by_code(struct ruby *ruby, const struct elf_image *image, uint64_t bias,
	const struct elf_variable variables[VARIABLES])
{
	uint64_t slot = elf_image_tls_module(image), collects = variables[COLLECTS].vaddr;
	ruby->machine =
		collects ? ruby_search_machine(&ruby->objects.memory, collects + bias)
			 : 0;
	ruby->module_slot = slot ? slot + bias : 0;
	ruby->context_limit = OWN_STORAGE_MAX;
	return ruby->machine != 0;
}

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct elf_variable variables[VARIABLES] = {
		[VERSION] = {.name = "ruby_version"},
		[MACHINE] = {.name = "ruby_current_vm_ptr"},
		[OBJECT] = {.name = "rb_cObject"},
		[LOOP] = {.name = "rb_vm_exec"},
		[SINGLE] = {.name = "ruby_single_main_ractor"},
		[COLLECTS] = {.name = "rb_during_gc"},
	};
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[VERSION].vaddr || !variables[OBJECT].vaddr)
		return NULL;
	struct ruby *ruby = mem_zalloc(sizeof(*ruby));
	ruby->space = space;
	ruby->objects = (struct ruby_objects){.memory = address_space_memory(space)};
	address_space_read(ruby->space, variables[VERSION].vaddr + bias, ruby->version,
		VERSION_BYTES - 1);
	ruby->layout = ruby_layout_of(number_of(ruby->version));
	if (!ruby->layout ||
		!(ruby->layout->main_ractor
				? find_by_code(ruby, image, bias, variables)
				: find_by_names(ruby, image, bias, variables))) {
		ruby->layout = NULL;
		return ruby;
	}
	ruby->object = variables[OBJECT].vaddr + bias;
	ruby->objects.layout = ruby->layout;
	ruby->codes = ruby_codes_create(&ruby->objects, &ruby->place);
	const struct region *region =
		address_space_region(ruby->space, variables[VERSION].vaddr + bias);
	if (region)
		ruby->file = region_file(region);
	return ruby;
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct ruby *ruby = self;
	snprintf(version, size, "%s", ruby->version);
	return ruby->layout != NULL;
}

/* --- what is to be copied --------------------------------------------------------------- */

static uint64_t word_at(const struct ruby *ruby, uint64_t address)
{
	return target_memory_word(&ruby->objects.memory, address);
}

/* The only ractor; 0: there is none, or there are several. */
static uint64_t find_ractor(const struct ruby *ruby)
{
	const struct ruby_layout *layout = ruby->layout;
	if (ruby->single)
		return word_at(ruby, ruby->single);
	uint64_t machine = word_at(ruby, ruby->machine);
	bool is_single =
		machine && (uint32_t)word_at(ruby, machine + layout->ractors) == 1;
	return is_single ? word_at(ruby, machine + layout->main_ractor) : 0;
}

/* Among the variables in REGION. */
static void find_names_in(struct ruby *ruby, const struct region *region)
{
	uint64_t word, bytes = region->limit - region->start;
	for (uint64_t at = 0; at < bytes && at < VARIABLES_MAX; at += sizeof(word)) {
		word = word_at(ruby, region->start + at);
		if (word % sizeof(word) == 0 && word >= VARIABLES_MAX &&
			ruby_objects_are_names(&ruby->objects, word)) {
			ruby->objects.names = word;
			return;
		}
	}
}

/* The variables of a file are in its last region, and in anonymous memory behind that. */
static void find_names(struct ruby *ruby)
{
	const unsigned both = REGION_READ | REGION_WRITE;
	const struct region *region;
	uint64_t file_limit = 0;
	for (uint64_t at = 0; !ruby->objects.names &&
			      (region = address_space_region_from(ruby->space, at));
		at = region->limit) {
		bool is_files = region_is_of(region, &ruby->file);
		if (is_files)
			file_limit = region->limit;
		if ((is_files || region->start == file_limit) &&
			(region->permissions & both) == both)
			find_names_in(ruby, region);
	}
	if (!ruby->objects.class_name)
		ruby_objects_learn(&ruby->objects, word_at(ruby, ruby->object));
}

/* The same offset from the thread pointer in each thread. */
static bool find_described(struct ruby *ruby, uint64_t pointer, uint64_t context)
{
	uint64_t offset = word_at(ruby, ruby->descriptor + sizeof(offset));
	ruby->place.module = 0;
	ruby->place.context = (int32_t)offset;
	return offset < STATIC_MAX && word_at(ruby, pointer + offset) == context;
}

static bool find_in_module(struct ruby *ruby, uint64_t pointer, uint64_t context)
{
	uint64_t module = ruby->module_slot ? word_at(ruby, ruby->module_slot) : 1;
	if (module > MODULES_MAX)
		return false;
	uint64_t part = word_at(
		ruby, word_at(ruby, pointer + ARCH_TLS_VECTOR) + VECTOR_BYTES * module);
	uint32_t offset = ruby->context;
	while (part != 0 && offset < ruby->context_limit &&
		word_at(ruby, part + offset) != context)
		offset += sizeof(context);
	if (part == 0 || offset >= ruby->context_limit)
		return false;
	bool is_near = pointer - part < STATIC_MAX;
	ruby->place.module = is_near ? 0 : (uint32_t)module;
	ruby->place.context = (int32_t)(is_near ? part + offset - pointer : offset);
	return true;
}

/* What the kernel knows the thread at THREAD by; 0: there is none. */
static uint64_t native_of(const struct ruby *ruby, uint64_t thread)
{
	const struct ruby_layout *layout = ruby->layout;
	return thread && layout->native ? word_at(ruby, thread + layout->native) : thread;
}

/* Where threads have their execution context, as the one that has the lock says: it is found there
   by its thread pointer. Memory that each thread has from its beginning is as far from there in
   each. */
static bool find_context(struct ruby *ruby, uint64_t ractor)
{
	const struct ruby_layout *layout = ruby->layout;
	uint64_t context = word_at(ruby, ractor + layout->running);
	uint64_t thread = word_at(ruby, context + layout->thread);
	uint64_t native = native_of(ruby, thread);
	uint64_t record = native ? word_at(ruby, native + layout->thread_pointer) : 0;
	int32_t place;
	if (context == 0 || record == 0 ||
		word_at(ruby, thread + layout->thread_ractor) != ractor ||
		!thread_record_find(ruby->space, &place) ||
		(!ARCH_THREAD_RECORD_ENDS && word_at(ruby, record) != record))
		return false;
	uint64_t pointer = record - (uint64_t)(int64_t)place;
	if (ruby->place.loop_limit == 0 &&
		!ruby_search_loop(ruby->space, layout, context, pointer, &ruby->place))
		return false;
	return ruby->descriptor ? find_described(ruby, pointer, context)
				: find_in_module(ruby, pointer, context);
}

/* The heap. One register of the recipe leads to it and to the ractor. */
static void find_heap(struct ruby *ruby, uint64_t ractor)
{
	uint64_t machine = word_at(ruby, ruby->machine);
	uint64_t heap = machine ? word_at(ruby, machine + ruby->layout->objspace) : 0;
	int64_t distance = (int64_t)(ractor - heap);
	bool is_near = distance > INT32_MIN / 2 && distance < INT32_MAX / 2;
	ruby->place.objspace = is_near ? heap : 0;
	ruby->place.ractor = is_near ? (int32_t)distance : 0;
}

static bool recipe(void *self, struct recipe *recipe)
{
	struct ruby *ruby = self;
	uint64_t ractor = find_ractor(ruby);
	if (ractor != 0 && find_context(ruby, ractor)) {
		ruby->has_context = true;
		find_heap(ruby, ractor);
		find_names(ruby);
	}
	if (ruby->has_context)
		ruby_recipe(ruby->layout, &ruby->place, recipe);
	return ruby->has_context;
}

/* A thread waits on a condition of its own. */
static bool is_lock(const void *self, uint64_t address)
{
	const struct ruby *ruby = self;
	const struct ruby_layout *layout = ruby->layout;
	uint64_t ractor = find_ractor(ruby);
	for (uint64_t word = CONDITION_WORD; word < CONDITION_LIMIT; word += 4) {
		uint64_t native = address - word - layout->condition;
		uint64_t thread = layout->native
					  ? word_at(ruby, native + layout->native_thread)
					  : native;
		if (native_of(ruby, thread) != native)
			continue;
		if (ractor && word_at(ruby, thread + layout->thread_ractor) == ractor)
			return word_at(ruby, thread + layout->waits) !=
			       thread + layout->waits;
	}
	return false;
}

static pid_t lock_owner(const void *self, uint64_t *lock)
{
	const struct ruby *ruby = self;
	const struct ruby_layout *layout = ruby->layout;
	uint64_t ractor = find_ractor(ruby);
	uint64_t thread = ractor ? word_at(ruby, ractor + layout->lock) : 0;
	*lock = ractor + layout->lock;
	if (thread == 0 || word_at(ruby, thread + layout->thread_ractor) != ractor)
		return 0;
	uint64_t native = native_of(ruby, thread);
	return native ? (pid_t)word_at(ruby, native + layout->native_id) : 0;
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	const struct ruby *ruby = self;
	(void)chain;
	ruby_stack_read(ruby->layout, &ruby->place, snapshot, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct ruby *ruby = self;
	return ruby_codes_find(ruby->codes, snapshot, frame, out);
}

const struct runtime ruby_runtime = {
	.language = "Ruby",
	.lock = "GVL",
	.library = "/libruby",
	.program = "/bin/ruby",
	.destroy = destroy,
	.mark = "ruby_version",
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
	.has_compiler = true,
	.is_lock = is_lock,
	.lock_owner = lock_owner,
};
