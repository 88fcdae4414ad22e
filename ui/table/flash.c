/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/flash.h"

#include "ui/view/view.h"

#include <math.h>

enum {
	ENOUGH_SAMPLES = 100
};

/* Functions with fewer samples appear and disappear all the time. */
static const double NOTABLE = 0.01;

static bool has_jumped(double before, double now, uint64_t samples)
{
	double chance = 3 * sqrt(before * (1 - before) / (double)samples);
	double grown = now - before;
	return grown >= 0.02 && grown > chance;
}

static double share_of(const struct report *report, const struct weight *weight)
{
	enum metric metric = view_metric(report);
	uint64_t whole = metric_of(metric, &report->total);
	return whole > 0 ? (double)metric_of(metric, weight) / (double)whole : 0;
}

void flash_update(struct flash *flash, const struct report *report, uint64_t now_ns)
{
	bool comparable = flash->round > 0 &&
			  flash->request.window_ns == report->request.window_ns &&
			  report_request_alike(&flash->request, &report->request) &&
			  flash->profile == report->profile &&
			  flash->end_ns <= report->end_ns &&
			  flash->samples >= ENOUGH_SAMPLES;

	if (flash->profile != report->profile)
		flash->entries.len = 0; /* they have ids of the old profile */
	flash->profile = report->profile;
	flash->round++;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		double share = share_of(report, &row->self);
		while (flash->entries.len <= row->function)
			vec_push(&flash->entries, (struct flash_entry){0});
		struct flash_entry *entry = &flash->entries.data[row->function];
		bool was_there = entry->round != 0 && entry->round + 1 == flash->round;

		if (!comparable)
			entry->until_ns = 0;
		else if (was_there ? has_jumped(entry->share, share, flash->samples)
				   : share_of(report, &row->total) >= NOTABLE)
			entry->until_ns = now_ns + FLASH_NS;
		entry->share = share;
		entry->round = flash->round;
	}
	flash->end_ns = report->end_ns;
	flash->request = report->request;
	flash->samples = report->total.samples;
}

bool flash_is_on(const struct flash *flash, uint32_t function, uint64_t now_ns)
{
	return function < flash->entries.len &&
	       flash->entries.data[function].until_ns > now_ns;
}

void flash_finish(struct flash *flash)
{
	vec_free(&flash->entries);
}
