/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby-stack.h"

#include "src/base/bytes.h"

#include <stdbool.h>

enum {
	/* glibc's dtv_t: one entry for each part of thread-local storage */
	VECTOR_BYTES = 16,
	EC_BYTES = 32,
	STACK_WORDS_MAX = 1 << 27,
};

#define ALL_BITS    (~UINT64_C(0))
#define NOT_STARTED ALL_BITS /* TLS_DTV_UNALLOCATED */

/* What kind of frame an environment is of: VM_FRAME_MAGIC_*, and flags. */
#define FRAME_TYPE UINT64_C(0x7fff0001)
enum {
	FRAME_METHOD = 0x11110001,
	FRAME_BLOCK = 0x22220001,
	FRAME_CLASS = 0x33330001,
	FRAME_TOP = 0x44440001,
	FRAME_C = 0x55550001,
	FRAME_C_BLOCK = 0x66660001, /* IFUNC */
	FRAME_EVAL = 0x77770001,
	FRAME_RESCUE = 0x78880001,
	FRAME_OUTERMOST = 0x79990001, /* DUMMY */
	ENV_LOCAL = 2,		      /* has no environment around it */
	FRAME_LAST = 0x20,	      /* FINISH */
	TAG_BITS = 3,		      /* of the address of an environment */
};

/* --- what is copied --------------------------------------------------------------------- */

static struct recipe_step load(
	enum recipe_register from, int32_t offset, enum recipe_register to)
{
	return (struct recipe_step){.op = RECIPE_LOAD,
		.from = from,
		.to = to,
		.offset = offset,
		.mask = ALL_BITS};
}

void ruby_recipe(const struct ruby_layout *layout, const struct ruby_place *place,
	struct recipe *recipe)
{
	struct recipe_step *step = recipe->steps;
	if (place->module) {
		*step++ = load(RECIPE_THREAD, ARCH_TLS_VECTOR, RECIPE_A);
		*step++ =
			load(RECIPE_A, (int32_t)(VECTOR_BYTES * place->module), RECIPE_A);
	}
	*step++ =
		load(place->module ? RECIPE_A : RECIPE_THREAD, place->context, RECIPE_A);
	*step++ = (struct recipe_step){
		.op = RECIPE_COPY, .from = RECIPE_A, .length = EC_BYTES};
	*step++ = load(RECIPE_A, layout->frame, RECIPE_B);
	*step++ = (struct recipe_step){.op = RECIPE_ARRAY,
		.from = RECIPE_B,
		.to = RECIPE_A,
		.offset = layout->stack,
		.next = layout->stack_words,
		.length = layout->frame_bytes,
		.most = SCRIPT_FRAMES_MAX,
		.ref = layout->env,
		.ref_mask = ALL_BITS,
		.ref_offset = -RUBY_ENV_FLAGS,
		.ref_length = RUBY_ENV_BYTES};
	if (place->objspace) {
		recipe->fixed = place->objspace;
		*step++ = (struct recipe_step){.op = RECIPE_COPY,
			.from = RECIPE_FIXED,
			.offset = layout->collecting,
			.length = sizeof(uint64_t)};
		*step++ = (struct recipe_step){.op = RECIPE_COPY,
			.from = RECIPE_FIXED,
			.offset = layout->collections,
			.length = sizeof(uint64_t)};
		*step++ = (struct recipe_step){.op = RECIPE_COPY,
			.from = RECIPE_FIXED,
			.offset = place->ractor + layout->running,
			.length = sizeof(uint64_t)};
	}
	*step = (struct recipe_step){.op = RECIPE_END};
}

/* --- what was copied -------------------------------------------------------------------- */

struct reading {
	const struct ruby_layout *layout;
	const struct ruby_place *place;
	const struct snapshot *snapshot;
	struct script_stack *out;
	uint64_t ec, first, start,
		limit; /* control frames, and the stack that they are on */
	/* Of each frame of OUT: its environment, and the one around it, 0: none. */
	uint64_t env[SCRIPT_FRAMES_MAX], outer[SCRIPT_FRAMES_MAX];
	uint64_t tags[SCRIPT_FRAMES_MAX]; /* the loop's, innermost first */
	uint32_t n_tags;
	/* The outermost segment has no call: methods that C calls at the beginning of a thread
	   or a fiber. */
	bool has_base;
};

/* One control frame as it was. */
struct ruby_raw {
	uint64_t pc, iseq, env, flags, outer, method;
};

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *word)
{
	return snapshot_read(reading->snapshot, address, word, sizeof(*word));
}

static enum script_end cut_or_unsure(const struct reading *reading)
{
	enum recipe_result result = reading->snapshot->second_result;
	return result == RECIPE_DONE || result == RECIPE_NOTHING ? SCRIPT_UNSURE
								 : SCRIPT_CUT;
}

/* The execution context that the thread has, and its stack. */
static enum script_end find_context(struct reading *reading)
{
	const struct ruby_layout *layout = reading->layout;
	const struct ruby_place *place = reading->place;
	uint64_t at = reading->snapshot->second_thread, vector;
	unsigned char bytes[EC_BYTES];
	if (at == 0)
		return cut_or_unsure(reading);
	if (place->module) {
		if (!read_word(reading, at + ARCH_TLS_VECTOR, &vector) ||
			!read_word(reading,
				vector + (uint64_t)VECTOR_BYTES * place->module, &at))
			return cut_or_unsure(reading);
		if (at == 0 || at == NOT_STARTED)
			return SCRIPT_NONE;
	}
	if (!read_word(reading, at + (uint64_t)(int64_t)place->context, &reading->ec))
		return cut_or_unsure(reading);
	if (reading->ec == 0)
		return SCRIPT_NONE;
	if (!snapshot_read(reading->snapshot, reading->ec, bytes, sizeof(bytes)))
		return cut_or_unsure(reading);
	uint64_t words = bytes_u64(bytes, layout->stack_words);
	reading->start = bytes_u64(bytes, layout->stack);
	reading->limit = reading->start + words * sizeof(words);
	reading->first = bytes_u64(bytes, layout->frame);
	bool is_right = words <= STACK_WORDS_MAX && reading->start % sizeof(words) == 0 &&
			reading->limit > reading->start &&
			reading->first >= reading->start &&
			reading->first < reading->limit &&
			(reading->limit - reading->first) % layout->frame_bytes == 0;
	return is_right ? SCRIPT_ALL : SCRIPT_UNSURE;
}

static bool read_raw(
	const struct reading *reading, uint64_t address, struct ruby_raw *raw)
{
	const struct ruby_layout *layout = reading->layout;
	unsigned char bytes[RUBY_FRAME_BYTES], env[RUBY_ENV_BYTES];
	if (!snapshot_read(reading->snapshot, address, bytes, layout->frame_bytes))
		return false;
	*raw = (struct ruby_raw){
		.pc = bytes_u64(bytes, layout->pc),
		.iseq = bytes_u64(bytes, layout->iseq),
		.env = bytes_u64(bytes, layout->env),
	};
	if (!snapshot_read(
		    reading->snapshot, raw->env - RUBY_ENV_FLAGS, env, sizeof(env)))
		return false;
	raw->flags = bytes_u64(env, RUBY_ENV_FLAGS);
	raw->method = bytes_u64(env, RUBY_ENV_METHOD);
	raw->outer = raw->flags & ENV_LOCAL
			     ? 0
			     : bytes_u64(env, RUBY_ENV_OUTER) & ~(uint64_t)TAG_BITS;
	return true;
}

/* An environment on the stack lies below the control frames. */
static bool has_right_env(const struct reading *reading, const struct ruby_raw *raw)
{
	bool is_on_stack = raw->env >= reading->start && raw->env < reading->limit;
	return raw->env % sizeof(raw->env) == 0 &&
	       (!is_on_stack || raw->env < reading->first);
}

/* Add what RAW runs, if anything, to the last segment. */
static bool add_frame(struct reading *reading, const struct ruby_raw *raw)
{
	struct script_stack *out = reading->out;
	struct script_frame frame = {.more = raw->method};
	switch (raw->flags & FRAME_TYPE) {
	case FRAME_METHOD:
	case FRAME_BLOCK:
	case FRAME_CLASS:
	case FRAME_TOP:
	case FRAME_EVAL:
	case FRAME_RESCUE:
		if (raw->iseq == 0 || raw->pc == 0)
			return false;
		frame.function = raw->iseq;
		frame.place = raw->pc;
		break;
	case FRAME_C:
		if (raw->pc != 0 || frame.more == 0)
			return false;
		frame.place = frame.more;
		break;
	case FRAME_C_BLOCK:
		return raw->pc == 0;
	default:
		return false;
	}
	reading->env[out->n_frames] = raw->env;
	reading->outer[out->n_frames] = raw->outer;
	out->frames[out->n_frames++] = frame;
	out->segments[out->n_segments].count++;
	return true;
}

/* All frames but the outermost, which is nobody's; without marks. */
static enum script_end read_frames(struct reading *reading)
{
	struct script_stack *out = reading->out;
	bool is_last = true;
	uint64_t each = reading->layout->frame_bytes;
	for (uint64_t at = reading->first; at < reading->limit; at += each) {
		struct ruby_raw raw;
		if (out->n_frames == SCRIPT_FRAMES_MAX ||
			out->n_segments == SCRIPT_FRAMES_MAX)
			return SCRIPT_CUT;
		if (!read_raw(reading, at, &raw))
			return cut_or_unsure(reading);
		if (!has_right_env(reading, &raw))
			return SCRIPT_UNSURE;
		if ((raw.flags & FRAME_TYPE) == FRAME_OUTERMOST) {
			reading->has_base = !is_last;
			out->n_segments += reading->has_base;
			return at + each == reading->limit ? SCRIPT_ALL : SCRIPT_UNSURE;
		}
		if (is_last)
			out->segments[out->n_segments] =
				(struct script_segment){.first = out->n_frames};
		if (!add_frame(reading, &raw))
			return SCRIPT_UNSURE;
		is_last = raw.flags & FRAME_LAST;
		if (is_last)
			out->n_segments++;
	}
	return SCRIPT_UNSURE;
}

void ruby_place_tags(struct ruby_place *place, uint64_t guard)
{
	enum {
		BUFFER = 16, /* in rb_vm_tag */
		BUILTIN_PC = 8,
		BUILTIN_BYTES = 40,
	};
	place->guard = guard;
	place->tag_resume = BUFFER + (guard ? ARCH_JUMP_PC : BUILTIN_PC);
	place->tag_previous = BUFFER + (guard ? ARCH_JUMP_BYTES : BUILTIN_BYTES);
}

uint64_t ruby_tag_resume(const struct ruby_place *place, uint64_t word)
{
	enum {
		ROTATED = 17, /* PTR_MANGLE of x86-64 */
	};
	return place->guard ? (word >> ROTATED | word << (64 - ROTATED)) ^ place->guard
			    : word;
}

/* The tags of the interpreter's loop. */
static enum script_end read_tags(struct reading *reading)
{
	const struct ruby_layout *layout = reading->layout;
	const struct ruby_place *place = reading->place;
	uint64_t tag, resume, previous;
	if (!read_word(reading, reading->ec + layout->tag, &tag))
		return SCRIPT_CUT;
	for (uint32_t i = 0; tag != 0; i++, tag = previous) {
		if (i == 2 * SCRIPT_FRAMES_MAX || reading->n_tags == SCRIPT_FRAMES_MAX ||
			!read_word(reading, tag + place->tag_resume, &resume) ||
			!read_word(reading, tag + place->tag_previous, &previous))
			return SCRIPT_CUT;
		if (previous != 0 && previous <= tag)
			return SCRIPT_UNSURE;
		resume = ruby_tag_resume(place, resume);
		if (resume - place->loop < place->loop_limit - place->loop)
			reading->tags[reading->n_tags++] = tag;
	}
	return SCRIPT_ALL;
}

/* Leave out the innermost segment, which nothing runs yet: one frame. */
static bool drop_innermost(struct reading *reading)
{
	struct script_stack *out = reading->out;
	if (out->segments[0].count > 1)
		return false;
	for (uint32_t i = 1; i < out->n_segments; i++)
		out->segments[i - 1] = out->segments[i];
	out->n_segments--;
	return true;
}

/* Each segment has the mark of its call. END: of the frames. */
static enum script_end put_marks(struct reading *reading, enum script_end end)
{
	struct script_stack *out = reading->out;
	if (end == SCRIPT_ALL)
		end = read_tags(reading);
	if (end == SCRIPT_CUT) { /* nobody knows which is whose */
		out->segments[0] = (struct script_segment){.count = out->n_frames};
		out->n_segments = 1;
	}
	if (end != SCRIPT_ALL)
		return end;
	uint32_t calls = out->n_segments - reading->has_base;
	if (calls == reading->n_tags + 1) {
		if (!drop_innermost(reading))
			return SCRIPT_UNSURE;
		calls--;
	}
	uint32_t extra = reading->n_tags - calls;
	if (extra > 1)
		return SCRIPT_UNSURE;
	for (uint32_t i = 0; i < calls; i++)
		out->segments[i].mark = reading->tags[i + extra];
	return SCRIPT_ALL;
}

/* A block belongs to the method in whose environment it was written. If that runs no more, its
   environment goes on without it. */
static void find_methods(struct reading *reading)
{
	struct script_stack *out = reading->out;
	for (uint32_t i = out->n_frames; i-- > 0;) {
		uint64_t outer = reading->outer[i];
		uint32_t k = i + 1;
		if (out->frames[i].more != 0 || outer == 0)
			continue;
		while (k < out->n_frames && reading->env[k] != outer)
			k++;
		out->frames[i].more =
			k < out->n_frames ? out->frames[k].more : outer | RUBY_ENV;
	}
}

/* Something collects garbage, and this thread has the interpreter's lock. */
static void add_collector(struct reading *reading)
{
	struct script_stack *out = reading->out;
	const struct ruby_layout *layout = reading->layout;
	const struct ruby_place *place = reading->place;
	uint64_t flags, running,
		ractor = place->objspace + (uint64_t)(int64_t)place->ractor;
	if (place->objspace == 0 || out->n_segments == 0 ||
		out->n_frames == SCRIPT_FRAMES_MAX || out->segments[0].first != 0 ||
		!read_word(reading, place->objspace + layout->collecting, &flags) ||
		!(flags & RUBY_COLLECTING) ||
		!read_word(reading, ractor + layout->running, &running) ||
		running != reading->ec)
		return;
	for (uint32_t i = out->n_frames++; i > 0; i--)
		out->frames[i] = out->frames[i - 1];
	out->frames[0] = (struct script_frame){.more = RUBY_COLLECTOR};
	out->segments[0].count++;
	for (uint32_t i = 1; i < out->n_segments; i++)
		out->segments[i].first++;
}

void ruby_stack_read(const struct ruby_layout *layout, const struct ruby_place *place,
	const struct snapshot *snapshot, struct script_stack *out)
{
	struct reading reading = {
		.layout = layout, .place = place, .snapshot = snapshot, .out = out};
	out->n_frames = out->n_segments = 0;
	out->end = find_context(&reading);
	if (out->end != SCRIPT_ALL)
		return;
	out->end = read_frames(&reading);
	if (out->end == SCRIPT_UNSURE)
		return;
	find_methods(&reading);
	out->end = put_marks(&reading, out->end);
	if (out->end == SCRIPT_ALL && out->n_segments == 0)
		out->end = SCRIPT_NONE;
	else if (out->end == SCRIPT_ALL)
		add_collector(&reading);
}
