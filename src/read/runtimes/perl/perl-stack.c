/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/perl/perl-stack.h"

#include "src/base/bytes.h"
#include "src/read/space/thread-record.h"

#include <string.h>

enum {
	TSS_SLOT_BYTES = 16,
	TSS_VALUE = 8,
	TSS_SLOTS_MAX = 32,

	STACKS_MAX = 256,
	JUMPS_MAX = 512,

	/* cop.h */
	TYPE = 15,
	TYPE_NULL = 0,
	TYPE_BLOCK = 2,
	TYPE_SUB = 9,
	TYPE_FORMAT = 10,
	TYPE_EVAL = 11,
	SUB_MULTICALL = 0x10,
	SUB_PATTERN = 0x40, /* code in a pattern, */
	SUB_FAKE = 0x80,    /* which caller() does not tell of */
	EVAL_BLOCK = 0x40,
	EVAL_TRY = 0x80,
	SI_SORT = 3,
};

#define ALL_BITS (~UINT64_C(0))

bool perl_place(uint32_t key, int32_t *place)
{
	*place = THREAD_RECORD_SLOTS + TSS_VALUE + TSS_SLOT_BYTES * (int32_t)key;
	return key < TSS_SLOTS_MAX;
}

/* --- what is copied --------------------------------------------------------------------- */

static struct recipe_step step_load(
	enum recipe_register from, enum recipe_register to, int32_t offset)
{
	return (struct recipe_step){.op = RECIPE_LOAD,
		.from = from,
		.to = to,
		.offset = offset,
		.mask = ALL_BITS};
}

void perl_recipe(const struct perl_layout *layout, int32_t place, struct recipe *recipe)
{
	struct recipe_step *step = recipe->steps;
	*step++ = step_load(RECIPE_THREAD, RECIPE_A, place);
	*step++ = step_load(RECIPE_A, RECIPE_C, layout->cop);
	*step++ = step_load(RECIPE_A, RECIPE_C, layout->jump);
	*step++ = (struct recipe_step){.op = RECIPE_COPY,
		.from = RECIPE_A,
		.offset = layout->compiling,
		.length = PERL_COMPILING_BYTES};
	*step++ = step_load(RECIPE_A, RECIPE_C, layout->si);
	*step++ = (struct recipe_step){.op = RECIPE_ARRAYS,
		.from = RECIPE_C,
		.offset = PERL_SI_CONTEXTS,
		.index = PERL_SI_TOP,
		.length = PERL_CONTEXT_BYTES,
		.next = PERL_SI_PREVIOUS,
		.mask = ALL_BITS,
		.most = STACKS_MAX};
	*step++ = step_load(RECIPE_A, RECIPE_B, PERL_INTERPRETER_OP); /* may be 0 */
	*step = (struct recipe_step){
		.op = RECIPE_COPY, .from = RECIPE_B, .length = PERL_OP_BYTES};
}

/* --- what was copied -------------------------------------------------------------------- */

/* A context that matters, as it was. */
struct context {
	uint64_t cv, cop, after, jump;
	uint16_t old_op;
	uint8_t type, flags;
	bool is_used; /* it is complete, and not yet left */
	bool is_base; /* the outermost one of its stack, */
	bool is_sort; /* which is that of a sort */
	bool is_call; /* it is the outermost one of a call of the loop */
};

struct reading {
	const struct perl_layout *layout;
	const struct snapshot *snapshot;
	struct script_stack *out;
	uint64_t cop, op; /* PL_curcop, PL_op */
	uint32_t op_type; /* 0: none, or made by C that calls a function */
	uint32_t n;	  /* contexts, innermost first */
	struct context contexts[SCRIPT_FRAMES_MAX];
	uint32_t n_jumps;
	uint64_t jumps[JUMPS_MAX]; /* JMPENVs, innermost first */
	uint32_t repeated;
	bool is_cut;
};

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *word)
{
	return snapshot_read(reading->snapshot, address, word, sizeof(*word));
}

static bool is_op(const struct reading *reading, enum perl_op op)
{
	return perl_is(reading->layout, reading->op_type, op);
}

static bool is_leaving(const struct reading *reading)
{
	return is_op(reading, PERL_LEAVESUB) || is_op(reading, PERL_LEAVESUBLV) ||
	       is_op(reading, PERL_RETURN) || is_op(reading, PERL_LEAVEWRITE) ||
	       is_op(reading, PERL_LEAVEEVAL);
}

static bool is_sub(const struct context *context)
{
	return context->type == TYPE_SUB || context->type == TYPE_FORMAT;
}

/* Is it an eval {} or try {}, which is a part of its function? */
static bool is_block(const struct context *context)
{
	return context->type == TYPE_EVAL && (context->flags & (EVAL_BLOCK | EVAL_TRY));
}

/* What PERL_SI_SUB counts. */
static bool is_counted(const struct context *context)
{
	return is_sub(context) ||
	       (context->type == TYPE_EVAL && !(context->flags & EVAL_TRY));
}

/* Does it matter, or is it a loop or block of its function? */
static bool matters(const struct context *context)
{
	return is_sub(context) || context->type == TYPE_EVAL ||
	       (context->is_base && context->is_sort && context->type == TYPE_NULL);
}

static bool read_context(
	const struct reading *reading, uint64_t address, struct context *context)
{
	unsigned char bytes[PERL_CONTEXT_BYTES];
	if (!snapshot_read(reading->snapshot, address, bytes, sizeof(bytes)))
		return false;
	context->type = bytes[PERL_CONTEXT_TYPE] & TYPE;
	context->flags = bytes[PERL_CONTEXT_TYPE] & ~TYPE;
	memcpy(&context->old_op, bytes + PERL_CONTEXT_OLD_OP, sizeof(context->old_op));
	context->old_op >>= 7;
	context->cop = bytes_u64(bytes, PERL_CONTEXT_COP);
	context->after = bytes_u64(bytes, PERL_CONTEXT_RETURN);
	context->cv = bytes_u64(bytes, PERL_CONTEXT_CV);
	context->jump = bytes_u64(bytes, PERL_CONTEXT_JUMP);
	return true;
}

/* The contexts of the stack at SI. *HAS_PROGRAM: the outermost one is that of the program. False: all
   ends here. */
static bool read_contexts(
	struct reading *reading, const unsigned char *si, bool *has_program)
{
	int32_t top = (int32_t)bytes_u32(si, PERL_SI_TOP);
	int32_t complete = (int32_t)bytes_u32(si, PERL_SI_SUB);
	bool is_outermost = bytes_u64(si, PERL_SI_PREVIOUS) == 0;
	for (int32_t i = top; i >= 0; i--) {
		struct context context = {
			.is_used = i <= complete,
			.is_base = i == 0,
			.is_sort = bytes_u32(si, PERL_SI_TYPE) == SI_SORT,
		};
		if (!read_context(reading,
			    bytes_u64(si, PERL_SI_CONTEXTS) +
				    (uint64_t)i * PERL_CONTEXT_BYTES,
			    &context) ||
			reading->n == SCRIPT_FRAMES_MAX) {
			reading->is_cut = true;
			return false;
		}
		context.is_used |= !is_counted(&context);
		if (matters(&context))
			reading->contexts[reading->n++] = context;
		else if (i == 0 && is_outermost)
			*has_program = context.type == TYPE_BLOCK;
	}
	return true;
}

/* All contexts, from the stack at SI on. */
static enum script_end read_stacks(
	struct reading *reading, uint64_t si, bool *has_program)
{
	uint64_t inner = 0;
	*has_program = false;
	for (uint32_t i = 0; si != 0; i++) {
		unsigned char bytes[PERL_SI_BYTES];
		if (i == STACKS_MAX ||
			!snapshot_read(reading->snapshot, si, bytes, sizeof(bytes))) {
			reading->is_cut = true;
			return SCRIPT_CUT;
		}
		if (inner != 0 && bytes_u64(bytes, PERL_SI_NEXT) != inner)
			return SCRIPT_UNSURE;
		if (!read_contexts(reading, bytes, has_program))
			return SCRIPT_CUT;
		inner = si;
		si = bytes_u64(bytes, PERL_SI_PREVIOUS);
	}
	return SCRIPT_ALL;
}

/* Did call_sv make this eval, to catch what a function does that C calls? */
static bool is_of_call(const struct reading *reading, const struct context *context)
{
	return is_block(context) && !(context->flags & EVAL_TRY) && context->after == 0 &&
	       !perl_is(reading->layout, context->old_op, PERL_ENTERTRY);
}

/* Is it a block that ends with any op? What that calls returns to no op either. */
static bool is_bare(const struct context *context)
{
	return context->is_base &&
	       (context->type == TYPE_NULL ||
		       (is_sub(context) && (context->flags & SUB_PATTERN)));
}

/* Which contexts are the outermost ones of a call of the loop? */
static void find_calls(struct reading *reading)
{
	const struct context *outer = NULL;
	for (uint32_t i = reading->n; i-- > 0;) {
		struct context *context = &reading->contexts[i];
		if (!context->is_used)
			continue;
		bool is_tail = outer && !context->is_base && is_bare(outer);
		context->is_call =
			context->type == TYPE_NULL ||
			(!is_block(context) && context->after == 0 && !is_tail);
		outer = context;
	}
}

/* --- where die goes to -------------------------------------------------------------------- */

/* All JMPENVs, innermost first. */
static enum script_end read_jumps(struct reading *reading, uint64_t jump)
{
	while (jump != 0) {
		if (reading->n_jumps == JUMPS_MAX)
			return SCRIPT_UNSURE;
		reading->jumps[reading->n_jumps++] = jump;
		if (!read_word(reading, jump + PERL_JUMP_PREVIOUS, &jump))
			return SCRIPT_CUT;
	}
	return SCRIPT_ALL;
}

/* The JMPENV at INDEX is that of C that calls the loop for a segment of its own. */
static void drop_jump(struct reading *reading, uint32_t index)
{
	if (index < reading->n_jumps)
		reading->jumps[index] = 0;
}

static uint32_t index_of(const struct reading *reading, uint64_t jump)
{
	uint32_t i = 0;
	while (i < reading->n_jumps && reading->jumps[i] != jump)
		i++;
	return i;
}

/* The JMPENVs by which an eval {} catches what a function does that C has called (docatch in
   pp_ctl.c): that runs the loop once more, until the function is left. All others are C's. */
static enum script_end find_inner(struct reading *reading, bool has_program)
{
	struct script_stack *out = reading->out;
	uint32_t own = reading->n_jumps, drop[SCRIPT_FRAMES_MAX], n = 0;
	for (uint32_t i = 0; i < reading->n; i++) {
		const struct context *context = &reading->contexts[i];
		uint32_t at;
		if (!context->is_used || context->type != TYPE_EVAL)
			continue;
		at = index_of(reading, context->jump);
		if (is_of_call(reading, context)) /* made before its JMPENV */
			drop[n++] = at > 0 ? at - 1 : own;
		else if (context->is_call)
			drop[n++] = at;
	}
	for (uint32_t i = 0; i < n; i++)
		drop_jump(reading, drop[i]);
	if (has_program && own >= 2)
		drop_jump(reading, own - 2);
	if (own > 0)
		drop_jump(reading, own - 1);
	for (uint32_t i = 0; i < own; i++) {
		if (reading->jumps[i] == 0)
			continue;
		if (out->n_inner == SCRIPT_INNER_MAX)
			return SCRIPT_UNSURE;
		out->inner[out->n_inner++] = reading->jumps[i];
	}
	return SCRIPT_ALL;
}

/* --- frames ----------------------------------------------------------------------------- */

static void add_frame(struct reading *reading, uint64_t cv, uint64_t cop, uint64_t more)
{
	struct script_stack *out = reading->out;
	if (out->n_frames < SCRIPT_FRAMES_MAX)
		out->frames[out->n_frames++] =
			(struct script_frame){.function = cv, .place = cop, .more = more};
}

/* All frames since the last segment are one. */
static void end_segment(struct reading *reading)
{
	struct script_stack *out = reading->out;
	uint32_t first = 0;
	if (out->n_segments > 0)
		first = out->segments[out->n_segments - 1].first +
			out->segments[out->n_segments - 1].count;
	if (out->n_segments < SCRIPT_FRAMES_MAX)
		out->segments[out->n_segments++] =
			(struct script_segment){.mark = SCRIPT_MARK_CALL,
				.first = first,
				.count = out->n_frames - first};
}

/* Has the innermost function, which is that of CONTEXT, begun? COP is PL_curcop. If it calls
   itself by the same statement, its caller's statement is the same, too. */
static bool has_begun(
	const struct reading *reading, const struct context *context, uint64_t cop)
{
	if (context->cop != cop)
		return true;
	if (!is_sub(context) || (context->flags & SUB_MULTICALL))
		return false;
	return reading->op_type != 0 && !is_op(reading, PERL_ENTERSUB) &&
	       !is_op(reading, PERL_SORT);
}

static uint64_t kind_of(const struct reading *reading, const struct context *context)
{
	if (is_sub(context))
		return PERL_FRAME_SUB;
	return perl_is(reading->layout, context->old_op, PERL_ENTEREVAL)
		       ? PERL_FRAME_TEXT
		       : PERL_FRAME_FILE;
}

static bool is_function(const struct context *context)
{
	if (is_sub(context))
		return context->cv != 0 && !(context->flags & SUB_FAKE);
	return context->type == TYPE_EVAL && !is_block(context);
}

/* Does the statement of the caller change with CONTEXT? */
static bool has_caller(const struct context *context)
{
	return is_sub(context) || (context->type == TYPE_EVAL && !is_block(context));
}

/* The segment of CONTEXT ends. C that calls the same function again and again, as sort, may be
   between two calls: that is likely of the innermost one, and of another one only if there is one
   alone. */
static void look_for_rest(struct reading *reading, const struct context *context)
{
	struct script_stack *out = reading->out;
	uint32_t segment = out->n_segments;
	bool repeats = context->type == TYPE_NULL || (context->flags & SUB_MULTICALL);
	if (segment == 0 && (repeats || out->n_frames == 0))
		out->resting = 0;
	else if (repeats && out->resting != 0)
		out->resting = reading->repeated++ == 0 ? segment : UINT32_MAX;
}

static void add_frames(struct reading *reading, bool has_program)
{
	uint64_t cop = reading->cop, unsure = PERL_FRAME_UNSURE;
	bool is_innermost = true;
	if (perl_is_statement(reading->layout, reading->op_type))
		cop = reading->op;
	for (uint32_t i = 0; i < reading->n; i++) {
		const struct context *context = &reading->contexts[i];
		if (context->is_used && is_function(context) &&
			(!is_innermost || has_begun(reading, context, cop)))
			add_frame(reading, context->cv, cop,
				kind_of(reading, context) | unsure);
		if (context->is_used ? has_caller(context)
				     : is_counted(context) && is_leaving(reading)) {
			cop = context->cop;
			unsure = 0;
		}
		is_innermost &= !context->is_used || !has_caller(context);
		if (context->is_call) {
			look_for_rest(reading, context);
			end_segment(reading);
			unsure = PERL_FRAME_UNSURE;
		}
	}
	if (has_program)
		add_frame(reading, 0, cop, PERL_FRAME_PROGRAM | unsure);
	if (has_program || reading->is_cut)
		end_segment(reading);
}

static void read_all(struct reading *reading, uint64_t si, uint64_t jump)
{
	struct script_stack *out = reading->out;
	uint64_t word;
	bool has_program;
	if (reading->op != 0 && read_word(reading, reading->op + PERL_OP_TYPE, &word))
		reading->op_type = (uint32_t)word & PERL_OP_TYPE_BITS;
	out->end = read_stacks(reading, si, &has_program);
	if (out->end == SCRIPT_UNSURE)
		return;
	enum script_end jumps = read_jumps(reading, jump);
	find_calls(reading);
	if (jumps == SCRIPT_ALL)
		jumps = find_inner(reading, has_program);
	if (jumps != SCRIPT_ALL) {
		out->end = jumps == SCRIPT_CUT ? SCRIPT_UNSURE : jumps;
		return;
	}
	add_frames(reading, has_program);
	if (out->end == SCRIPT_ALL && out->n_segments == 0)
		out->end = SCRIPT_NONE;
}

void perl_stack_read(const struct perl_layout *layout, int32_t place,
	const struct snapshot *snapshot, struct script_stack *out)
{
	struct reading reading = {.layout = layout, .snapshot = snapshot, .out = out};
	uint64_t thread = snapshot->second_thread, interpreter, si, jump;
	out->n_frames = out->n_segments = 0;
	out->end = SCRIPT_NONE;
	if (thread == 0 ||
		!read_word(&reading, thread + (uint64_t)(int64_t)place, &interpreter) ||
		interpreter == 0)
		return;
	if (read_word(&reading, interpreter + layout->cop, &reading.cop) &&
		read_word(&reading, interpreter + layout->si, &si) && si != 0 &&
		read_word(&reading, interpreter + layout->jump, &jump) &&
		read_word(&reading, interpreter + PERL_INTERPRETER_OP, &reading.op))
		read_all(&reading, si, jump);
	else
		out->end = SCRIPT_UNSURE;
}
