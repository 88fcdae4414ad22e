/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/assemblies.h"

#include "src/read/assembly/assembly-lines.h"
#include "src/read/tell/code-facts.h"
#include "src/read/tell/code-question.h"

static void find_source(const struct assemblies *assemblies, struct code_source *source)
{
	const struct assembly_request *request = &assemblies->request;
	if (request->mapping != PROFILE_NONE)
		vec_each (&assemblies->intakes->list, intake)
			if (intake_find_code(*intake, request, source))
				return;
	code_source_of_file(source, request, assemblies->debug_dirs);
}

static void drop(struct assemblies *assemblies)
{
	assembly_job_drop(&assemblies->job);
	profile_unref(assemblies->request.profile);
	assemblies->request.profile = NULL;
	assemblies->is_busy = false;
}

void assemblies_ask(struct assemblies *assemblies, const void *question, size_t length)
{
	struct code_source source;
	drop(assemblies);
	if (!code_question_read(question, length, &assemblies->request)) {
		assemblies->request.profile = NULL;
		return;
	}
	assemblies->is_busy = true;
	find_source(assemblies, &source);
	assembly_job_begin(&assemblies->job, assemblies->disassembler, &source,
		&assemblies->request);
	code_source_finish(&source);
}

static void tell_lines(struct assemblies *assemblies, struct code_lines *lines)
{
	code_facts_tell_lines(assemblies->teller, lines);
	code_lines_destroy(lines);
}

static void end(struct assemblies *assemblies)
{
	struct code_source source;
	find_source(assemblies, &source);
	struct assembly *assembly =
		assembly_job_end(&assemblies->job, assemblies->disassembler, &source);
	if (!assembly_lines_ask(assembly, &source, assemblies->lines))
		tell_lines(assemblies, code_lines_create(assembly->serial, 0, 0));
	code_facts_tell_assembly(assemblies->teller, assembly);
	assembly_destroy(assembly);
	code_source_finish(&source);
	drop(assemblies);
}

void assemblies_advance(struct assemblies *assemblies)
{
	if (assemblies->is_busy &&
		(assemblies->job.code.length == 0 ||
			disassembler_advance(assemblies->disassembler)))
		end(assemblies);
	struct code_lines *lines;
	while ((lines = line_resolver_take_range(assemblies->lines)))
		tell_lines(assemblies, lines);
}

int assemblies_fd(const struct assemblies *assemblies)
{
	return assemblies->is_busy ? disassembler_fd(assemblies->disassembler) : -1;
}
