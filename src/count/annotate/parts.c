/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/parts.h"

#include "src/base/mem.h"
#include "src/count/calltree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_sources(struct parts *parts)
{
	for (size_t i = 0; i < parts->n_sources; i++) {
		source_file_unref(parts->sources[i].file);
		free((char *)(uintptr_t)parts->sources[i].path);
		free((char *)(uintptr_t)parts->sources[i].why);
	}
	parts->n_sources = 0;
}

void parts_finish(struct parts *parts)
{
	cost_finish(&parts->cost);
	assembly_destroy(parts->assembly);
	code_lines_destroy(parts->lines);
	annotation_finish(&parts->annotation);
	forget_sources(parts);
	*parts = (struct parts){0};
}

/* By it a server of debug files knows the program. */
static const char *build_id_of(const struct parts *parts, const struct report *report)
{
	vec_each (&parts->cost.places, place) {
		const struct mapping *mapping =
			profile_mapping(report->profile, place->mapping);
		if (mapping->build_id[0])
			return mapping->build_id;
	}
	return "";
}

bool parts_ask_sources(
	struct parts *parts, const struct report *report, struct source_reader *reader)
{
	const char *files[PARTS_SOURCES_MAX];
	char why[SOURCE_WHY_MAX];
	bool is_pending = false;
	forget_sources(parts);
	if (!reader)
		return false;
	size_t n = annotation_files(&parts->cost, files, PARTS_SOURCES_MAX);
	for (size_t i = 0; i < n; i++) {
		struct annotation_source *source = &parts->sources[parts->n_sources++];
		enum source_state state = source_reader_ask(
			reader, files[i], build_id_of(parts, report), &source->file, why);
		source->path = mem_strdup(files[i]);
		source->why =
			mem_strdup(state == SOURCE_PENDING ? "looking for it..." : why);
		is_pending |= state == SOURCE_PENDING;
	}
	return is_pending;
}

/* What helps where no line is known. */
static void find_remedy(struct parts *parts, const struct report *report)
{
	const struct function *function =
		profile_function(report->profile, parts->cost.function);
	bool has_file = false;
	vec_each (&parts->cost.places, place)
		has_file |=
			profile_mapping(report->profile, place->mapping)->path[0] == '/';
	if (report->difference)
		snprintf(parts->remedy, sizeof(parts->remedy),
			"Two profiles are compared here, and lines and instructions are "
			"of one: the key D shows those of what is now.");
	else if (has_file || report->origin)
		snprintf(parts->remedy, sizeof(parts->remedy),
			"No line information for %s: install its debug package, compile "
			"it "
			"with -g, or use --debuginfod.",
			function->module[0] ? function->module : "this code");
	else
		snprintf(parts->remedy, sizeof(parts->remedy),
			"This code is in no file, so there is no line information for "
			"it.");
}

void parts_annotate(struct parts *parts, const struct report *report, bool by_address)
{
	struct annotation_input input = {
		.report = report,
		.cost = &parts->cost,
		.assembly = parts->assembly,
		.mapping = parts->mapping,
		.lines = parts->lines,
		.sources = parts->sources,
		.n_sources = parts->n_sources,
		.by_address = by_address,
		.remedy = parts->remedy,
	};
	find_remedy(parts, report);
	annotation_build(&parts->annotation, &input);
}
