/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/selection.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum answer {
	UNASKED,
	NO,
	YES
};

/* TEXT may be "". False if it is not a pattern. */
static bool frames_init(
	struct selection_frames *frames, const struct report *report, const char *text)
{
	char why[8] = "";
	frames->pattern = pattern_create(text, NULL, why, sizeof(why));
	if (frames->pattern) {
		frames->of_function = mem_zalloc(report->profile->functions->len);
		frames->of_node = mem_zalloc(stacktab_nodes(report->stacktab));
	}
	return why[0] == '\0';
}

static void frames_finish(struct selection_frames *frames)
{
	pattern_destroy(frames->pattern);
	free(frames->of_function);
	free(frames->of_node);
}

void selection_init(struct selection *selection, const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct stacktab *stacktab = report->stacktab;
	const struct report_request *request = &report->request;
	char why_threads[8] = "";
	*selection = (struct selection){
		.report = report,
		.profile = profile,
		.stacktab = stacktab,
		.request = request,
		.threads = pattern_create(
			request->thread_pattern, NULL, why_threads, sizeof(why_threads)),
		.module = request->module[0] ? request->module : NULL,
		.of_thread = mem_zalloc(profile->threads->len),
		.has_module = mem_zalloc(stacktab_nodes(stacktab)),
	};
	bool valid = frames_init(&selection->wanted, report, request->filter);
	valid &= frames_init(&selection->ignored, report, request->ignore);
	selection->nothing = !valid || why_threads[0];
	selection->all_threads = !selection->threads && request->n_tids == 0;
	selection->all_stacks = !selection->wanted.pattern &&
				!selection->ignored.pattern && !selection->module;
	if (request->zoom.length == 0)
		return;
	selection->of_stack = mem_zalloc(stacktab_nodes(stacktab));
}

void selection_finish(struct selection *selection)
{
	frames_finish(&selection->wanted);
	frames_finish(&selection->ignored);
	pattern_destroy(selection->threads);
	free(selection->of_thread);
	free(selection->has_module);
	free(selection->of_stack);
	vec_free(&selection->frames);
}

static bool ask_thread(const struct selection *selection, const struct thread *thread)
{
	const struct report_request *request = selection->request;
	bool wanted = request->n_tids == 0;
	for (uint32_t i = 0; i < request->n_tids && !wanted; i++)
		wanted = request->tids[i] == thread->tid;
	if (!wanted || !selection->threads)
		return wanted;
	return pattern_matches(selection->threads, thread->name) !=
	       pattern_is_inverted(selection->threads);
}

/* THREAD as the reader knows it. */
static const struct thread *shown_thread(
	const struct selection *selection, uint32_t thread)
{
	struct naming *naming = selection->report->naming_owner;
	if (naming)
		thread = naming_thread(naming, &selection->request->naming, thread);
	return profile_thread(selection->profile, thread);
}

static bool thread_is_wanted(struct selection *selection, uint32_t thread)
{
	unsigned char *answer = &selection->of_thread[thread];
	if (*answer == UNASKED)
		*answer =
			ask_thread(selection, shown_thread(selection, thread)) ? YES : NO;
	return *answer == YES;
}

static bool function_matches(const struct selection *selection,
	const struct selection_frames *frames, uint32_t function)
{
	unsigned char *answer = &frames->of_function[function];
	if (*answer == UNASKED) {
		const char *name = profile_function(selection->profile, function)->name;
		*answer = pattern_matches(frames->pattern, name) ? YES : NO;
	}
	return *answer == YES;
}

static bool location_matches(const struct selection *selection,
	const struct selection_frames *frames, uint32_t id)
{
	const struct location *location = naming_location(
		selection->profile, selection->report->naming.described, id);
	for (uint32_t i = 0; i < location->n_lines; i++)
		if (function_matches(selection, frames, location->lines[i].function))
			return true;
	return false;
}

static bool location_in_module(const struct selection *selection,
	const struct selection_frames *frames, uint32_t id)
{
	(void)frames;
	const struct profile *profile = selection->profile;
	const struct location *location = profile_location(profile, id);
	return location->mapping != PROFILE_NONE &&
	       strcmp(profile_mapping(profile, location->mapping)->module,
		       selection->module) == 0;
}

/* Does any node from STACK up to its root pass TEST? The answer is stored for every node
   on the way: YES from the nearest match down to STACK, else NO. */
static bool path_has(const struct selection *selection,
	const struct selection_frames *frames, unsigned char *answers, uint32_t stack,
	bool (*test)(const struct selection *, const struct selection_frames *, uint32_t))
{
	const struct stacktab *table = selection->stacktab;
	enum answer found = NO;
	uint32_t node = stack;
	for (; !stacktab_is_root(node); node = stacktab_node(table, node)->parent) {
		if (answers[node] == UNASKED &&
			test(selection, frames, stacktab_node(table, node)->location))
			answers[node] = YES;
		if (answers[node] != UNASKED) {
			found = answers[node];
			break;
		}
	}
	for (uint32_t below = stack; below != node;
		below = stacktab_node(table, below)->parent)
		answers[below] = (unsigned char)found;
	return found == YES;
}

/* Has STACK such a frame; or with '!', none? */
static bool has_frame(const struct selection *selection,
	const struct selection_frames *frames, uint32_t stack)
{
	return path_has(selection, frames, frames->of_node, stack, location_matches) !=
	       pattern_is_inverted(frames->pattern);
}

static bool stack_is_wanted(struct selection *selection, uint32_t stack)
{
	if (selection->module && !path_has(selection, NULL, selection->has_module, stack,
					 location_in_module))
		return false;
	return (!selection->wanted.pattern ||
		       has_frame(selection, &selection->wanted, stack)) &&
	       (!selection->ignored.pattern ||
		       !has_frame(selection, &selection->ignored, stack));
}

/* Does STACK, as the report counts it (src/count/rewritten.h), begin with the functions
   of the zoom? */
static enum selected ask_zoom(struct selection *selection, uint32_t stack)
{
	const struct report_zoom *zoom = &selection->request->zoom;
	struct stack_frames *frames = &selection->frames;
	stack_frames_of(selection->report, stack, frames);
	if (frames->len < zoom->length)
		return SELECTED_AROUND;
	for (size_t i = 0; i < zoom->length; i++)
		if (frames->data[frames->len - 1 - i].function != zoom->path[i])
			return SELECTED_AROUND;
	return SELECTED;
}

static enum selected stack_in_zoom(struct selection *selection, uint32_t stack)
{
	unsigned char *answer = &selection->of_stack[stack];
	if (*answer == 0)
		*answer = (unsigned char)(ask_zoom(selection, stack) + 1);
	return (enum selected)(*answer - 1);
}

bool selection_has_thread(struct selection *selection, uint32_t thread)
{
	return !selection->nothing &&
	       (selection->all_threads || thread_is_wanted(selection, thread));
}

enum selected selection_has_stack(struct selection *selection, uint32_t stack)
{
	if (selection->nothing ||
		(!selection->all_stacks && !stack_is_wanted(selection, stack)))
		return SELECTED_NOT;
	return selection->of_stack ? stack_in_zoom(selection, stack) : SELECTED;
}

enum selected selection_has(struct selection *selection, const struct sample *sample)
{
	return selection_has_thread(selection, sample->thread)
		       ? selection_has_stack(selection, sample->stack)
		       : SELECTED_NOT;
}
