/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/annotated-page.h"

#include "src/base/clock.h"

#define SOURCES_WAIT_NS (20 * NS_PER_SEC)

static void add_code(struct parts *parts, const struct listing *listing,
	const struct annotated_means *means)
{
	const struct cost_place *hottest = cost_hottest(&parts->cost, listing->metric.of);
	if (!hottest || !means->assemble)
		return;
	const struct assembly_request request = {
		.profile = listing->report->profile,
		.mapping = hottest->mapping,
		.address = hottest->address,
		.serial = (uint64_t)parts->cost.function + 1,
	};
	parts->mapping = hottest->mapping;
	parts->assembly = means->assemble(means->context, &request);
	if (parts->assembly && parts->assembly->n_instructions > 0)
		parts->lines =
			means->find_lines(means->context, &request, parts->assembly);
}

bool page_gather(struct parts *parts, const struct listing *listing, uint32_t function,
	const struct annotated_means *means)
{
	if (!cost_count(&parts->cost, listing->report, function))
		return false;
	add_code(parts, listing, means);
	if (parts_ask_sources(parts, listing->report, means->sources)) {
		source_reader_wait(means->sources, SOURCES_WAIT_NS);
		parts_ask_sources(parts, listing->report, means->sources);
	}
	parts_annotate(parts, listing->report, false);
	return true;
}
