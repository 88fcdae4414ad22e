/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/assemblies.h"

#include "src/assembly/assembly-lines.h"

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

static void begin(struct assemblies *assemblies, const struct assembly_request *request)
{
	struct code_source source;
	drop(assemblies);
	assemblies->request = *request;
	assemblies->is_busy = true;
	find_source(assemblies, &source);
	assembly_job_begin(&assemblies->job, assemblies->disassembler, &source, request);
	code_source_finish(&source);
}

static void end(struct assemblies *assemblies)
{
	struct code_source source;
	find_source(assemblies, &source);
	struct assembly *assembly =
		assembly_job_end(&assemblies->job, assemblies->disassembler, &source);
	if (!assembly_lines_ask(assembly, &source, assemblies->lines))
		mailbox_publish_lines(
			assemblies->mailbox, code_lines_create(assembly->serial, 0, 0));
	mailbox_publish_assembly(assemblies->mailbox, assembly);
	code_source_finish(&source);
	drop(assemblies);
}

void assemblies_advance(struct assemblies *assemblies)
{
	struct assembly_request request;
	if (mailbox_take_assembly_request(assemblies->mailbox, &request))
		begin(assemblies, &request);
	if (assemblies->is_busy &&
		(assemblies->job.code.length == 0 ||
			disassembler_advance(assemblies->disassembler)))
		end(assemblies);
	struct code_lines *lines;
	while ((lines = line_resolver_take_range(assemblies->lines)))
		mailbox_publish_lines(assemblies->mailbox, lines);
}

int assemblies_fd(const struct assemblies *assemblies)
{
	return assemblies->is_busy ? disassembler_fd(assemblies->disassembler) : -1;
}

void assemblies_finish(struct assemblies *assemblies)
{
	drop(assemblies);
}
