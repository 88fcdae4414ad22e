/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/fake-source.h"

#include "src/base/clock.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct meter *fake_meter(void *context)
{
	return &((struct fake_source *)context)->meter;
}

static void fake_request(void *context, const struct report_request *request)
{
	struct fake_source *fake = context;
	uint64_t one = 1;

	fake->last = *request;
	fake->requests++;
	report_destroy(fake->ready);
	if (fake->renews && fake->requests % 2)
		fixture_renew(&fake->fixture);
	if (request->timeline == TIMELINE_ONLY)
		fake->timelines++;
	else if (fake->timelines > 0)
		fake->asked_after++;
	fake->ready = fixture_report(&fake->fixture, request);
	if (fake->languages)
		snprintf(fake->ready->languages, sizeof(fake->ready->languages), "%s",
			fake->languages);
	fake->ready->renamings = fake->names_are_late && fake->timelines > 0;
	assert(write(fake->ready_fd, &one, sizeof(one)) == sizeof(one));
}

static struct report *fake_take(void *context)
{
	struct fake_source *fake = context;
	struct report *report = fake->ready;
	uint64_t count;

	if (fake->is_slow || !report)
		return NULL;
	fake->ready = NULL;
	(void)!read(fake->ready_fd, &count, sizeof(count));
	return report;
}

static int fake_ready_fd(void *context)
{
	const struct fake_source *fake = context;

	return fake->is_slow ? -1 : fake->ready_fd;
}

static void fake_clear(void *context)
{
	((struct fake_source *)context)->clears++;
}

static void fake_mark(void *context, uint64_t time_ns, const char *text)
{
	((struct fake_source *)context)->mark = time_mark_make(time_ns, text);
}

static void fake_set_frequency(void *context, unsigned hz)
{
	struct fake_source *fake = context;

	fake->frequency_hz = hz;
	meter_set(&fake->meter.frequency_hz, hz);
}

static void fake_set_wall(void *context, bool wall)
{
	((struct fake_source *)context)->wall = wall;
}

static void fake_set_native(void *context, enum native_frames native)
{
	((struct fake_source *)context)->native = native;
}

static void fake_hold(void *context, bool held)
{
	struct fake_source *fake = context;

	if (held)
		fake->holds++;
	else
		fake->releases++;
}

void fake_source_init(struct fake_source *fake)
{
	*fake = (struct fake_source){
		.source =
			{
				.context = fake,
				.facts =
					{
						.pid = FIXTURE_PID,
						.command = "/opt/primes/primes --all",
						.path = "/opt/primes/primes",
						.cpus = 4,
						.frequency_hz = FIXTURE_FREQUENCY_HZ,
					},
				.meter = fake_meter,
				.request = fake_request,
				.take = fake_take,
				.ready_fd = fake_ready_fd,
				.mark = fake_mark,
				.clear = fake_clear,
				.set_frequency = fake_set_frequency,
				.set_wall = fake_set_wall,
				.set_native = fake_set_native,
				.hold = fake_hold,
			},
		.ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	assert(fake->ready_fd >= 0);
	fixture_init(&fake->fixture, false);

	/* A calm sampler, ten seconds at work. */
	struct meter *meter = &fake->meter;
	meter_set(&meter->began_ns, FIXTURE_START_NS);
	meter_set(&meter->frequency_hz, FIXTURE_FREQUENCY_HZ);
	meter_set(&meter->periods, 993);
	meter_set(&meter->instants_late, 2);
	meter_set(&meter->samples, 1000);
	meter_set(&meter->cpu_sampled_ns, 9900 * NS_PER_MS);
	meter_set(&meter->cpu_kernel_ns, 10 * NS_PER_SEC);
	meter_set(&meter->threads_now, 5);
	meter_set(&meter->threads_running, 3);
	for (int i = 0; i < 1000; i++)
		meter_count_stop(meter, i < 985 ? 20000 : 60000);
}

void fake_source_finish(struct fake_source *fake)
{
	report_destroy(fake->ready);
	fixture_finish(&fake->fixture);
	close(fake->ready_fd);
}
