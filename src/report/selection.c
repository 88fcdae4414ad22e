/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/selection.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum answer {
	UNASKED,
	NO,
	YES
};

void selection_init(struct selection *selection, const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct stacktab *stacktab = report->stacktab;
	const struct report_request *request = &report->request;
	char why[8] = "", why_threads[8] = "";
	*selection = (struct selection){
		.report = report,
		.profile = profile,
		.stacktab = stacktab,
		.request = request,
		.frames = pattern_create(request->filter, NULL, why, sizeof(why)),
		.threads = pattern_create(
			request->thread_pattern, NULL, why_threads, sizeof(why_threads)),
		.module = request->module[0] ? request->module : NULL,
		.of_function = mem_zalloc(profile->functions->len),
		.of_thread = mem_zalloc(profile->threads->len),
		.has_frame = mem_zalloc(stacktab_nodes(stacktab)),
		.has_module = mem_zalloc(stacktab_nodes(stacktab)),
	};
	selection->nothing = why[0] || why_threads[0];
	selection->all_threads = !selection->threads && request->n_tids == 0;
	selection->all_stacks = !selection->frames && !selection->module;
}

void selection_finish(struct selection *selection)
{
	pattern_destroy(selection->frames);
	pattern_destroy(selection->threads);
	free(selection->of_function);
	free(selection->of_thread);
	free(selection->has_frame);
	free(selection->has_module);
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

static bool thread_is_wanted(struct selection *selection, uint32_t thread)
{
	unsigned char *answer = &selection->of_thread[thread];
	if (*answer == UNASKED)
		*answer =
			ask_thread(selection, profile_thread(selection->profile, thread))
				? YES
				: NO;
	return *answer == YES;
}

static bool function_matches(struct selection *selection, uint32_t function)
{
	unsigned char *answer = &selection->of_function[function];
	if (*answer == UNASKED) {
		const char *name = profile_function(selection->profile, function)->name;
		*answer = pattern_matches(selection->frames, name) ? YES : NO;
	}
	return *answer == YES;
}

static bool location_matches(struct selection *selection, uint32_t id)
{
	const struct location *location = report_described(selection->report, id);
	for (uint32_t i = 0; i < location->n_lines; i++)
		if (function_matches(selection, location->lines[i].function))
			return true;
	return false;
}

static bool location_in_module(struct selection *selection, uint32_t id)
{
	const struct profile *profile = selection->profile;
	const struct location *location = profile_location(profile, id);
	return location->mapping != PROFILE_NONE &&
	       strcmp(profile_mapping(profile, location->mapping)->module,
		       selection->module) == 0;
}

/* Does any node from STACK up to its root pass TEST? The answer is stored for every node
   on the way: YES from the nearest match down to STACK, else NO. */
static bool path_has(struct selection *selection, unsigned char *answers, uint32_t stack,
	bool (*test)(struct selection *, uint32_t))
{
	const struct stacktab *table = selection->stacktab;
	enum answer found = NO;
	uint32_t node = stack;
	for (; !stacktab_is_root(node); node = stacktab_node(table, node)->parent) {
		if (answers[node] == UNASKED &&
			test(selection, stacktab_node(table, node)->location))
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

static bool stack_is_wanted(struct selection *selection, uint32_t stack)
{
	if (selection->module &&
		!path_has(selection, selection->has_module, stack, location_in_module))
		return false;
	return !selection->frames ||
	       path_has(selection, selection->has_frame, stack, location_matches) !=
		       pattern_is_inverted(selection->frames);
}

bool selection_has(struct selection *selection, const struct sample *sample)
{
	if (selection->nothing)
		return false;
	if (!selection->all_threads && !thread_is_wanted(selection, sample->thread))
		return false;
	return selection->all_stacks || stack_is_wanted(selection, sample->stack);
}
