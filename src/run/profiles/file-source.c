/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/file-source.h"

#include "src/run/profiles/code-means.h"

#include <errno.h>
#include <sys/epoll.h>
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

/* Failing costs no more than that what comes is shown at the next key. */
static void poll_too(struct file_source *file, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	if (fd >= 0)
		epoll_ctl(file->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void file_ask_assembly(void *context, const struct assembly_request *request)
{
	struct file_source *file = context;

	if (!file->code && file->options) {
		file->code = code_means_analyst(file->options, NULL);
		if (file->code)
			poll_too(file, analyst_ready_fd(file->code));
	}
	if (file->code)
		analyst_ask_assembly(file->code, request);
}

static struct code_lines *file_take_lines(void *context)
{
	struct file_source *file = context;

	return file->code ? analyst_take_lines(file->code) : NULL;
}

static struct assembly *file_take_assembly(void *context)
{
	struct file_source *file = context;

	if (!file->code)
		return NULL;
	report_destroy(analyst_take(file->code)); /* makes the descriptor wait again */
	return analyst_take_assembly(file->code);
}

static int file_ready_fd(void *context)
{
	return ((struct file_source *)context)->poll_fd;
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
				.take_lines = file_take_lines,
			},
		.recording = recording,
		.ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.poll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	poll_too(file, file->ready_fd);
	/* It is over: a screen need not ask for the same again. */
	meter_set(&file->meter.began_ns, ORIGIN_START_NS);
	meter_set(
		&file->meter.ended_ns, ORIGIN_START_NS + recording_length_ns(recording));
	return (file->ready_fd >= 0 && file->poll_fd >= 0) ||
	       error_errno(err, errno, "eventfd");
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
	analyst_destroy(file->code);
	if (file->ready_fd >= 0)
		close(file->ready_fd);
	if (file->poll_fd >= 0)
		close(file->poll_fd);
}
