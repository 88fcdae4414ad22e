/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-php.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void made_php_put(struct made_php *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

static void put_text(struct made_php *made, size_t at, const char *text)
{
	made_php_put(made, at, UINT64_C(6) << 32 | 1);
	made_php_put(made, at + PHP_STRING_LENGTH, strlen(text));
	memcpy(made->bytes + at + PHP_STRING_BYTES, text, strlen(text));
}

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_php *made = context;
	uint64_t at = address - PHP_MEMORY;
	if (at >= MADE_BYTES || length > MADE_BYTES - at)
		return 0;
	memcpy(out, made->bytes + at, length);
	return length;
}

static bool is_shared(void *context, uint64_t address)
{
	const struct made_php *made = context;
	return address >= PHP_MEMORY + made->shared_from;
}

void made_php_sample(struct made_php *made)
{
	memcpy(made->snapshot->stack, made->bytes, MADE_BYTES);
}

size_t made_php_frame(unsigned i)
{
	return MADE_STACK + 0x20 + i * 0x100u;
}

size_t made_php_function(unsigned i)
{
	return MADE_FUNCTIONS + i * 0x100u;
}

static void put_function(struct made_php *made, unsigned i, const char *name)
{
	const struct php_layout *layout = made->layout;
	bool is_internal = i == 1;
	size_t at = made_php_function(i), ops = MADE_OPS + i * 0x200u;
	made_php_put(made, at, is_internal ? PHP_INTERNAL : PHP_USER);
	made_php_put(made, at + PHP_FUNCTION_NAME,
		name ? PHP_MEMORY + MADE_NAMES + i * 0x80u : 0);
	if (name)
		put_text(made, MADE_NAMES + i * 0x80u, name);
	if (is_internal)
		return;
	uint32_t last = 8, line = 10 * (i + 1);
	memcpy(made->bytes + at + layout->last, &last, sizeof(last));
	made_php_put(made, at + layout->opcodes, PHP_MEMORY + ops);
	made_php_put(made, at + layout->file, PHP_MEMORY + MADE_FILE_NAME);
	memcpy(made->bytes + at + layout->first_line, &line, sizeof(line));
	for (uint32_t k = 0; k < last; k++)
		made_php_put(made, ops + k * PHP_OP_BYTES + PHP_OP_LINE, line + k);
}

/* Each function is at its third instruction. */
static void put_frame(struct made_php *made, unsigned i, bool is_top)
{
	size_t at = made_php_frame(i);
	made_php_put(made, at + PHP_FRAME_OPLINE,
		PHP_MEMORY + MADE_OPS + i * 0x200u + 2 * PHP_OP_BYTES);
	made_php_put(made, at + PHP_FRAME_FUNCTION, PHP_MEMORY + made_php_function(i));
	made_php_put(made, at + PHP_FRAME_INFO, is_top ? PHP_INFO_TOP : 0);
	made_php_put(made, at + PHP_FRAME_PREVIOUS,
		i > 0 ? PHP_MEMORY + made_php_frame(i - 1) : 0);
}

void made_php_init(struct made_php *made, uint32_t api)
{
	static const char *const names[MADE_FRAMES] = {NULL, "usort", "compare", "inner"};
	*made = (struct made_php){
		.layout = php_layout_of(api), .shared_from = MADE_BYTES};
	size_t globals = MADE_GLOBALS + made->layout->stack;
	made_php_put(
		made, globals + PHP_TOP_AT, PHP_MEMORY + made_php_frame(MADE_FRAMES));
	made_php_put(made, globals + PHP_LIMIT_AT, PHP_MEMORY + MADE_STACK + 0x1000);
	made_php_put(made, globals + PHP_START_AT, PHP_MEMORY + MADE_STACK);
	made_php_put(made, globals + PHP_CURRENT_AT,
		PHP_MEMORY + made_php_frame(MADE_FRAMES - 1));
	put_text(made, MADE_FILE_NAME, "/srv/file.php");
	for (unsigned i = 0; i < MADE_FRAMES; i++) {
		put_function(made, i, names[i]);
		put_frame(made, i, i == 0 || i == 2);
	}
	made->snapshot = mem_zalloc(sizeof(*made->snapshot) + MADE_BYTES);
	made->snapshot->second_result = RECIPE_DONE;
	made->snapshot->second_blocks = MADE_BLOCKS;
	for (unsigned i = 0; i < MADE_BLOCKS; i++)
		made->snapshot->second_addresses[i] = PHP_MEMORY + i * RECIPE_BLOCK;
	made->functions = php_functions_create(
		made->layout, &(struct target_memory){read_made, made}, is_shared);
	made_php_sample(made);
}

void made_php_finish(struct made_php *made)
{
	php_functions_destroy(made->functions);
	free(made->snapshot);
}

void made_php_stack(const struct made_php *made, struct script_stack *out)
{
	php_stack_read(made->layout, PHP_MEMORY + MADE_GLOBALS, made->functions,
		made->snapshot, out);
}
