/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/record-file.h"

#include "src/export/provenance.h"

bool record_file_write(const struct options *options, const struct session *session,
	const struct export_format *format, const struct report *report,
	const struct summary *summary, const char *path, struct error *err)
{
	struct provenance provenance;
	provenance_init(&provenance, report, summary);
	struct export_facts facts = {
		.frequency_hz = options->frequency_hz,
		.command = session_command(session),
		.pid = session->several ? 0 : session_target(session)->pid,
		.weigh_cpu = options->weigh_cpu,
		.weigh_wall = options->weigh_wall,
		.split_inlines = options->split_inlines,
	};
	provenance_comment(&provenance, &facts);
	bool done = export_to_file(format, report, &facts, path, NULL, err);
	provenance_finish(&provenance);
	return done;
}
