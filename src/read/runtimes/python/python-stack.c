/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/python/python-stack.h"

#include "src/base/bytes.h"
#include "src/read/space/thread-record.h"

#include <stdbool.h>
#include <string.h>

enum {
	TSS_SLOT_BYTES = 16,
	TSS_VALUE = 8,
	TSS_SLOTS_MAX = 32,
	ROOT_MAX = 4096, /* in the PyThreadState */
	SHIM_NEAR = 512, /* on the stack of C, from the _PyCFrame */
	OWNER_INTERPRETER = 3,
};

#define ALL_BITS (~UINT64_C(0))
#define TAG_BITS UINT64_C(7)

/* --- what is copied --------------------------------------------------------------------- */

bool python_state_place(const struct python_layout *layout, uint32_t key, int32_t *place)
{
	*place = layout->tls;
	if (layout->tss_key)
		*place = THREAD_RECORD_SLOTS + TSS_VALUE + TSS_SLOT_BYTES * (int32_t)key;
	return !layout->tss_key || key < TSS_SLOTS_MAX;
}

static uint32_t frame_bytes(const struct python_layout *layout)
{
	return layout->number_bytes ? PYTHON_FRAME_OBJECT_BYTES : PYTHON_FRAME_BYTES;
}

void python_recipe(
	const struct python_layout *layout, int32_t place, struct recipe *recipe)
{
	struct recipe_step *step = recipe->steps;
	*step++ = (struct recipe_step){.op = RECIPE_LOAD,
		.from = RECIPE_THREAD,
		.to = RECIPE_A,
		.offset = place,
		.mask = ALL_BITS};
	*step++ = (struct recipe_step){
		.op = RECIPE_COPY, .from = RECIPE_A, .length = PYTHON_TSTATE_BYTES};
	*step++ = (struct recipe_step){.op = RECIPE_LOAD,
		.from = RECIPE_A,
		.to = RECIPE_B,
		.offset = layout->frame,
		.mask = ALL_BITS};
	if (layout->has_cframes) { /* these lie on the stack, most of which is copied */
		*step++ = (struct recipe_step){.op = RECIPE_LOAD,
			.from = RECIPE_B,
			.to = RECIPE_C,
			.offset = layout->cframe_frame,
			.mask = ALL_BITS};
		*step++ = (struct recipe_step){.op = RECIPE_CHAIN,
			.from = RECIPE_B,
			.length = PYTHON_CFRAME_BYTES,
			.next = layout->cframe_previous,
			.most = SCRIPT_FRAMES_MAX,
			.mask = ALL_BITS};
	}
	*step++ = (struct recipe_step){.op = RECIPE_CHAIN,
		.from = layout->has_cframes ? RECIPE_C : RECIPE_B,
		.length = frame_bytes(layout),
		.next = layout->previous,
		.most = SCRIPT_FRAMES_MAX,
		.mask = ALL_BITS,
		.ref = layout->code,
		.ref_mask = ~TAG_BITS,
		.ref_offset = layout->identity,
		.ref_length = PYTHON_IDENTITY_BYTES};
	*step = (struct recipe_step){.op = RECIPE_END};
}

/* --- what was copied -------------------------------------------------------------------- */

struct reading {
	const struct python_layout *layout;
	const struct snapshot *snapshot;
	struct script_stack *out;
	uint64_t state; /* the address of the PyThreadState */
	unsigned char copy[PYTHON_TSTATE_BYTES];
};

/* One frame as it was. */
struct python_raw {
	uint64_t at, previous, code, instruction;
	uint8_t owner, entry;
};

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *word)
{
	return snapshot_read(reading->snapshot, address, word, sizeof(*word));
}

static bool read_frame(
	const struct reading *reading, uint64_t address, struct python_raw *raw)
{
	const struct python_layout *layout = reading->layout;
	unsigned char bytes[PYTHON_FRAME_BYTES];
	if (!snapshot_read(reading->snapshot, address, bytes, sizeof(bytes)))
		return false;
	*raw = (struct python_raw){
		.at = address,
		.previous = bytes_u64(bytes, layout->previous),
		.code = bytes_u64(bytes, layout->code) & ~TAG_BITS,
		.instruction = bytes_u64(bytes, layout->instruction),
		.owner = bytes[layout->owner],
		.entry = layout->entry ? bytes[layout->entry] : 0,
	};
	return true;
}

/* Where all begins: the outermost _PyCFrame, in 3.15 the outermost frame. It is no call. */
static bool is_root(const struct reading *reading, uint64_t mark)
{
	return mark - reading->state < ROOT_MAX;
}

/* Is the frame at ADDRESS on the stack of frames, but above what is in use of it? */
static bool is_unused(const struct reading *reading, uint64_t address)
{
	const struct python_layout *layout = reading->layout;
	return address >= bytes_u64(reading->copy, layout->chunk) &&
	       address < bytes_u64(reading->copy, layout->limit) &&
	       address >= bytes_u64(reading->copy, layout->top);
}

static bool is_shim(const struct python_raw *raw)
{
	return raw->owner >= OWNER_INTERPRETER;
}

static enum script_end cut_or_unsure(const struct reading *reading)
{
	enum recipe_result result = reading->snapshot->second_result;
	return result == RECIPE_DONE || result == RECIPE_NOTHING ? SCRIPT_UNSURE
								 : SCRIPT_CUT;
}

/* Add the frames from *NEXT to the first one of this call of the interpreter, whose mark is
   MARK if that is known. *NEXT becomes the frame that has made the call; 0: none. */
static enum script_end add_segment(struct reading *reading, uint64_t mark, uint64_t *next)
{
	struct script_stack *out = reading->out;
	struct script_segment segment = {.first = out->n_frames};
	enum script_end end = SCRIPT_ALL;
	bool is_first = false;
	while (!is_first && *next != 0) {
		struct python_raw raw;
		if (out->n_frames == SCRIPT_FRAMES_MAX ||
			!read_frame(reading, *next, &raw)) {
			end = cut_or_unsure(reading);
			break;
		}
		is_first = is_shim(&raw) || raw.entry;
		if (is_shim(&raw))
			segment.mark = *next;
		else
			out->frames[out->n_frames++] = (struct script_frame){
				.function = raw.code, .place = raw.instruction};
		*next = raw.previous;
	}
	if (!is_first && end == SCRIPT_ALL)
		return SCRIPT_UNSURE;
	if (is_first && segment.mark == 0)
		segment.mark = mark;
	segment.count = out->n_frames - segment.first;
	out->segments[out->n_segments++] = segment;
	return end;
}

/* The first frame from *FRAME, the innermost one, on that is in use. Not to be asked of a frame that
   has called another: while the stack of frames gives a chunk back, its limit is still
   that of this chunk (_PyThreadState_PopFrame), and any other may lie below it. */
static bool skip_unused(const struct reading *reading, uint64_t *frame)
{
	struct python_raw raw;
	for (uint32_t i = 0; *frame != 0 && is_unused(reading, *frame); i++) {
		if (i == SCRIPT_FRAMES_MAX || !read_frame(reading, *frame, &raw) ||
			is_shim(&raw))
			return false;
		*frame = raw.previous;
	}
	return true;
}

/* Add what the call of the interpreter with this _PyCFrame runs. *CFRAME becomes the one before,
   which lies farther up; 0: there is none. False, and nothing is added: it does not fit to that. */
static bool add_call(struct reading *reading, uint64_t *cframe, enum script_end *end)
{
	const struct python_layout *layout = reading->layout;
	struct script_stack *out = reading->out;
	uint32_t n_frames = out->n_frames, n_segments = out->n_segments;
	uint64_t frame, before = 0, outer = 0, mark = *cframe;
	*end = SCRIPT_ALL;
	*cframe = 0;
	if (is_root(reading, mark))
		return true;
	if (!read_word(reading, mark + layout->cframe_frame, &frame) ||
		!read_word(reading, mark + layout->cframe_previous, &before) ||
		!read_word(reading, before + layout->cframe_frame, &outer)) {
		*end = cut_or_unsure(reading);
		return false;
	}
	*end = SCRIPT_UNSURE;
	if (before <= mark && !is_root(reading, before))
		return false;
	*cframe = before;
	if (out->n_frames == 0 && !skip_unused(reading, &frame))
		return false;
	if (frame == outer) { /* it enters its function, or has left it */
		*end = SCRIPT_ALL;
		return true;
	}
	*end = add_segment(reading, mark, &frame);
	if (*end == SCRIPT_CUT)
		return true;
	const struct script_segment *segment = &out->segments[n_segments];
	if (*end == SCRIPT_ALL && frame == outer &&
		segment->mark - mark + SHIM_NEAR < 2 * SHIM_NEAR)
		return true;
	out->n_frames = n_frames;
	out->n_segments = n_segments;
	*end = SCRIPT_UNSURE;
	return false;
}

/* Versions with _PyCFrame. The innermost one may just be being made. */
static void read_calls(struct reading *reading, uint64_t cframe)
{
	struct script_stack *out = reading->out;
	bool is_innermost = true;
	while (cframe != 0) {
		enum script_end end;
		bool fits = add_call(reading, &cframe, &end);
		if (end == SCRIPT_CUT || (!fits && (!is_innermost || cframe == 0))) {
			out->end = end;
			return;
		}
		is_innermost = false;
		if (out->n_segments == SCRIPT_FRAMES_MAX) {
			out->end = SCRIPT_CUT;
			return;
		}
		if (!fits && is_root(reading, cframe)) { /* and no call before it */
			out->end = SCRIPT_UNSURE;
			return;
		}
	}
}

/* A generator's frame may lie as near to the state, by chance. */
static bool is_outermost(const struct reading *reading, uint64_t frame)
{
	struct python_raw raw;
	return is_root(reading, frame) && read_frame(reading, frame, &raw) &&
	       is_shim(&raw);
}

/* Versions before 3.11: each call of the interpreter runs one function. */
static void read_objects(struct reading *reading, uint64_t frame)
{
	const struct python_layout *layout = reading->layout;
	struct script_stack *out = reading->out;
	while (frame != 0 && out->end == SCRIPT_ALL) {
		unsigned char bytes[PYTHON_FRAME_OBJECT_BYTES];
		uint32_t i = out->n_frames;
		int32_t number;
		if (i == SCRIPT_FRAMES_MAX ||
			!snapshot_read(reading->snapshot, frame, bytes, sizeof(bytes))) {
			out->end = cut_or_unsure(reading);
			break;
		}
		memcpy(&number, bytes + layout->instruction, sizeof(number));
		uint64_t code = bytes_u64(bytes, layout->code);
		out->frames[i] = (struct script_frame){
			.function = code,
			.place = code + layout->instructions +
				 (uint64_t)(int64_t)number * layout->number_bytes,
		};
		out->segments[i] = (struct script_segment){
			.mark = SCRIPT_MARK_CALL, .first = i, .count = 1};
		out->n_segments = ++out->n_frames;
		frame = bytes_u64(bytes, layout->previous);
	}
}

static void read_chain(struct reading *reading, uint64_t frame)
{
	struct script_stack *out = reading->out;
	if (!skip_unused(reading, &frame))
		out->end = SCRIPT_UNSURE;
	while (frame != 0 && !is_outermost(reading, frame) && out->end == SCRIPT_ALL)
		out->end = out->n_segments == SCRIPT_FRAMES_MAX
				   ? SCRIPT_CUT
				   : add_segment(reading, 0, &frame);
}

/* The address of the thread's PyThreadState, which says itself whose it is. */
static enum script_end find_state(struct reading *reading, int32_t place)
{
	const struct snapshot *snapshot = reading->snapshot;
	uint64_t thread = snapshot->second_thread;
	if (thread == 0 ||
		!read_word(reading, thread + (uint64_t)(int64_t)place, &reading->state))
		return cut_or_unsure(reading);
	if (reading->state == 0)
		return SCRIPT_NONE;
	if (!snapshot_read(
		    snapshot, reading->state, reading->copy, sizeof(reading->copy)))
		return cut_or_unsure(reading);
	uint64_t record = bytes_u64(reading->copy, reading->layout->thread_id);
	return thread_record_is_of(record, thread) ? SCRIPT_ALL : SCRIPT_UNSURE;
}

void python_stack_read(const struct python_layout *layout, int32_t place,
	const struct snapshot *snapshot, struct script_stack *out)
{
	struct reading reading = {.layout = layout, .snapshot = snapshot, .out = out};
	out->n_frames = out->n_segments = 0;
	out->end = find_state(&reading, place);
	if (out->end != SCRIPT_ALL)
		return;
	uint64_t first = bytes_u64(reading.copy, layout->frame);
	if (layout->number_bytes)
		read_objects(&reading, first);
	else if (layout->has_cframes)
		read_calls(&reading, first);
	else
		read_chain(&reading, first);
	if (out->end == SCRIPT_ALL && out->n_segments == 0)
		out->end = SCRIPT_NONE;
}
