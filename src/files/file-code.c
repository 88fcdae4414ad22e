/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/files/file-code.h"

#include "src/assembly/assembly-lines.h"
#include "src/assembly/file-assembly.h"
#include "src/base/clock.h"

#define LINES_WAIT_NS (20 * NS_PER_SEC)

static struct assembly *assemble_file(
	const void *context, const struct assembly_request *request)
{
	const struct options *options = context;
	return file_assembly(options->disassembler, request, options->debug_dirs);
}

static struct code_lines *find_file_lines(const void *context,
	const struct assembly_request *request, const struct assembly *assembly)
{
	const struct options *options = context;
	if (!file_assembly_lines_ask(
		    assembly, request, options->debug_dirs, options->lines))
		return NULL;
	line_resolver_wait(options->lines, LINES_WAIT_NS);
	/* One that came too late for the function before is in the way. */
	struct code_lines *lines;
	while ((lines = line_resolver_take_range(options->lines)) &&
		lines->serial != assembly->serial)
		code_lines_destroy(lines);
	return lines;
}

void file_code_means(struct annotated_means *means, const struct options *options)
{
	means->assemble = assemble_file;
	means->find_lines = find_file_lines;
	means->context = options;
}
