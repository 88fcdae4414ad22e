/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/merging.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	LABEL = 96,
	/* A frame pointer points to that of the caller, and behind the return address the caller's
	   part of the stack begins. */
	FRAME_HEAD = 16,
};

static void put(struct merging *merging, uint32_t location)
{
	if (merging->length < merging->most)
		merging->locations[merging->length++] = location;
}

void merging_put_label(struct merging *merging, const char *text)
{
	char label[LABEL];
	snprintf(label, sizeof(label), "[%s]", text);
	put(merging, profile_intern_synthetic(merging->names->profile, label));
}

static const struct region *region_of(const struct merging *merging, uint32_t i)
{
	return address_space_find(
		merging->names->space, frame_code(merging->chain->frames[i]));
}

bool merging_is_runtimes(const struct merging *merging, uint32_t i)
{
	const struct region *region = region_of(merging, i);
	return region && region_is_of(region, &merging->file);
}

/* Is frame I of code that the runtime's compiler has made? In memory that processes share nobody else
   makes any; in other memory it is entered from the runtime's own code only. */
static bool is_compiled(const struct merging *merging, uint32_t i)
{
	const struct callchain *chain = merging->chain;
	const struct region *region = region_of(merging, i);
	if (!merging->runtime->has_compiler || !region)
		return false;
	if (region_is_shared_memory(region))
		return true;
	uint32_t caller = i;
	while (region && region_is_anonymous(region) && ++caller < chain->length)
		region = region_of(merging, caller);
	return caller > i && caller < chain->length &&
	       merging_is_runtimes(merging, caller);
}

static void put_gone(struct merging *merging)
{
	char text[LABEL];
	snprintf(text, sizeof(text), "%s function that is gone",
		merging->runtime->language);
	merging_put_label(merging, text);
	merging->has_gone = true;
}

/* --- native frames ---------------------------------------------------------------------- */

static uint32_t locate_native(const struct merging *merging, uint32_t i)
{
	return symbolizer_locate(merging->symbolizer, merging->chain->frames[i]);
}

/* What stands for the frames before I that are not kept. */
static void put_fold(struct merging *merging, uint32_t i)
{
	const struct callchain_fold *fold = &merging->chain->fold;
	if (i == CALLCHAIN_LEAF && fold->frames)
		put(merging, symbolizer_locate_fold(merging->symbolizer, fold));
}

static void put_native(struct merging *merging, uint32_t i)
{
	put_fold(merging, i);
	put(merging, locate_native(merging, i));
}

void merging_put_native(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->chain->length; i++)
		put_native(merging, i);
}

/* Code that begins programs and threads: the first of all, and the C library's. */
static bool is_beginning(const struct merging *merging, uint32_t i)
{
	if (i + 1 == merging->chain->length && merging->chain->end == UNWIND_ROOT)
		return true;
	const struct region *region = region_of(merging, i);
	const char *program = merging->runtime ? merging->runtime->program : NULL;
	return region &&
	       (strstr(region->path, "/libc.so") || strstr(region->path, "/ld-linux") ||
		       strstr(region->path, "/libpthread") ||
		       (program && strstr(region->path, program)));
}

/* --- segments --------------------------------------------------------------------------- */

struct segments {
	const struct script_stack *stack;
	uint32_t next;
	bool is_counted; /* the marks are SCRIPT_MARK_CALL */
	uint32_t
		between; /* then: the frame of a call that has no segment, if there is one, */
	uint32_t resting; /* and the segment that has no call */
};

static bool is_left(struct segments *segments)
{
	if (segments->next == segments->resting)
		segments->next++;
	return segments->next < segments->stack->n_segments;
}

static uint64_t next_mark(const struct segments *segments)
{
	return segments->stack->segments[segments->next].mark;
}

/* Put the next segment, which CALL runs. */
static void put_segment(
	struct merging *merging, struct segments *segments, const struct frame *call)
{
	const struct runtime *runtime = merging->runtime;
	const struct script_stack *stack = segments->stack;
	const struct script_segment *segment = &stack->segments[segments->next++];
	for (uint32_t i = 0; i < segment->count; i++) {
		struct script_frame frame = stack->frames[segment->first + i];
		struct script_function function;
		if (runtime->place_now && segment->first + i == 0)
			frame.place = runtime->place_now(merging->self, call, &frame);
		switch (runtime->name(
			merging->self, merging->record, &frame, &function)) {
		case SCRIPT_NAMED:
			put(merging, script_names_locate(
					     merging->names, &function, frame.place));
			break;
		case SCRIPT_GONE:
			put_gone(merging);
			break;
		default:
			break;
		}
	}
}

/* The runtime's own frames, which are left out, would say it. */
static bool waits_for_lock(const struct merging *merging)
{
	const struct snapshot *record = merging->record;
	const struct runtime *runtime = merging->runtime;
	return runtime->is_lock && record->state == THREAD_BLOCKED &&
	       record->call.nr == SYS_futex &&
	       runtime->is_lock(merging->self, record->call.args[0]);
}

static void put_lock(struct merging *merging)
{
	char text[LABEL];
	snprintf(text, sizeof(text), "waits for the %s", merging->runtime->lock);
	merging_put_label(merging, text);
}

/* Is the next mark in the part of the stack from LOW to HIGH? */
static bool is_marked(struct segments *segments, uint64_t low, uint64_t high)
{
	return is_left(segments) && next_mark(segments) > SCRIPT_MARK_CALL &&
	       next_mark(segments) - low < high - low && low < high;
}

/* Does frame I run what the loop was called for before? */
static bool is_inner(
	const struct merging *merging, const struct script_stack *stack, uint32_t i)
{
	const struct callchain *chain = merging->chain;
	if (i + 2 >= chain->length)
		return false;
	uint64_t low = chain->frames[i + 1].sp, high = chain->frames[i + 2].sp;
	for (uint32_t k = 0; k < stack->n_inner; k++)
		if (low < high && stack->inner[k] - low < high - low)
			return true;
	return false;
}

static bool begins_with(const char *text, const char *start)
{
	return start && strncmp(text, start, strlen(start)) == 0;
}

static enum merging_code code_of(
	const struct merging *merging, const struct script_stack *stack, uint32_t i)
{
	uint64_t bias, address = frame_code(merging->chain->frames[i]);
	const struct region *region = region_of(merging, i);
	if (is_compiled(merging, i))
		return MERGING_COMPILED;
	if (!region || !region_is_of(region, &merging->file))
		return MERGING_OTHER;
	struct elf_image *image =
		address_space_image(merging->names->space, region, &bias);
	const struct elf_symbol *symbol =
		image ? elf_image_symbol(image, address - bias) : NULL;
	if (symbol && begins_with(symbol->name, merging->runtime->loop))
		return is_inner(merging, stack, i) ? MERGING_OTHER : MERGING_LOOP;
	return symbol && begins_with(symbol->name, merging->runtime->leaving)
		       ? MERGING_LEAVING
		       : MERGING_OTHER;
}

static bool runs(const struct merging *merging, uint32_t i)
{
	return merging->codes[i] == MERGING_LOOP || merging->codes[i] == MERGING_COMPILED;
}

/* Put the segments that frame I is the call of. */
static bool put_call(struct merging *merging, struct segments *segments, uint32_t i)
{
	const struct callchain *chain = merging->chain;
	uint64_t low = chain->frames[i].sp;
	uint64_t high = i + 1 < chain->length ? chain->frames[i + 1].sp : low;
	uint32_t first = segments->next;
	if (segments->is_counted && is_left(segments) && i != segments->between &&
		runs(merging, i))
		put_segment(merging, segments, &chain->frames[i]);
	while (is_marked(segments, low, high))
		put_segment(merging, segments, &chain->frames[i]);
	return segments->next > first;
}

/* The frame of the innermost call, if its function may just be entered or left. */
static uint32_t find_between(const struct merging *merging)
{
	uint32_t i = 0, length = merging->chain->length;
	bool is_leaving = true;
	for (; i < length && !runs(merging, i); i++)
		is_leaving =
			merging->codes[i] == MERGING_LEAVING || (is_leaving && i == 0);
	return is_leaving ? i : length;
}

/* Calls that leave no mark are as many as segments; but while a function is entered or left, its
   call has none, or a segment has no call. False: which is which
   cannot be told. */
static bool count_calls(const struct merging *merging, struct segments *segments)
{
	const struct callchain *chain = merging->chain;
	const struct script_stack *stack = segments->stack;
	uint32_t calls = 0;
	segments->between = chain->length;
	segments->resting = UINT32_MAX;
	segments->is_counted =
		stack->n_segments > 0 && stack->segments[0].mark == SCRIPT_MARK_CALL;
	if (!segments->is_counted)
		return true;
	for (uint32_t i = 0; i < chain->length; i++)
		merging->codes[i] = (unsigned char)code_of(merging, stack, i);
	uint32_t between = find_between(merging);
	if (stack->end != SCRIPT_ALL || chain->end != UNWIND_ROOT || chain->fold.frames)
		return between == chain->length ||
		       merging->codes[between] == MERGING_COMPILED;
	for (uint32_t i = 0; i < chain->length; i++)
		calls += runs(merging, i);
	if (calls == stack->n_segments + 1)
		segments->between = between;
	bool has_resting =
		calls + 1 == stack->n_segments && stack->resting < stack->n_segments;
	if (has_resting)
		segments->resting = stack->resting;
	return calls == stack->n_segments || has_resting ||
	       segments->between < chain->length;
}

/* Has the next segment no place in or below frame I any more? */
static bool is_passed(
	const struct merging *merging, struct segments *segments, uint32_t i)
{
	uint64_t low = merging->chain->frames[i].sp;
	return is_left(segments) && next_mark(segments) > SCRIPT_MARK_CALL && low != 0 &&
	       next_mark(segments) < low;
}

/* Was the rest of the segments, from that of frame I on, not copied? */
static bool is_cut(const struct merging *merging, struct segments *segments, uint32_t i)
{
	if (segments->is_counted)
		return segments->stack->end == SCRIPT_CUT && !is_left(segments) &&
		       runs(merging, i);
	return is_left(segments) && next_mark(segments) == SCRIPT_MARK_MISSING &&
	       merging_is_runtimes(merging, i);
}

bool merging_put_segments(struct merging *merging, const struct script_stack *stack)
{
	const struct callchain *chain = merging->chain;
	struct segments segments = {.stack = stack};
	size_t script_end = 0;
	bool only_beginning = true, waits = waits_for_lock(merging);
	if (!count_calls(merging, &segments))
		return false;
	for (uint32_t i = 0; i < chain->length; i++) {
		bool is_own = merging_is_runtimes(merging, i) || is_compiled(merging, i);
		if (waits && is_own && merging->native != NATIVE_FULL) {
			put_lock(merging);
			waits = false;
		}
		if (put_call(merging, &segments, i)) {
			script_end = merging->length;
			only_beginning = merging->native != NATIVE_FULL;
			if (merging->native == NATIVE_FULL)
				put_native(merging, i);
		} else if (!is_own || merging->native == NATIVE_FULL) {
			if (merging->native != NATIVE_NONE)
				put_native(merging, i);
			only_beginning &= is_beginning(merging, i);
		} else if (is_cut(merging, &segments, i)) {
			if (is_left(&segments))
				put_segment(merging, &segments, &chain->frames[i]);
			return true;
		}
		if (is_passed(merging, &segments, i))
			return false;
	}
	if (is_left(&segments) && chain->end == UNWIND_ROOT)
		return false;
	while (is_left(&segments)) { /* the native stack broke before */
		put_segment(merging, &segments, &(struct frame){.pc = 0});
		script_end = merging->length;
	}
	if (script_end > 0 && only_beginning)
		merging->length = script_end;
	return true;
}

/* --- compiled functions ----------------------------------------------------------------- */

/* Code of the runtime's file may be a function of the language only if the compiler has made it;
   of a stripped file nobody knows. */
static bool may_be_builtin(const struct merging *merging, uint32_t i)
{
	const struct profile *profile = merging->names->profile;
	const struct location *location =
		profile_location(profile, locate_native(merging, i));
	const char *name = profile_function(profile, location->lines[0].function)->name;
	return strncmp(name, "Builtins_", 9) == 0 || name[0] == '[';
}

/* What the runtime says of frame I: *COUNT functions. */
static enum script_kind ask(const struct merging *merging, uint32_t i,
	struct script_function *functions, size_t *count)
{
	const struct callchain *chain = merging->chain;
	const struct region *region = region_of(merging, i);
	uint64_t end = i + 1 < chain->length ? chain->frames[i + 1].sp : 0;
	*count = 0;
	if (!region || end <= FRAME_HEAD ||
		!(region_is_of(region, &merging->file) ? may_be_builtin(merging, i)
						       : region_is_anonymous(region)))
		return SCRIPT_NATIVE;
	return merging->runtime->locate(merging->self, merging->record, region,
		frame_code(chain->frames[i]), end - FRAME_HEAD, functions, count);
}

/* Put one native frame, or the functions that it is. True if there are any. */
static bool put_frame(struct merging *merging, uint32_t i)
{
	struct script_function functions[SCRIPT_INLINED_MAX];
	size_t count, before = merging->length;
	enum script_kind kind = ask(merging, i, functions, &count);
	put_fold(merging, i);
	if (kind == SCRIPT_NATIVE || kind == SCRIPT_BUILTIN)
		put(merging, locate_native(merging, i));
	else if (kind == SCRIPT_GONE)
		put_gone(merging);
	for (size_t k = 0; k < count; k++)
		put(merging, script_names_locate(merging->names, &functions[k],
				     frame_code(merging->chain->frames[i])));
	bool is_own = kind == SCRIPT_NATIVE &&
		      (merging->native == NATIVE_NONE || merging_is_runtimes(merging, i));
	for (size_t k = before; k < merging->length; k++)
		merging->is_own[k] = is_own && merging->native != NATIVE_FULL;
	return count > 0;
}

/* Leave out what may be left out between START and END. Returns where it ends then. */
static size_t leave_out(struct merging *merging, size_t start, size_t end, size_t limit)
{
	size_t kept = start;
	for (size_t i = start; i < limit; i++)
		if (i >= end || !merging->is_own[i]) {
			merging->locations[kept] = merging->locations[i];
			merging->is_own[kept++] = merging->is_own[i];
		}
	return kept;
}

/* What a function calls stays as it is. Between two functions of the language the runtime's own
   code is left out, and at the beginning of the stack all that only begins it. */
void merging_put_compiled(struct merging *merging)
{
	const struct callchain *chain = merging->chain;
	size_t last = 0;
	bool only_beginning = true;
	for (uint32_t i = 0; i < chain->length; i++) {
		size_t before = merging->length;
		if (put_frame(merging, i)) {
			if (last > 0 || merging->native == NATIVE_NONE)
				merging->length =
					leave_out(merging, last, before, merging->length);
			last = merging->length;
			only_beginning = merging->native != NATIVE_FULL;
		} else if (merging->length > before) {
			only_beginning &= merging_is_runtimes(merging, i) ||
					  is_beginning(merging, i);
		}
	}
	if (last > 0 && (only_beginning || merging->native == NATIVE_NONE))
		merging->length = last;
}

/* --- Java ------------------------------------------------------------------------------- */

static const char *path_of(const struct profile *profile, const struct location *location)
{
	return location->mapping == PROFILE_NONE
		       ? "[anon]" /* interpreted: the same code for all methods */
		       : profile_mapping(profile, location->mapping)->path;
}

/* Does ID begin programs and threads of Java? Or does it run a METHOD? */
static bool is_javas(const struct profile *profile, uint32_t id, bool method)
{
	static const char *const beginning[] = {
		"/libc.so", "/ld-linux", "/libpthread", "/libjvm.so", "/libjli.so"};
	const struct location *location = profile_location(profile, id);
	const char *path = path_of(profile, location);
	if (strcmp(path, "[anon]") == 0)
		return (profile_function(profile, location->lines[0].function)->name[0] !=
			       '[') == method;
	for (size_t i = 0; i < sizeof(beginning) / sizeof(*beginning); i++)
		if (strstr(path, beginning[i]))
			return !method;
	return false;
}

/* The stack begins with the first method, if nothing but the virtual machine began that. */
static void begin_with_method(struct merging *merging)
{
	const struct profile *profile = merging->names->profile;
	size_t end = merging->length;
	while (end > 0 && is_javas(profile, merging->locations[end - 1], false))
		end--;
	if (end > 0 && is_javas(profile, merging->locations[end - 1], true) &&
		merging->chain->end == UNWIND_ROOT)
		merging->length = end;
}

static void keep_methods(struct merging *merging)
{
	const struct profile *profile = merging->names->profile;
	size_t kept = 0;
	for (size_t i = 0; i < merging->length; i++)
		if (is_javas(profile, merging->locations[i], true))
			merging->locations[kept++] = merging->locations[i];
	if (kept > 0)
		merging->length = kept;
}

void merging_take_methods(struct merging *merging)
{
	if (merging->native == NATIVE_MERGED)
		begin_with_method(merging);
	else if (merging->native == NATIVE_NONE)
		keep_methods(merging);
}
