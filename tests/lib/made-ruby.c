/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-ruby.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OBJECT_CLASS = 2,
	OBJECT_STRING = 5,
	OBJECT_ARRAY = 7,
	OBJECT_ISEQ = 0x701a,
	OBJECT_METHOD = 0x601a,
	ELSEWHERE = 1 << 13,
	EMBEDDED_ONE = 1 << 13 | 1 << 15,
	METHOD_LAST = 0x20,
	METHOD_FLAGS = 0x11110003,
	OUTERMOST_FLAGS = 0x79990023,
	CLASS_NAME = 0xf01, /* the number of the name under which a class has its own */
	CONTEXT_SLOT = 0x20,
};

#define GUARD UINT64_C(0x1f2e3d4c5b6a7988)

unsigned made_ruby_version = 0x0301;

void made_ruby_put(struct made_ruby *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

uint64_t made_ruby_word(const struct made_ruby *made, size_t at)
{
	uint64_t word;
	memcpy(&word, made->bytes + at, sizeof(word));
	return word;
}

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_ruby *made = context;
	uint64_t at = address - RUBY_MEMORY;
	if (at >= RUBY_BYTES)
		return 0;
	length = length < RUBY_BYTES - at ? length : RUBY_BYTES - at;
	memcpy(out, made->bytes + at, length);
	return length;
}

/* A short string is in its object. */
void made_ruby_put_text(struct made_ruby *made, size_t at, const char *text)
{
	const struct ruby_layout *layout = made->layout;
	uint64_t length = strlen(text);
	made_ruby_put(
		made, at, OBJECT_STRING | (layout->string_length ? 0 : length << 14));
	if (layout->string_length)
		made_ruby_put(made, at + layout->string_length, length);
	memcpy(made->bytes + at + layout->string_data, text, length);
}

/* A line as the bodies of code have it. */
static uint64_t line(const struct made_ruby *made, uint64_t number)
{
	return made->layout->has_plain_line ? number : 2 * number + 1;
}

size_t made_ruby_frame(const struct made_ruby *made, unsigned method)
{
	return RUBY_STACK_END - (made->methods + 1 - method) * made->layout->frame_bytes;
}

size_t made_ruby_env(unsigned method)
{
	return RUBY_ENVS + (RUBY_METHODS - method) * 0x40u;
}

size_t made_ruby_tag(unsigned call)
{
	return RUBY_TAGS + call * 0x100u;
}

/* The text of a label is elsewhere. */
static void put_label(struct made_ruby *made, unsigned i)
{
	size_t label = RUBY_LABELS + i * 0x40u, text = RUBY_TEXTS + i * 0x20u;
	int length = snprintf((char *)made->bytes + text, 0x20, "method%u", i);
	made_ruby_put(made, label, OBJECT_STRING | ELSEWHERE);
	made_ruby_put(made, label + 16, (uint64_t)length);
	made_ruby_put(made, label + 24, RUBY_MEMORY + text);
}

/* Each word of code has an entry of its own. */
static void put_lines(struct made_ruby *made, unsigned i)
{
	for (uint32_t word = 0; word < RUBY_WORDS; word++) {
		uint32_t line = 10 * (i + 1) + word;
		size_t group = RUBY_POSITIONS + i * 0x40u + word / 9 * 8u;
		memcpy(made->bytes + RUBY_TABLES + i * 0x100u +
				word * made->layout->line_bytes,
			&line, sizeof(line));
		made_ruby_put(made, group,
			made_ruby_word(made, group) | (uint64_t)(word + 1)
							      << word % 9 * 7);
	}
}

static void put_body(struct made_ruby *made, unsigned i)
{
	const struct ruby_layout *layout = made->layout;
	size_t body = RUBY_BODIES + i * 0x100u;
	uint32_t words = RUBY_WORDS;
	memcpy(made->bytes + body + layout->words, &words, sizeof(words));
	memcpy(made->bytes + body + layout->lines, &words, sizeof(words));
	made_ruby_put(made, body + layout->code, RUBY_MEMORY + RUBY_CODE + i * 0x100u);
	made_ruby_put(made, body + layout->path, RUBY_MEMORY + RUBY_PATH);
	made_ruby_put(
		made, body + layout->base_label, RUBY_MEMORY + RUBY_LABELS + i * 0x40u);
	made_ruby_put(made, body + layout->label, RUBY_MEMORY + RUBY_LABELS + i * 0x40u);
	made_ruby_put(made, body + layout->first_line, line(made, 10 * (i + 1)));
	made_ruby_put(made, body + layout->table, RUBY_MEMORY + RUBY_TABLES + i * 0x100u);
	made_ruby_put(
		made, body + layout->positions, RUBY_MEMORY + RUBY_POSITIONS + i * 0x40u);
	made_ruby_put(
		made, body + layout->local_iseq, RUBY_MEMORY + RUBY_ISEQS + i * 0x40u);
}

static void put_method(struct made_ruby *made, unsigned i)
{
	const struct ruby_layout *layout = made->layout;
	size_t iseq = RUBY_ISEQS + i * 0x40u, entry = RUBY_ENTRIES + i * 0x40u,
	       definition = RUBY_DEFINITIONS + i * 0x40u;
	made_ruby_put(made, iseq, OBJECT_ISEQ);
	made_ruby_put(made, iseq + layout->body, RUBY_MEMORY + RUBY_BODIES + i * 0x100u);
	made_ruby_put(made, entry, OBJECT_METHOD);
	made_ruby_put(made, entry + layout->defined_as, RUBY_MEMORY + definition);
	made_ruby_put(made, entry + layout->owner, RUBY_MEMORY + RUBY_CLASS);
	made_ruby_put(made, definition + layout->definition_iseq, RUBY_MEMORY + iseq);
	put_label(made, i);
	put_lines(made, i);
	put_body(made, i);
}

static void put_frame(struct made_ruby *made, unsigned i, bool is_last)
{
	const struct ruby_layout *layout = made->layout;
	size_t frame = made_ruby_frame(made, i), env = made_ruby_env(i);
	made_ruby_put(made, frame + layout->pc,
		RUBY_MEMORY + RUBY_CODE + i * 0x100u + 3 * sizeof(uint64_t));
	made_ruby_put(made, frame + layout->iseq, RUBY_MEMORY + RUBY_ISEQS + i * 0x40u);
	made_ruby_put(made, frame + layout->env, RUBY_MEMORY + env);
	made_ruby_put(made, env, METHOD_FLAGS | (is_last ? METHOD_LAST : 0));
	made_ruby_put(made, env - 16, RUBY_MEMORY + RUBY_ENTRIES + i * 0x40u);
	put_method(made, i);
}

/* As setjmp does. */
static uint64_t hide(const struct made_ruby *made, uint64_t address)
{
	uint64_t word = address ^ made->place.guard;
	return made->place.guard ? word << 17 | word >> 47 : address;
}

static void put_calls(struct made_ruby *made, const unsigned *calls)
{
	const struct ruby_layout *layout = made->layout;
	unsigned first = 0;
	for (unsigned call = 0; calls[call] > 0; call++)
		made->methods += calls[call];
	for (unsigned call = 0; calls[call] > 0; call++) {
		unsigned next = first + calls[call];
		size_t tag = made_ruby_tag(call);
		made_ruby_put(made, tag + made->place.tag_resume,
			hide(made, RUBY_MEMORY + RUBY_LOOP + 8));
		if (calls[call + 1])
			made_ruby_put(made, tag + made->place.tag_previous,
				RUBY_MEMORY + made_ruby_tag(call + 1));
		for (unsigned i = first; i < next; i++)
			put_frame(made, i, i + 1 == next);
		first = next;
	}
	size_t outermost = made_ruby_frame(made, made->methods), env = RUBY_ENVS + 0x800;
	made_ruby_put(made, outermost + layout->env, RUBY_MEMORY + env);
	made_ruby_put(made, env, OUTERMOST_FLAGS);
}

/* The class "Made", which has its name among its variables, or in its extension. */
static void put_class(struct made_ruby *made)
{
	const struct ruby_layout *layout = made->layout;
	enum {
		EXTENSION = RUBY_CLASS + 0x100,
		VARIABLES = RUBY_CLASS + 0x200,
		ENTRIES = RUBY_CLASS + 0x300,
		NAME = RUBY_CLASS + 0x400,
	};
	made_ruby_put(made, RUBY_CLASS, OBJECT_CLASS);
	made_ruby_put_text(made, NAME, "Made");
	if (layout->has_extension_inside) {
		made_ruby_put(made, RUBY_CLASS + layout->extension + layout->class_path,
			RUBY_MEMORY + NAME);
		return;
	}
	made_ruby_put(made, RUBY_CLASS + layout->extension, RUBY_MEMORY + EXTENSION);
	made_ruby_put(made, EXTENSION + layout->variables, RUBY_MEMORY + VARIABLES);
	made_ruby_put(made, VARIABLES + 40, 1);
	made_ruby_put(made, VARIABLES + 48, RUBY_MEMORY + ENTRIES);
	made_ruby_put(made, ENTRIES + 8, CLASS_NAME);
	made_ruby_put(made, ENTRIES + 16, RUBY_MEMORY + NAME);
}

/* An array of one array, of 128 elements: two for each number. */
static void put_names(struct made_ruby *made)
{
	enum {
		PART = RUBY_NAMES + 0x40,
		ELEMENTS = RUBY_NAMES + 0x100,
		TEXTS = RUBY_NAMES + 0x800,
	};
	const char *operators = "+-*/<";
	made_ruby_put(made, RUBY_NAMES, OBJECT_ARRAY | EMBEDDED_ONE);
	made_ruby_put(made, RUBY_NAMES + 16, RUBY_MEMORY + PART);
	made_ruby_put(made, PART, OBJECT_ARRAY);
	made_ruby_put(made, PART + 16, 128);
	made_ruby_put(made, PART + 32, RUBY_MEMORY + ELEMENTS);
	for (unsigned i = 0; operators[i]; i++) {
		char text[2] = {operators[i]};
		made_ruby_put_text(made, TEXTS + i * 0x40u, text);
		made_ruby_put(made, ELEMENTS + (size_t)operators[i] * 16,
			RUBY_MEMORY + TEXTS + i * 0x40u);
	}
}

void made_ruby_init(struct made_ruby *made, const unsigned *calls)
{
	const struct ruby_layout *layout = ruby_layout_of(made_ruby_version);
	*made = (struct made_ruby){.layout = layout,
		.place = {.context = CONTEXT_SLOT,
			.loop = RUBY_MEMORY + RUBY_LOOP,
			.loop_limit = RUBY_MEMORY + RUBY_LOOP + 0x100,
			.objspace = RUBY_MEMORY + RUBY_OBJSPACE,
			.ractor = RUBY_RACTOR - RUBY_OBJSPACE}};
	made->objects = (struct ruby_objects){.layout = layout,
		.memory = {read_made, made},
		.names = RUBY_MEMORY + RUBY_NAMES,
		.class_name = CLASS_NAME};
	made->snapshot = mem_zalloc(sizeof(*made->snapshot) + RUBY_BYTES);
	made->snapshot->second_thread = RUBY_MEMORY + RUBY_THREAD;
	bool is_hidden = made_ruby_version > 0x0301 && ARCH_POINTER_GUARD != 0;
	ruby_place_tags(&made->place, is_hidden ? GUARD : 0);
	put_calls(made, calls);
	made_ruby_put(made, RUBY_THREAD + CONTEXT_SLOT, RUBY_MEMORY + RUBY_CONTEXT);
	made_ruby_put(made, RUBY_CONTEXT + layout->stack, RUBY_MEMORY + RUBY_ENVS);
	made_ruby_put(made, RUBY_CONTEXT + layout->stack_words,
		(RUBY_STACK_END - RUBY_ENVS) / sizeof(uint64_t));
	made_ruby_put(made, RUBY_CONTEXT + layout->frame,
		RUBY_MEMORY + made_ruby_frame(made, 0));
	if (calls[0])
		made_ruby_put(
			made, RUBY_CONTEXT + layout->tag, RUBY_MEMORY + made_ruby_tag(0));
	made_ruby_put(made, RUBY_RACTOR + layout->running, RUBY_MEMORY + RUBY_CONTEXT);
	made_ruby_put(made, RUBY_OBJSPACE + layout->collections, 7);
	made_ruby_put_text(made, RUBY_PATH, "/made.rb");
	put_class(made);
	put_names(made);
	made_ruby_sample(made);
}

void made_ruby_finish(struct made_ruby *made)
{
	free(made->snapshot);
}

void made_ruby_sample(struct made_ruby *made)
{
	struct snapshot *snapshot = made->snapshot;
	snapshot->second_result = RECIPE_DONE;
	snapshot->second_at = 0;
	snapshot->second_blocks = RUBY_BLOCKS;
	for (uint32_t i = 0; i < RUBY_BLOCKS; i++)
		snapshot->second_addresses[i] = RUBY_MEMORY + i * RECIPE_BLOCK;
	memcpy(snapshot->stack, made->bytes, RUBY_BYTES);
}
