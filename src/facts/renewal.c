/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/renewal.h"

#include "src/base/mem.h"

#include <stdlib.h>

void renewal_init(struct renewal *renewal, const struct profile *from)
{
	*renewal = (struct renewal){.from = profile_ref(from), .to = profile_create()};
}

void renewal_finish(struct renewal *renewal)
{
	idmap_finish(&renewal->mappings);
	idmap_finish(&renewal->functions);
	idmap_finish(&renewal->locations);
	idmap_finish(&renewal->threads);
	profile_unref(renewal->from);
	profile_unref(renewal->to);
}

uint32_t renewal_mapping(struct renewal *renewal, uint32_t id)
{
	uint32_t *known = idmap_get(&renewal->mappings, id, 0);
	if (known)
		return *known;
	uint32_t copy =
		profile_add_mapping(renewal->to, profile_mapping(renewal->from, id));
	idmap_put(&renewal->mappings, id, 0, copy);
	return copy;
}

static uint32_t copy_function(struct renewal *renewal, uint32_t id)
{
	uint32_t *known = idmap_get(&renewal->functions, id, 0);
	if (known)
		return *known;
	uint32_t copy =
		profile_intern_function(renewal->to, profile_function(renewal->from, id));
	idmap_put(&renewal->functions, id, 0, copy);
	return copy;
}

static uint32_t copy_location(struct renewal *renewal, uint32_t id)
{
	const struct location *location = profile_location(renewal->from, id);
	uint32_t process = profile_process_of_frame(renewal->from, id);
	if (process != PROFILE_NONE)
		return profile_process(renewal->to, renewal_process(renewal, process))
			->frame;
	const struct function *first =
		profile_function(renewal->from, location->lines[0].function);
	if (function_is_kernel(first) && location->address == 0)
		return profile_intern_kernel(renewal->to, first->name);
	if (location->mapping == PROFILE_NONE && first->is_synthetic)
		return profile_intern_detailed(
			renewal->to, first->name, location->detail);
	struct line *lines = mem_alloc(location->n_lines * sizeof(*lines));
	for (uint32_t i = 0; i < location->n_lines; i++) {
		lines[i] = location->lines[i];
		lines[i].function = copy_function(renewal, lines[i].function);
	}
	uint32_t mapping = location->mapping == PROFILE_NONE
				   ? PROFILE_NONE
				   : renewal_mapping(renewal, location->mapping);
	bool is_current = profile_find_location(renewal->from, location->mapping,
				  location->address) == id;
	uint32_t copy = is_current ? profile_add_location(renewal->to, mapping,
					     location->address, lines, location->n_lines)
				   : profile_add_past_location(renewal->to, mapping,
					     location->address, lines, location->n_lines);
	free(lines);
	return copy;
}

uint32_t renewal_location(struct renewal *renewal, uint32_t id)
{
	uint32_t *known = idmap_get(&renewal->locations, id, 0);
	if (known)
		return *known;
	uint32_t copy = copy_location(renewal, id);
	idmap_put(&renewal->locations, id, 0, copy);
	return copy;
}

bool renewal_knows_location(const struct renewal *renewal, uint32_t *id)
{
	const uint32_t *known = idmap_get(&renewal->locations, *id, 0);
	if (known)
		*id = *known;
	return known != NULL;
}

uint32_t renewal_process(struct renewal *renewal, uint32_t id)
{
	if (id == PROFILE_NONE)
		return PROFILE_NONE;
	const struct profile_process *process = profile_process(renewal->from, id);
	return profile_intern_process(
		renewal->to, process->pid, process->name, process->command);
}

uint32_t renewal_thread(struct renewal *renewal, uint32_t id)
{
	uint32_t *known = idmap_get(&renewal->threads, id, 0);
	if (known)
		return *known;
	const struct thread *thread = profile_thread(renewal->from, id);
	uint32_t copy = profile_intern_thread_of(renewal->to,
		renewal_process(renewal, thread->process), thread->tid, thread->name);
	idmap_put(&renewal->threads, id, 0, copy);
	return copy;
}
