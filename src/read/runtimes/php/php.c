/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/php/php.h"

#include "src/base/mem.h"
#include "src/read/runtimes/php/php-functions.h"
#include "src/read/runtimes/php/php-layout.h"
#include "src/read/runtimes/php/php-stack.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	TEXTS_MAX = 32 << 20, /* bytes of constants of the interpreter's file */
};

struct php {
	const struct php_layout *layout; /* NULL: not known */
	uint32_t api;
	bool is_other;	  /* built with threads, or for debugging */
	uint64_t globals; /* executor_globals */
	struct php_functions *functions;
};

static bool is_shared(void *context, uint64_t address)
{
	const struct region *region = address_space_region(context, address);
	return region && region_is_shared_memory(region);
}

static void destroy(void *self)
{
	struct php *php = self;
	php_functions_destroy(php->functions);
	free(php);
}

enum variable {
	GLOBALS,
	GLOBALS_OFFSET, /* in builds with threads */
	EXECUTE,
	VARIABLES
};

static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct target_memory memory = address_space_memory(space);
	struct elf_variable variables[VARIABLES] = {
		[GLOBALS] = {.name = "executor_globals"},
		[GLOBALS_OFFSET] = {.name = "executor_globals_offset"},
		[EXECUTE] = {.name = "zend_execute_ex"},
	};
	size_t length = 0;
	elf_image_find_variables(image, variables, VARIABLES);
	if (!variables[EXECUTE].vaddr ||
		(!variables[GLOBALS].vaddr && !variables[GLOBALS_OFFSET].vaddr))
		return NULL;
	struct php *php = mem_zalloc(sizeof(*php));
	unsigned char *texts = elf_image_section(image, ".rodata", TEXTS_MAX, &length);
	php->api = texts ? php_api_in(texts, length, &php->is_other) : 0;
	free(texts);
	php->globals = variables[GLOBALS].vaddr + bias;
	php->is_other |= !variables[GLOBALS].vaddr;
	php->layout = php->is_other ? NULL : php_layout_of(php->api);
	if (php->layout)
		php->functions = php_functions_create(php->layout, &memory, is_shared);
	return php;
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct php *php = self;
	const struct php_layout *layout = php_layout_of(php->api);
	if (layout)
		snprintf(version, size, "%s%s", layout->name,
			php->is_other ? ", with threads or for debugging" : "");
	else if (php->api)
		snprintf(version, size, "of API %u", php->api);
	else
		snprintf(version, size, "that does not say its version");
	return php->layout != NULL;
}

static bool recipe(void *self, struct recipe *recipe)
{
	struct php *php = self;
	php_recipe(php->layout, php->globals, recipe);
	recipe->n_known = (uint32_t)php_functions_settled(
		php->functions, recipe->known, RECIPE_KNOWN);
	return true;
}

static void frames(const void *self, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	const struct php *php = self;
	(void)chain;
	php_stack_read(php->layout, php->globals, php->functions, snapshot, out);
}

static enum script_kind name(void *self, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct php *php = self;
	return frame->function != 0 &&
			       php_functions_find(php->functions, snapshot, frame, out)
		       ? SCRIPT_NAMED
		       : SCRIPT_GONE;
}

static uint64_t place_now(
	const void *self, const struct frame *call, const struct script_frame *frame)
{
	(void)self;
	return php_place_now(call, frame);
}

const struct runtime php_runtime = {
	.language = "PHP",
	.library = "/libphp",
	.destroy = destroy,
	.mark = "zend_execute_ex",
	.meet = meet,
	.is_known = is_known,
	.recipe = recipe,
	.frames = frames,
	.name = name,
	.place_now = place_now,
	.has_compiler = true,
	.loop = "execute_ex", /* or its .cold */
};
