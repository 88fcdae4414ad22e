/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/php/php-stack.h"

#include "src/base/bytes.h"

#include <stdbool.h>

#define ALL_BITS (~UINT64_C(0))

void php_recipe(const struct php_layout *layout, uint64_t globals, struct recipe *recipe)
{
	struct recipe_step *step = recipe->steps;
	recipe->fixed = globals + layout->stack;
	*step++ = (struct recipe_step){
		.op = RECIPE_COPY, .from = RECIPE_FIXED, .length = PHP_GLOBALS_BYTES};
	*step++ = (struct recipe_step){.op = RECIPE_LOAD,
		.from = RECIPE_FIXED,
		.to = RECIPE_A,
		.offset = PHP_CURRENT_AT,
		.mask = ALL_BITS};
	*step++ = (struct recipe_step){.op = RECIPE_CHAIN,
		.from = RECIPE_A,
		.length = PHP_FRAME_BYTES,
		.next = PHP_FRAME_PREVIOUS,
		.most = SCRIPT_FRAMES_MAX,
		.mask = ALL_BITS,
		.ref = PHP_FRAME_FUNCTION,
		.ref_mask = ALL_BITS,
		.ref_length = PHP_FUNCTION_BYTES};
	*step = (struct recipe_step){.op = RECIPE_END};
}

struct reading {
	const struct php_layout *layout;
	const struct php_functions *functions;
	const struct snapshot *snapshot;
	struct script_stack *out;
	uint64_t start, top, limit; /* of the stack of frames; START is 0: not known */
	uint64_t before;	    /* the last frame that lay there */
	struct script_segment segment;
	bool is_open; /* SEGMENT has frames, but not the one that C has called */
	bool only_internal;
	bool is_fibers; /* whoever resumed the fiber that runs, on another native stack */
	bool is_generators; /* the last frame that was added */
};

static enum script_end cut_or_unsure(const struct reading *reading)
{
	enum recipe_result result = reading->snapshot->second_result;
	return result == RECIPE_DONE || result == RECIPE_NOTHING ? SCRIPT_UNSURE
								 : SCRIPT_CUT;
}

/* Frames on one part of their stack call upwards. */
static bool is_in_place(struct reading *reading, uint64_t frame)
{
	if (frame % 8 != 0)
		return false;
	if (reading->start == 0 || frame < reading->start || frame >= reading->limit)
		return true;
	bool is_below =
		frame < reading->top && (reading->before == 0 || frame < reading->before);
	reading->before = frame;
	return is_below;
}

/* The frames since the last segment belong to that one. */
static void extend_segment(struct reading *reading)
{
	struct script_segment *last =
		&reading->out->segments[reading->out->n_segments - 1];
	last->count = reading->out->n_frames - last->first;
}

static void end_segment(struct reading *reading)
{
	struct script_stack *out = reading->out;
	reading->segment.count = out->n_frames - reading->segment.first;
	reading->segment.mark = SCRIPT_MARK_CALL;
	if (reading->is_fibers)
		extend_segment(reading);
	else
		out->segments[out->n_segments++] = reading->segment;
	reading->segment = (struct script_segment){.first = out->n_frames};
	reading->is_open = false;
	reading->only_internal = true;
}

/* It stands for generators, and lies in the innermost of these. */
static bool is_placeholder(
	const struct reading *reading, uint64_t frame, const unsigned char *bytes)
{
	return bytes_u64(bytes, PHP_FRAME_THIS) + reading->layout->placeholder == frame;
}

/* Add the frame at FRAME. */
static enum script_end add_frame(
	struct reading *reading, uint64_t frame, const unsigned char *bytes)
{
	struct script_stack *out = reading->out;
	uint64_t function = bytes_u64(bytes, PHP_FRAME_FUNCTION);
	bool is_top = bytes_u64(bytes, PHP_FRAME_INFO) & PHP_INFO_TOP;
	unsigned kind = 0;
	if (function == 0 && !is_placeholder(reading, frame, bytes))
		return SCRIPT_ALL; /* of no function: it only separates others */
	if (function != 0) {
		kind = php_functions_kind(
			reading->functions, reading->snapshot, function);
		if (kind == 0)
			return cut_or_unsure(reading);
	}
	if (kind == PHP_NAMELESS) { /* it stands below what a fiber runs */
		reading->is_fibers |= out->n_segments > 0 && !reading->is_open;
		return SCRIPT_ALL;
	}
	out->frames[out->n_frames++] = (struct script_frame){
		.function = function,
		.place = bytes_u64(bytes, PHP_FRAME_OPLINE),
		.more = frame,
	};
	reading->is_open = true;
	reading->is_generators = bytes_u64(bytes, PHP_FRAME_INFO) & PHP_INFO_GENERATOR;
	reading->only_internal &= kind == PHP_INTERNAL;
	if (is_top && kind != 0 && kind != PHP_INTERNAL)
		end_segment(reading);
	return SCRIPT_ALL;
}

/* Functions of the interpreter that nobody in PHP has called are of what they have called. */
static enum script_end end_stack(struct reading *reading)
{
	struct script_stack *out = reading->out;
	if (reading->is_open && !reading->only_internal)
		return SCRIPT_UNSURE;
	/* Somebody runs it, but is just not linked to it yet, or any more. */
	if (reading->is_generators)
		return SCRIPT_UNSURE;
	if (reading->is_open && out->n_segments > 0)
		extend_segment(reading);
	/* A function that C is about to run, or has run, is linked before and after the call. */
	if (out->n_segments > 0 && out->segments[0].count == 1)
		out->resting = 0;
	return out->n_segments > 0 ? SCRIPT_ALL : SCRIPT_NONE;
}

static enum script_end read_chain(struct reading *reading, uint64_t frame)
{
	struct script_stack *out = reading->out;
	enum script_end end = SCRIPT_ALL;
	for (uint32_t i = 0; frame != 0 && end == SCRIPT_ALL; i++) {
		unsigned char bytes[PHP_FRAME_BYTES];
		if (!is_in_place(reading, frame))
			return SCRIPT_UNSURE;
		if (i == SCRIPT_FRAMES_MAX ||
			!snapshot_read(reading->snapshot, frame, bytes, sizeof(bytes)))
			end = cut_or_unsure(reading);
		else
			end = add_frame(reading, frame, bytes);
		frame = bytes_u64(bytes, PHP_FRAME_PREVIOUS);
	}
	if (end == SCRIPT_ALL)
		return end_stack(reading);
	if (end == SCRIPT_CUT && out->n_frames > reading->segment.first)
		end_segment(reading);
	return end;
}

void php_stack_read(const struct php_layout *layout, uint64_t globals,
	const struct php_functions *functions, const struct snapshot *snapshot,
	struct script_stack *out)
{
	unsigned char bytes[PHP_GLOBALS_BYTES];
	struct reading reading = {
		.layout = layout,
		.functions = functions,
		.snapshot = snapshot,
		.out = out,
		.only_internal = true,
	};
	out->n_frames = out->n_segments = 0;
	if (!snapshot_read(snapshot, globals + layout->stack, bytes, sizeof(bytes))) {
		out->end = cut_or_unsure(&reading);
		return;
	}
	reading.top = bytes_u64(bytes, PHP_TOP_AT);
	reading.limit = bytes_u64(bytes, PHP_LIMIT_AT);
	reading.start = bytes_u64(bytes, PHP_START_AT);
	if (reading.top < reading.start || reading.top > reading.limit)
		reading.start = 0; /* it is just being made */
	out->end = read_chain(&reading, bytes_u64(bytes, PHP_CURRENT_AT));
}

uint64_t php_place_now(const struct frame *call, const struct script_frame *frame)
{
	if (call->kept[0] == 0)
		return 0;
	return call->kept[0] == frame->more ? call->kept[1] : frame->place;
}
