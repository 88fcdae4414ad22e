/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/assembly/file-assembly.h"

#include "src/assembly/assembly-job.h"

struct assembly *file_assembly(struct disassembler *disassembler,
	const struct assembly_request *request, const char *debug_dirs)
{
	struct code_source source;
	struct assembly_job job;
	code_source_of_file(&source, request, debug_dirs);
	assembly_job_begin(&job, disassembler, &source, request);
	if (job.code.length > 0)
		disassembler_wait(disassembler);
	struct assembly *assembly = assembly_job_end(&job, disassembler, &source);
	code_source_finish(&source);
	return assembly;
}
