/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-python.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TSS_KEY = 1,
	/* PyASCIIObject and PyBytesObject */
	TYPE = 8,
	LENGTH = 16,
	STATE = 32,
	BYTES = 32,
	SHIM_IN_CALL = 64, /* behind the _PyCFrame of 3.12 */
	OWNER_FUNCTION = 0,
	OWNER_INTERPRETER = 3,
	ROOT = 0x180, /* in the PyThreadState: the outermost _PyCFrame, or frame */
};

void made_python_put(struct made_python *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

uint64_t made_python_word(const struct made_python *made, size_t at)
{
	uint64_t word;
	memcpy(&word, made->bytes + at, sizeof(word));
	return word;
}

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made_python *made = context;
	uint64_t at = address - MADE_MEMORY;
	if (at >= MADE_BYTES)
		return 0;
	length = length < MADE_BYTES - at ? length : MADE_BYTES - at;
	memcpy(out, made->bytes + at, length);
	return length;
}

void made_python_put_text(struct made_python *made, size_t at, const void *units,
	size_t length, size_t unit_bytes, bool is_ascii)
{
	const struct python_layout *layout = made->layout;
	uint32_t state = (uint32_t)(unit_bytes << 2 | 1 << 5 | is_ascii << 6);
	made_python_put(made, at, 1);
	made_python_put(made, at + TYPE, MADE_MEMORY + MADE_TEXT_TYPE);
	made_python_put(made, at + LENGTH, length);
	memcpy(made->bytes + at + STATE, &state, sizeof(state));
	memcpy(made->bytes + at + (is_ascii ? layout->text_ascii : layout->text_compact),
		units, length * unit_bytes);
}

/* Each instruction is one unit, on the next line. */
static void put_line(struct made_python *made, size_t at, bool is_first)
{
	enum {
		WITHOUT_COLUMNS = 0x80 | 13 << 3,
	};
	switch (made->layout->lines_kind) {
	case PYTHON_PLACES:
		made->bytes[at] = WITHOUT_COLUMNS;
		made->bytes[at + 1] = is_first ? 0 : 1 << 1;
		break;
	case PYTHON_RANGES:
		made->bytes[at] = 2;
		made->bytes[at + 1] = !is_first;
		break;
	case PYTHON_LNOTAB:
		made->bytes[at] = is_first ? 0 : 2;
		made->bytes[at + 1] = !is_first;
		break;
	}
}

static void put_code(struct made_python *made, unsigned i)
{
	const struct python_layout *layout = made->layout;
	size_t code = MADE_CODES + i * 0x200u, name = MADE_NAMES + i * 0x100u,
	       table = MADE_TABLES + i * 0x100u;
	uint32_t first_line = 10 * (i + 1);
	char text[32];
	int length = snprintf(text, sizeof(text), "function%u", i);
	made_python_put(made, code, 1);
	made_python_put(made, code + TYPE, MADE_MEMORY + MADE_CODE_TYPE);
	memcpy(made->bytes + code + layout->first_line, &first_line, sizeof(first_line));
	made_python_put(made, code + layout->file, MADE_MEMORY + MADE_FILE);
	made_python_put(made, code + layout->name, MADE_MEMORY + name);
	made_python_put(made, code + layout->lines, MADE_MEMORY + table);
	made_python_put_text(made, name, text, (size_t)length, 1, true);
	made_python_put(made, table + LENGTH, MADE_INSTRUCTIONS * 2);
	for (unsigned unit = 0; unit < MADE_INSTRUCTIONS; unit++)
		put_line(made, table + BYTES + unit * 2u, unit == 0);
}

/* Function I, which was called by the frame at PREVIOUS, is at its third instruction. */
static void put_frame(
	struct made_python *made, unsigned i, uint64_t previous, bool is_entry)
{
	const struct python_layout *layout = made->layout;
	size_t frame = MADE_FRAMES + (MADE_FUNCTIONS - 1 - i) * 0x100u,
	       code = MADE_CODES + i * 0x200u;
	uint64_t tag = layout->version >= 0x030e;
	made_python_put(made, frame + layout->previous, previous);
	made_python_put(made, frame + layout->code, (MADE_MEMORY + code) | tag);
	if (layout->number_bytes) {
		made_python_put(
			made, frame + layout->instruction, 4 / layout->number_bytes);
	} else {
		made_python_put(made, frame + layout->instruction,
			MADE_MEMORY + code + layout->instructions + 4);
		made->bytes[frame + layout->owner] = OWNER_FUNCTION;
	}
	if (layout->entry)
		made->bytes[frame + layout->entry] = is_entry;
	put_code(made, i);
}

static uint64_t frame_of(unsigned function)
{
	return MADE_MEMORY + MADE_FRAMES + (MADE_FUNCTIONS - 1 - function) * 0x100u;
}

static bool has_shims(const struct made_python *made)
{
	return made->layout->entry == 0 && made->layout->number_bytes == 0;
}

static size_t call_at(unsigned call)
{
	return MADE_CALLS + call * 0x400u;
}

static size_t shim_at(const struct made_python *made, unsigned call)
{
	return call_at(call) + (made->layout->has_cframes ? SHIM_IN_CALL : 0);
}

uint64_t made_python_mark(const struct made_python *made, unsigned call)
{
	return MADE_MEMORY + (has_shims(made) ? shim_at(made, call) : call_at(call));
}

/* Since 3.15 the outermost frame is one of the interpreter's own. */
static bool has_base(const struct made_python *made)
{
	return made->layout->tss_key == 0;
}

/* The call's own structures. FIRST is the function that runs; the frame OUTER has called it. */
static void put_call(struct made_python *made, unsigned call, bool is_last,
	unsigned first, uint64_t outer)
{
	const struct python_layout *layout = made->layout;
	size_t root = MADE_STATE + ROOT, cframe = call_at(call);
	if (has_shims(made)) {
		size_t shim = shim_at(made, call);
		made_python_put(made, shim + layout->previous, outer);
		made->bytes[shim + layout->owner] = OWNER_INTERPRETER;
	}
	if (!layout->has_cframes)
		return;
	made_python_put(made, cframe + layout->cframe_frame, frame_of(first));
	made_python_put(made, cframe + layout->cframe_previous,
		MADE_MEMORY + (is_last ? root : call_at(call + 1)));
}

static void put_calls(struct made_python *made, const unsigned *calls)
{
	for (unsigned call = 0; calls[call] > 0; call++) {
		unsigned first = made->functions, next = first + calls[call];
		bool is_last = calls[call + 1] == 0;
		uint64_t outer = frame_of(next);
		if (is_last)
			outer = has_base(made) ? MADE_MEMORY + MADE_STATE + ROOT : 0;
		put_call(made, call, is_last, first, outer);
		for (unsigned i = first; i < next; i++) {
			bool is_entry = i + 1 == next;
			uint64_t previous = is_entry ? outer : frame_of(i + 1);
			if (is_entry && has_shims(made))
				previous = made_python_mark(made, call);
			put_frame(made, i, previous, is_entry);
		}
		made->functions = next;
	}
}

void made_python_init(struct made_python *made, unsigned version, const unsigned *calls)
{
	const struct python_layout *layout = python_layout_of(version);
	*made = (struct made_python){.layout = layout};
	made->memory = (struct python_memory){.target = {read_made, made},
		.code_type = MADE_MEMORY + MADE_CODE_TYPE,
		.text_type = MADE_MEMORY + MADE_TEXT_TYPE};
	made->snapshot = mem_zalloc(sizeof(*made->snapshot) + MADE_BYTES);
	python_state_place(layout, TSS_KEY, &made->place);
	/* In 3.15 it lies before the thread pointer. */
	size_t thread = MADE_THREAD + (layout->tss_key ? 0 : 0x100);
	made->snapshot->second_thread = MADE_MEMORY + thread;
	made_python_put(
		made, (size_t)((int64_t)thread + made->place), MADE_MEMORY + MADE_STATE);
	made_python_put(made, MADE_STATE + layout->thread_id, MADE_MEMORY + thread);
	made_python_put(made, MADE_STATE + layout->frame,
		layout->has_cframes ? MADE_MEMORY + call_at(0) : frame_of(0));
	made_python_put(made, MADE_STATE + layout->chunk, MADE_MEMORY + MADE_FRAMES);
	made_python_put(made, MADE_STATE + layout->top,
		MADE_MEMORY + MADE_FRAMES + MADE_FUNCTIONS * 0x100u);
	made_python_put(
		made, MADE_STATE + layout->limit, MADE_MEMORY + MADE_FRAMES + 0x2000);
	put_calls(made, calls);
	if (has_base(made))
		made->bytes[MADE_STATE + ROOT + layout->owner] = OWNER_INTERPRETER;
	made_python_put_text(made, MADE_FILE, "file.py", 7, 1, true);
	made_python_sample(made);
}

void made_python_finish(struct made_python *made)
{
	free(made->snapshot);
}

void made_python_sample(struct made_python *made)
{
	struct snapshot *snapshot = made->snapshot;
	snapshot->kind = SNAPSHOT_SAMPLE;
	snapshot->time_ns++;
	snapshot->second_result = RECIPE_DONE;
	snapshot->second_blocks = MADE_BLOCKS;
	for (unsigned i = 0; i < MADE_BLOCKS; i++)
		snapshot->second_addresses[i] = MADE_MEMORY + (uint64_t)i * RECIPE_BLOCK;
	memcpy(snapshot->stack, made->bytes, MADE_BYTES);
}
