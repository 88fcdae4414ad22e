/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/phased.h"

#include "src/count/difference/difference.h"
#include "src/count/report-build.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const phased_names[PHASED_KINDS] = {
	[PHASED_TWO] = "two phases",
	[PHASED_FOUR] = "four phases",
	[PHASED_EVEN] = "even phases",
	[PHASED_DRIFTING] = "drifting",
	[PHASED_APART] = "two programs",
};

/* xorshift; 0 to 1 */
static double chance(struct phased *phased)
{
	uint64_t x = phased->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	phased->random = x;
	return (double)(x >> 11) / 9007199254740992.0;
}

static void set_shares(struct phased *phased, double *shares, int phase, int phases)
{
	double sum = 0;
	for (int i = 1; i < PHASED_FUNCTIONS; i++) {
		shares[i] = pow(0.85, i) * (i % phases == phase ? phased->contrast : 1);
		sum += shares[i];
	}
	for (int i = 1; i < PHASED_FUNCTIONS; i++)
		shares[i] /= sum;
}

void phased_init(struct phased *phased)
{
	phased->profile = profile_create();
	phased->stacktab = stacktab_create();
	phased->thread = profile_intern_thread(phased->profile, 1, "app");
	uint32_t root = profile_intern_synthetic(phased->profile, "main");
	for (int i = 0; i < PHASED_FUNCTIONS; i++) {
		char name[32];
		snprintf(name, sizeof(name), "f%d", i);
		uint32_t leaf = profile_intern_synthetic(phased->profile, name);
		phased->stacks[i] = stacktab_intern(
			phased->stacktab, (const uint32_t[]){leaf, root}, 2, UNWIND_ROOT);
	}
	if (phased->kind == PHASED_APART) {
		for (int phase = 0; phase < 4; phase++)
			set_shares(phased, phased->shares[phase], phase, 4);
		return;
	}
	int phases = phased->kind == PHASED_FOUR ? 4 : 2;
	for (int phase = 0; phase < phases; phase++)
		set_shares(phased, phased->shares[phase], phase, phases);
}

void phased_finish(struct phased *phased)
{
	profile_unref(phased->profile);
	stacktab_unref(phased->stacktab);
}

/* Phases that follow one another: which one it is, and when the next one begins. */
struct course {
	int phase;
	double next_s;
};

static double length_of_phase(struct phased *phased, double mean_s)
{
	return mean_s * (phased->kind == PHASED_EVEN ? 0.5 + chance(phased)
						     : -log1p(-chance(phased)));
}

static struct course course_begin(struct phased *phased, double mean_s, int phases)
{
	int phase = (int)(chance(phased) * phases);
	return (struct course){phase, chance(phased) * length_of_phase(phased, mean_s)};
}

static void course_follow(struct phased *phased, struct course *course, double time_s,
	double mean_s, int phases)
{
	while (time_s > course->next_s) {
		int step = 1 + (int)(chance(phased) * (phases - 1));
		course->phase = (course->phase + step) % phases;
		course->next_s += length_of_phase(phased, mean_s);
	}
}

static int pick(struct phased *phased, const double *shares)
{
	double at = chance(phased);
	for (int function = 1; function < PHASED_FUNCTIONS - 1; function++) {
		at -= shares[function];
		if (at < 0)
			return function;
	}
	return PHASED_FUNCTIONS - 1;
}

/* As ptrace/threads/schedule.h has it: one in each period, or wherever chance puts them. */
static double next_instant(struct phased *phased, unsigned number, double last_s)
{
	return phased->by_lot ? last_s - log1p(-chance(phased)) / phased->hz
			      : (number + chance(phased)) / phased->hz;
}

struct report *phased_record(struct phased *phased, double f0)
{
	const double pi = acos(-1);
	int phases = phased->kind == PHASED_FOUR ? 4 : 2;
	struct sample_log log = {0};
	struct course course = course_begin(phased, phased->phase_s, phases);
	struct course other = course_begin(phased, 4 * phased->phase_s, phases);
	double start = chance(phased) * 2 * pi;
	double last_s = 0;
	for (unsigned i = 0; phased->by_lot || i < phased->hz * PHASED_SECONDS; i++) {
		double time_s = next_instant(phased, i, last_s);
		if (time_s >= PHASED_SECONDS)
			break;
		course_follow(phased, &course, time_s, phased->phase_s, phases);
		course_follow(phased, &other, time_s, 4 * phased->phase_s, phases);
		int phase = course.phase, function = 0;
		if (phased->kind == PHASED_DRIFTING)
			phase = chance(phased) <
				0.5 + 0.5 * sin(start + pi * time_s / phased->phase_s);
		if (phased->kind == PHASED_APART && chance(phased) < 0.5)
			phase = 2 + other.phase;
		if (chance(phased) >= f0)
			function = pick(phased, phased->shares[phase]);
		sample_log_add(&log,
			&(struct sample){
				.time_ns = phased->no_times
						   ? 1
						   : (uint64_t)(time_s * 1e9) + 1,
				.cpu_ns =
					phased->by_lot
						? (uint64_t)((time_s - last_s) * 1e9) + 1
						: 1000000,
				.thread = phased->thread,
				.stack = phased->stacks[function],
				.count = 1,
			});
		last_s = time_s;
	}
	const struct report_input input = {
		.profile = phased->profile,
		.stacktab = phased->stacktab,
		.samples = &log,
		.since_ns = 1,
		.now_ns = PHASED_SECONDS * UINT64_C(1000000000) + 2,
	};
	const struct report_request request = {.blocks = DIFFERENCE_BLOCKS};
	struct report *report = report_build(&input, &request);
	sample_log_finish(&log);
	return report;
}

static bool f0_is_real(const struct report *both)
{
	for (size_t i = 0; i < both->n_functions; i++) {
		uint32_t id = both->functions[i].function;
		if (strcmp(profile_function(both->profile, id)->name, "f0") == 0)
			return both->difference->self[i].real;
	}
	return false;
}

struct phased_found phased_compare(
	struct phased *phased, unsigned runs, double f0_before, double f0_after)
{
	struct phased_found found = {0};
	for (unsigned i = 0; i < runs; i++) {
		struct report *before = phased_record(phased, f0_before);
		struct report *after = phased_record(phased, f0_after);
		struct report *both =
			difference_build(before, after, NORMALIZE_CPU, true);
		assert(both->difference->by_blocks == !phased->no_times);
		found.screens += both->difference->n_real > 0;
		found.f0 += f0_is_real(both);
		report_destroy(both);
		report_destroy(before);
		report_destroy(after);
	}
	return found;
}
