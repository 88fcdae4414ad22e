/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/world.h"

#include "tests/lib/unit.h"

#include <stdio.h>
#include <string.h>

struct world world_create(void)
{
	struct world world = {.profile = profile_create(), .stacktab = stacktab_create()};
	const char *modules[] = {"app", "libx.so"};
	for (int i = 0; i < 2; i++) {
		struct mapping mapping = {.start = 0x1000u * (unsigned)(i + 1),
			.path = modules[i],
			.module = modules[i],
			.build_id = "",
			.is_main = i == 0};
		world.mapping[i] = profile_add_mapping(world.profile, &mapping);
	}
	return world;
}

void world_destroy(struct world *world)
{
	sample_log_finish(&world->samples);
	stacktab_unref(world->stacktab);
	profile_unref(world->profile);
}

uint32_t world_stack(struct world *world, const char *text, enum unwind_end end)
{
	uint32_t locations[64], n = 0;
	char copy[256], *rest = copy;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *frame; (frame = strsep(&rest, ";"));) {
		char *module = strchr(frame, '@');
		if (module)
			*module++ = '\0';
		struct line lines[4];
		uint32_t n_lines = 0;
		for (char *part; (part = strsep(&frame, "+")); n_lines++) {
			struct function function = {.name = part,
				.system_name = part,
				.module = module ? module : "app",
				.file = ""};
			memmove(lines + 1, lines, n_lines * sizeof(*lines));
			lines[0] = (struct line){
				profile_intern_function(world->profile, &function), 0};
		}
		uint32_t mapping = world->mapping[module != NULL];
		uint64_t address = lines[0].function * 16u + 0x100;
		uint32_t id = profile_find_location(world->profile, mapping, address);
		if (id == PROFILE_NONE)
			id = profile_add_location(
				world->profile, mapping, address, lines, n_lines);
		memmove(locations + 1, locations, n++ * sizeof(*locations));
		locations[0] = id;
	}
	return stacktab_intern(world->stacktab, locations, n, end);
}

void world_sample(struct world *world, uint64_t time_ns, pid_t tid, const char *comm,
	const char *stack, uint64_t cpu_ns)
{
	struct sample sample = {
		.time_ns = time_ns,
		.cpu_ns = cpu_ns,
		.thread = profile_intern_thread(world->profile, tid, comm),
		.stack = world_stack(world, stack, UNWIND_ROOT),
		.count = 1,
	};
	sample_log_add(&world->samples, &sample);
}

struct report *world_report(struct world *world, const struct report_request *request)
{
	struct report_input input = {
		.profile = world->profile,
		.stacktab = world->stacktab,
		.samples = &world->samples,
		.now_ns = 1000,
		.now_wall_ns = 5000000,
	};
	struct report_request everything = {0};
	return report_build(&input, request ? request : &everything);
}

const struct report_node *world_node(const struct report *report, const char *path)
{
	char copy[256], *rest = copy;
	snprintf(copy, sizeof(copy), "%s", path);
	const struct report_node *at = report->nodes;
	for (char *name; (name = strsep(&rest, ";"));) {
		const struct report_node *next = NULL;
		for (uint32_t i = 0; i < at->n_children; i++) {
			const struct report_node *child =
				&report->nodes[at->first_child + i];
			if (strcmp(profile_function(report->profile, child->function)
					    ->name,
				    name) == 0)
				next = child;
		}
		assert_non_null(next);
		at = next;
	}
	return at;
}
