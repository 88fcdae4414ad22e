/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/code-means.h"

#include "src/base/clock.h"

#include <poll.h>

#define LINES_WAIT_NS	 (20 * NS_PER_SEC)
#define ASSEMBLY_WAIT_NS (10 * NS_PER_SEC)

/* Something may be ready, or the time is over. */
static bool wait_for(const struct analyst *analyst, uint64_t until_ns)
{
	struct pollfd ready = {.fd = analyst_ready_fd(analyst), .events = POLLIN};
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= until_ns)
		return false;
	struct timespec left = clock_to_timespec(until_ns - now_ns);
	ppoll(&ready, 1, &left, NULL);
	return true;
}

static struct assembly *assemble(void *context, const struct assembly_request *request)
{
	struct analyst *analyst = context;
	uint64_t until_ns = clock_monotonic_ns() + ASSEMBLY_WAIT_NS;
	struct assembly *assembly = NULL;
	analyst_ask_assembly(analyst, request);
	do {
		assembly_destroy(assembly); /* of the question before */
		report_destroy(
			analyst_take(analyst)); /* makes the descriptor wait again */
		assembly = analyst_take_assembly(analyst);
	} while ((!assembly || assembly->serial != request->serial) &&
		 wait_for(analyst, until_ns));
	if (assembly && assembly->serial == request->serial)
		return assembly;
	assembly_destroy(assembly);
	return NULL;
}

static struct code_lines *find_lines(void *context,
	const struct assembly_request *request, const struct assembly *assembly)
{
	struct analyst *analyst = context;
	uint64_t until_ns = clock_monotonic_ns() + LINES_WAIT_NS;
	struct code_lines *lines = NULL;
	(void)assembly;
	do {
		code_lines_destroy(lines);
		report_destroy(analyst_take(analyst));
		lines = analyst_take_lines(analyst);
	} while ((!lines || lines->serial != request->serial) &&
		 wait_for(analyst, until_ns));
	if (lines && lines->serial == request->serial)
		return lines;
	code_lines_destroy(lines);
	return NULL;
}

struct analyst *code_means_analyst(const struct options *options, struct error *err)
{
	const struct analyst_options analyst = {
		.lines = options->with_lines,
		.code = true,
		.debug_dirs = options->debug_dirs,
		.file_bytes = options->file_bytes,
	};
	return analyst_create(&analyst, err);
}

void code_means_fill(struct annotated_means *means, struct analyst *analyst)
{
	means->assemble = assemble;
	means->find_lines = find_lines;
	means->context = analyst;
}
