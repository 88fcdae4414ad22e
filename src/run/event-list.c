/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/event-list.h"

#include "ptrace/perf/perf-events.h"

#include <string.h>

void event_list_print(FILE *out)
{
	for (enum event_kind kind = EVENT_PAGE_FAULTS; kind <= EVENT_WRITE; kind++) {
		const char *name = kind == EVENT_FUNCTION ? "FUNCTION"
				   : kind == EVENT_WRITE  ? "write@VARIABLE"
							  : event_kind_name(kind);
		struct event event = {.kind = kind};
		struct perf_grant grant;
		struct error err;
		snprintf(event.name, sizeof(event.name), "%s", name);
		bool granted = perf_events_are_granted(&event, &grant, &err);
		fprintf(out, "%-18s%s\n", name,
			!granted	     ? err.text + strlen("-e : ") + strlen(name)
			: !grant.with_kernel ? "yes, but for what happens in the kernel"
			: grant.uprobe_type > 0
				? "yes, by uprobes, which cost each call more"
				: "yes");
	}
}
