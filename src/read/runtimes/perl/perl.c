/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/perl/perl.h"

#include "src/base/mem.h"
#include "src/read/runtimes/perl/perl-code.h"
#include "src/read/runtimes/perl/perl-layout.h"
#include "src/read/runtimes/perl/perl-stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct perl {
	struct address_space *space;
	const struct perl_layout *layout; /* NULL: not known */
	unsigned version;
	bool has_threads;
	uint64_t key;  /* the address of PL_thr_key, */
	int32_t place; /* and where its value is in a thread */
	struct target_memory memory;
	struct perl_codes *codes;
};

static void *create(struct address_space *space)
{
	struct perl *perl = mem_zalloc(sizeof(*perl));
	perl->space = space;
	perl->memory = address_space_memory(space);
	return perl;
}

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

static uint8_t byte_at(const struct perl *perl, uint64_t address)
{
	uint8_t byte = 0;
	address_space_read(perl->space, address, &byte, sizeof(byte));
	return byte;
}

static bool meet(void *self, struct elf_image *image, uint64_t bias)
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
	struct perl *perl = self;
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[REVISION].vaddr || !variables[VERSION].vaddr ||
		byte_at(perl, variables[REVISION].vaddr + bias) != 5)
		return false;
	perl->version = byte_at(perl, variables[VERSION].vaddr + bias);
	perl->has_threads = variables[KEY].vaddr != 0;
	perl->key = variables[KEY].vaddr + bias;
	perl->layout = perl->has_threads ? perl_layout_of(perl->version) : NULL;
	if (perl->layout)
		perl->codes = perl_codes_create(perl->layout, &perl->memory);
	return true;
}

static bool recipe(void *self, struct recipe *recipe)
{
	struct perl *perl = self;
	uint32_t key;
	if (address_space_read(perl->space, perl->key, &key, sizeof(key)) !=
			sizeof(key) ||
		!perl_place(key, &perl->place))
		return false;
	perl_recipe(perl->layout, perl->place, recipe);
	return true;
}

static void frames(
	const void *self, const struct snapshot *snapshot, struct script_stack *out)
{
	const struct perl *perl = self;
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

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* C that calls a method looks for that in the loop, too. */
static enum script_code runs(const void *self, uint64_t address)
{
	const struct perl *perl = self;
	uint64_t bias;
	const struct region *region = address_space_find(perl->space, address);
	struct elf_image *image =
		region ? address_space_image(perl->space, region, &bias) : NULL;
	const struct elf_symbol *symbol =
		image ? elf_image_symbol(image, address - bias) : NULL;
	if (!symbol)
		return SCRIPT_OTHER;
	if (begins_with(symbol->name, "Perl_runops_"))
		return SCRIPT_LOOP;
	return begins_with(symbol->name, "Perl_pp_method") ? SCRIPT_LEAVING
							   : SCRIPT_OTHER;
}

const struct runtime perl_runtime = {
	.language = "Perl",
	.library = "/libperl.so",
	.create = create,
	.destroy = destroy,
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
	.runs = runs,
};
