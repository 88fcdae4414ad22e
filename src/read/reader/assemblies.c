/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/assemblies.h"

#include "src/read/assembly/assembly-lines.h"
#include "src/read/assembly/assembly-make.h"
#include "src/read/tell/code-facts.h"
#include "src/read/tell/code-question.h"

static void find_source(const struct assemblies *assemblies,
	const struct assembly_request *request, struct code_source *source)
{
	if (request->mapping != PROFILE_NONE)
		vec_each (&assemblies->intakes->list, intake)
			if (intake_find_code(*intake, request, source))
				return;
	code_source_of_file(source, request, assemblies->debug_dirs);
}

static void tell_lines(struct assemblies *assemblies, struct code_lines *lines)
{
	code_facts_tell_lines(assemblies->teller, lines);
	code_lines_destroy(lines);
}

void assemblies_answer(struct assemblies *assemblies, const void *question, size_t length)
{
	struct assembly_request request;
	struct code_source source;
	if (!code_question_read(question, length, &request))
		return;
	find_source(assemblies, &request, &source);
	struct assembly *assembly = assembly_make(assemblies->decoder, &source, &request);
	if (!assembly_lines_ask(assembly, &source, assemblies->lines))
		tell_lines(assemblies, code_lines_create(assembly->serial, 0, 0));
	code_facts_tell_assembly(assemblies->teller, assembly);
	assembly_destroy(assembly);
	code_source_finish(&source);
	profile_unref(request.profile);
}

void assemblies_tell_lines(struct assemblies *assemblies)
{
	struct code_lines *lines;
	while ((lines = line_resolver_take_range(assemblies->lines)))
		tell_lines(assemblies, lines);
}
