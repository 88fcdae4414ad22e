/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/perl/perl.h"

#include "src/base/mem.h"
#include "src/read/runtimes/perl/perl-code.h"
#include "src/read/runtimes/perl/perl-layout.h"
#include "src/read/runtimes/perl/perl-stack.h"
#include "src/read/space/thread-record.h"

#include <stdio.h>
#include <stdlib.h>

struct perl {
	struct address_space *space;
	const struct perl_layout *layout; /* NULL: not known */
	unsigned version;
	bool has_threads;
	uint64_t key;  /* the address of PL_thr_key, */
	int32_t place; /* and where its value is in a thread */
	struct perl_codes *codes;
};

static void destroy(void *self)
{
	struct perl *perl = self;
	perl_codes_destroy(perl->codes);
	free(perl);
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct perl *perl = self;
	snprintf(version, size, "5.%u%s", perl->version,
		perl->has_threads ? "" : ", without threads");
	return perl->layout != NULL;
}

static uint8_t byte_at(struct address_space *space, uint64_t address)
{
	uint8_t byte = 0;
	address_space_read(space, address, &byte, sizeof(byte));
	return byte;
}

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	enum {
		REVISION,
		VERSION,
		KEY,
		VARIABLES
	};
	struct elf_variable variables[VARIABLES] = {
		[REVISION] = {.name = "PL_revision"},
		[VERSION] = {.name = "PL_version"},
		[KEY] = {.name = "PL_thr_key"},
	};
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[REVISION].vaddr || !variables[VERSION].vaddr ||
		byte_at(space, variables[REVISION].vaddr + bias) != 5)
		return NULL;
	struct perl *perl = mem_zalloc(sizeof(*perl));
	struct target_memory memory = address_space_memory(space);
	perl->space = space;
	perl->version = byte_at(space, variables[VERSION].vaddr + bias);
	perl->has_threads = variables[KEY].vaddr != 0;
	perl->key = variables[KEY].vaddr + bias;
	perl->layout = perl->has_threads ? perl_layout_of(perl->version) : NULL;
	if (perl->layout)
		perl->codes = perl_codes_create(perl->layout, &memory);
	return perl;
}

static bool recipe(void *self, struct recipe *recipe)
{
	struct perl *perl = self;
	uint32_t key;
	int32_t record;
	if (!thread_record_find(perl->space, &record) ||
		address_space_read(perl->space, perl->key, &key, sizeof(key)) !=
			sizeof(key) ||
		!perl_place(key, &perl->place))
		return false;
	perl->place += record;
	perl_recipe(perl->layout, perl->place, recipe);
	return true;
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	const struct perl *perl = self;
	(void)chain;
	perl_stack_read(perl->layout, perl->place, snapshot, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct perl *perl = self;
	uint64_t interpreter = 0;
	snapshot_read(snapshot, snapshot->second_thread + (uint64_t)(int64_t)perl->place,
		&interpreter, sizeof(interpreter));
	return perl_codes_find(perl->codes, snapshot, interpreter, frame, out);
}

const struct runtime perl_runtime = {
	.language = "Perl",
	.library = "/libperl.so",
	.destroy = destroy,
	.mark = "PL_revision",
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
	.loop = "Perl_runops_",
	.leaving =
		"Perl_pp_method", /* C that calls a method looks for that in the loop, too */
};
