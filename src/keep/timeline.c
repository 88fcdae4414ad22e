/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/timeline.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/facts/snapshot.h"

#include <stdlib.h>
#include <string.h>

/* At most this much time before a sample has a share of its weight: in a file a weight may
   be anything. */
#define SPREAD_MOST_NS NS_PER_SEC

size_t timeline_cell_at(const struct timeline *timeline, uint64_t time_ns)
{
	uint64_t cell = time_ns > timeline->first_ns
				? (time_ns - timeline->first_ns) / timeline->cell_ns
				: 0;
	return cell < timeline->n_cells ? (size_t)cell : timeline->n_cells - 1;
}

/* The cells whose time is in [FROM_NS, TO_NS), each with its share of AMOUNT: a uint64_t
   at OFFSET in the cell. Shares are rounded so that their sum is AMOUNT. */
static void spread(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns,
	uint64_t amount, size_t offset)
{
	size_t last = timeline_cell_at(timeline, to_ns - 1);
	uint64_t left_ns = to_ns - from_ns;
	for (size_t i = timeline_cell_at(timeline, from_ns); i <= last; i++) {
		uint64_t next_ns = timeline->first_ns + (i + 1) * timeline->cell_ns;
		uint64_t end_ns = i == last || next_ns > to_ns ? to_ns : next_ns;
		uint64_t part_ns = end_ns > from_ns ? end_ns - from_ns : 0;
		uint64_t share = part_ns >= left_ns
					 ? amount
					 : (uint64_t)((unsigned __int128)amount *
						      part_ns / left_ns);
		uint64_t sum;
		char *field = (char *)&timeline->cells[i] + offset;
		memcpy(&sum, field, sizeof(sum));
		sum += share;
		memcpy(field, &sum, sizeof(sum));
		amount -= share;
		left_ns -= part_ns;
		from_ns = end_ns;
	}
}

static void add_samples(struct timeline *timeline, const struct timeline_input *input)
{
	const struct sample_log *samples = input->samples;
	for (size_t i = sample_log_search(samples, timeline->start_ns); i < samples->len;
		i++) {
		const struct sample *sample = sample_log_at(samples, i);
		if (sample->time_ns >= timeline->end_ns)
			break;
		if (sample->state != THREAD_RUNNING || sample->count == 0)
			continue;
		if (!input->counts(input->context, sample)) {
			timeline->is_part = true;
			continue;
		}
		struct timeline_cell *cell =
			&timeline->cells[timeline_cell_at(timeline, sample->time_ns)];
		cell->samples += sample->count;
		if (!input->is_time || sample->cpu_ns == 0) {
			cell->value += sample->cpu_ns;
			continue;
		}
		uint64_t to_ns = sample->time_ns + 1;
		uint64_t long_ns =
			sample->cpu_ns < SPREAD_MOST_NS ? sample->cpu_ns : SPREAD_MOST_NS;
		uint64_t from_ns = to_ns - timeline->start_ns > long_ns
					   ? to_ns - long_ns
					   : timeline->start_ns;
		spread(timeline, from_ns, to_ns, sample->cpu_ns,
			offsetof(struct timeline_cell, value));
	}
}

static void add_marks(struct timeline *timeline, const struct timeline_input *input)
{
	for (size_t i = 1; i < input->n_marks; i++) {
		const struct cpu_mark *from = &input->marks[i - 1],
				      *to = &input->marks[i];
		uint64_t start_ns = from->time_ns > timeline->start_ns
					    ? from->time_ns
					    : timeline->start_ns;
		uint64_t end_ns =
			to->time_ns < timeline->end_ns ? to->time_ns : timeline->end_ns;
		if (start_ns >= end_ns || to->cpu_ns < from->cpu_ns)
			continue;
		spread(timeline, start_ns, end_ns,
			accounts_share(to->cpu_ns - from->cpu_ns, from->time_ns,
				to->time_ns, start_ns, end_ns),
			offsetof(struct timeline_cell, charged_ns));
		timeline->is_charged = true;
	}
}

static void copy_strains(struct timeline *timeline, const struct strains *strains)
{
	size_t n = strains ? strains->list.len : 0;
	timeline->strains = mem_alloc((n + 1) * sizeof(*timeline->strains));
	for (size_t i = 0; i < n; i++) {
		const struct strain *strain = &strains->list.data[i];
		if (strain->to_ns > timeline->start_ns &&
			strain->from_ns < timeline->end_ns)
			timeline->strains[timeline->n_strains++] = *strain;
	}
}

struct timeline *timeline_build(const struct timeline_input *input)
{
	if (input->end_ns <= input->start_ns)
		return NULL;
	struct timeline *timeline = mem_zalloc(sizeof(*timeline));
	timeline->start_ns = input->start_ns;
	timeline->end_ns = input->end_ns;
	timeline->start_wall_ns = input->start_wall_ns;
	for (timeline->cell_ns = TIMELINE_CELL_NS;; timeline->cell_ns *= 2) {
		uint64_t column_ns = timeline->cell_ns * TIMELINE_COLUMN;
		timeline->first_ns = input->start_ns - input->start_ns % column_ns;
		uint64_t n = (input->end_ns - 1 - timeline->first_ns) / timeline->cell_ns;
		timeline->n_cells = n < TIMELINE_CELLS_MOST ? (size_t)n + 1 : 0;
		if (timeline->n_cells > 0)
			break;
	}
	timeline->cells = mem_zalloc(timeline->n_cells * sizeof(*timeline->cells));
	add_samples(timeline, input);
	add_marks(timeline, input);
	copy_strains(timeline, input->strains);
	timeline->notes = time_marks_between(input->notes, input->n_notes,
		input->start_ns, input->end_ns, &timeline->n_notes);
	return timeline;
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline)
		return;
	free(timeline->cells);
	free(timeline->strains);
	free(timeline->notes);
	free(timeline);
}

struct timeline_cell timeline_sum(
	const struct timeline *timeline, uint64_t from_ns, uint64_t to_ns)
{
	struct timeline_cell sum = {0};
	uint64_t end_ns = timeline->first_ns + timeline->n_cells * timeline->cell_ns;
	if (from_ns < timeline->first_ns)
		from_ns = timeline->first_ns;
	if (to_ns > end_ns)
		to_ns = end_ns;
	if (from_ns >= to_ns)
		return sum;
	uint64_t ns = timeline->cell_ns;
	size_t first = (size_t)((from_ns - timeline->first_ns + ns - 1) / ns);
	size_t end = (size_t)((to_ns - timeline->first_ns + ns - 1) / ns);
	for (size_t i = first; i < end; i++) {
		sum.value += timeline->cells[i].value;
		sum.charged_ns += timeline->cells[i].charged_ns;
		sum.samples += timeline->cells[i].samples;
	}
	return sum;
}
