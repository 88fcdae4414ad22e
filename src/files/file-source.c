/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/files/file-source.h"

#include "src/assembly/file-assembly.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct meter *file_meter(void *context)
{
	return &((struct file_source *)context)->meter;
}

static void file_request(void *context, const struct report_request *request)
{
	struct file_source *file = context;
	uint64_t one = 1;

	report_destroy(file->ready);
	file->ready = file->pair
			      ? pair_side(file->pair, request->earlier ? 0 : 1, request)
			      : recording_report(file->recording, request);
	(void)!write(file->ready_fd, &one, sizeof(one));
}

static struct report *file_take(void *context)
{
	struct file_source *file = context;
	struct report *report = file->ready;
	uint64_t count;

	file->ready = NULL;
	(void)!read(file->ready_fd, &count, sizeof(count));
	return report;
}

static void file_ask_assembly(void *context, const struct assembly_request *request)
{
	struct file_source *file = context;
	uint64_t one = 1;

	assembly_destroy(file->ready_assembly);
	file->ready_assembly =
		file_assembly(file->disassembler, request, file->debug_dirs);
	(void)!write(file->ready_fd, &one, sizeof(one));
}

static struct assembly *file_take_assembly(void *context)
{
	struct file_source *file = context;
	struct assembly *assembly = file->ready_assembly;

	file->ready_assembly = NULL;
	return assembly;
}

static int file_ready_fd(void *context)
{
	return ((struct file_source *)context)->ready_fd;
}

bool file_source_init(struct file_source *file, struct recording *recording,
	const char *name, uint32_t sample_type, struct error *err)
{
	*file = (struct file_source){
		.source =
			{
				.context = file,
				.facts =
					{
						.command = name,
						.path = "",
						.origin = recording->origin,
						.sample_type = sample_type,
					},
				.meter = file_meter,
				.request = file_request,
				.take = file_take,
				.ready_fd = file_ready_fd,
				.ask_assembly = file_ask_assembly,
				.take_assembly = file_take_assembly,
			},
		.recording = recording,
		.ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	/* It is over: a screen need not ask for the same again. */
	meter_set(&file->meter.began_ns, ORIGIN_START_NS);
	meter_set(
		&file->meter.ended_ns, ORIGIN_START_NS + recording_length_ns(recording));
	return file->ready_fd >= 0 || error_errno(err, errno, "eventfd");
}

bool file_source_init_pair(struct file_source *file, struct pair *pair,
	const char *before, const char *name, enum normalization normalization,
	struct error *err)
{
	bool done = file_source_init(file, &pair->sides[1], name, pair->types[1], err);
	file->recording = NULL;
	file->pair = pair;
	file->source.facts.before = before;
	file->source.facts.normalization = normalization;
	return done;
}

void file_source_finish(struct file_source *file)
{
	report_destroy(file->ready);
	assembly_destroy(file->ready_assembly);
	if (file->ready_fd >= 0)
		close(file->ready_fd);
}
