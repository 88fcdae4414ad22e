/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/taker.h"

#include "src/base/clock.h"
#include "src/base/strpool.h"
#include "src/read/tell/fact-texts.h"

#include <string.h>

/* No amount of time is longer: a year. */
#define LONGEST_NS (UINT64_C(366) * 24 * 3600 * NS_PER_SEC)

/* All stacks move when names change. A reader that has new ones tells them twice a second, and
   once for each report. */
#define RENAMES_APART_NS   (20 * NS_PER_MS)
#define RENAMES_AT_ONCE_NS (64 * RENAMES_APART_NS)

enum {
	COUNT_MAX = 1 << 20,	/* samples that a sample stands for */
	ENTRIES_MAX = 16 << 20, /* of each kind in a generation */
	NAMES_BYTES_MAX = 384 << 20,
	/* What a history has at most between two calls of retention_trim, which keeps it well
	   below: */
	THREADS_MAX = 1 << 20,
	SAMPLES_MAX = 8 << 20,
	NODES_MAX = 8 << 20,
	MARKS_MAX = 16 << 20,
	SLICES_MAX = 4 << 20,
	LIVES_MAX = 4 << 20,
	LATE_MAX = 256 << 10, /* samples that are newer than one that comes */
	TID_MAX = 4 << 20,    /* of the kernel: PID_MAX_LIMIT */
};

void taker_finish(struct taker *taker)
{
	vec_free(&taker->mappings);
	vec_free(&taker->functions);
	vec_free(&taker->locations);
	vec_free(&taker->processes);
	vec_free(&taker->before);
	vec_free(&taker->stack);
	idmap_finish(&taker->known);
	idmap_finish(&taker->renamed);
}

/* Numbers begin again, and of which process the facts are is told again. */
static void begin_generation(struct taker *taker)
{
	history_process(taker->history, PROFILE_NONE);
	taker->mappings.len = taker->functions.len = taker->locations.len = 0;
	taker->processes.len = 0;
	idmap_clear(&taker->renamed);
}

void taker_begin_anew(struct taker *taker)
{
	begin_generation(taker);
	taker->before.len = 0;
	taker->is_settling = false;
	taker->wrong = NULL;
}

static bool wrong(struct taker *taker, const char *what)
{
	if (!taker->wrong)
		taker->wrong = what;
	return false;
}

/* --- checks ---------------------------------------------------------------------------- */

/* How many texts a fact of KIND has. */
static size_t texts_of(uint32_t kind)
{
	switch (kind) {
	case FACT_FUNCTION:
		return 5;
	case FACT_STATE:
		return 4;
	case FACT_MAPPING:
		return 3;
	case FACT_PROCESS:
	case FACT_WANTED:
		return 2;
	case FACT_ADDED:
		return 1;
	default:
		return 0;
	}
}

const char *taker_text(const unsigned char *payload, size_t index)
{
	const char *text = (const char *)payload;
	while (index-- > 0)
		text += strlen(text) + 1;
	return text;
}

static bool is_time(uint64_t time_ns, uint64_t now_ns)
{
	return time_ns <= now_ns;
}

/* --- what samples refer to ------------------------------------------------------------- */

static bool has_room(struct taker *taker, size_t entries)
{
	if (entries < ENTRIES_MAX &&
		profile_bytes(taker->history->profile) < NAMES_BYTES_MAX)
		return true;
	return wrong(taker, "too many names");
}

static bool is_equal(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->limit == b->limit &&
	       a->file_offset == b->file_offset && a->is_main == b->is_main &&
	       strcmp(a->path, b->path) == 0 && strcmp(a->module, b->module) == 0 &&
	       strcmp(a->build_id, b->build_id) == 0;
}

static uint64_t hash_of(const struct mapping *mapping)
{
	return mapping->limit ^ mapping->file_offset << 20 ^
	       strpool_hash(mapping->path, strlen(mapping->path)) ^
	       strpool_hash(mapping->build_id, strlen(mapping->build_id)) << 1;
}

/* A mapping is told again in each generation. */
static uint32_t intern_mapping(struct taker *taker, const struct mapping *mapping)
{
	struct profile *profile = taker->history->profile;
	for (; taker->n_known < profile->mappings->len; taker->n_known++) {
		const struct mapping *known = profile_mapping(profile, taker->n_known);
		idmap_put(&taker->known, known->start, hash_of(known), taker->n_known);
	}
	const uint32_t *id = idmap_get(&taker->known, mapping->start, hash_of(mapping));
	if (id && is_equal(profile_mapping(profile, *id), mapping))
		return *id;
	return profile_add_mapping(profile, mapping);
}

static bool take_mapping(
	struct taker *taker, const struct fact *fact, const unsigned char *payload)
{
	struct mapping mapping = {
		.start = fact->mapping.start,
		.limit = fact->mapping.limit,
		.file_offset = fact->mapping.file_offset,
		.path = taker_text(payload, 0),
		.module = taker_text(payload, 1),
		.build_id = taker_text(payload, 2),
		.is_main = fact->mapping.is_main != 0,
	};
	if (mapping.start > mapping.limit ||
		strspn(mapping.build_id, "0123456789abcdef") != strlen(mapping.build_id))
		return wrong(taker, "a mapping");
	if (!has_room(taker, taker->mappings.len))
		return false;
	vec_push(&taker->mappings, intern_mapping(taker, &mapping));
	return true;
}

static bool take_function(
	struct taker *taker, const struct fact *fact, const unsigned char *payload)
{
	struct function function = {
		.name = taker_text(payload, 0),
		.system_name = taker_text(payload, 1),
		.short_name = taker_text(payload, 2),
		.module = taker_text(payload, 3),
		.file = taker_text(payload, 4),
		.start_line = fact->function.start_line,
		.is_synthetic = fact->function.is_synthetic != 0,
	};
	if (!has_room(taker, taker->functions.len))
		return false;
	vec_push(&taker->functions,
		profile_intern_function(taker->history->profile, &function));
	return true;
}

/* Is location ID, which is at the same address, the same in all? Or the same function, of which
   the lines are known here already, and are found again by the reader after a generation. */
static bool has_lines(const struct profile *profile, uint32_t id,
	const struct line *lines, uint32_t n_lines)
{
	const struct location *known = profile_location(profile, id);
	bool same = known->n_lines == n_lines;
	if (n_lines == 1 && lines[0].line == 0 && known->lines[known->n_lines - 1].line &&
		profile_function(profile, known->lines[known->n_lines - 1].function)
				->kin ==
			profile_function(profile, lines[0].function)->kin)
		return true;
	for (uint32_t i = 0; same && i < n_lines; i++)
		same = known->lines[i].function == lines[i].function &&
		       known->lines[i].line == lines[i].line;
	return same;
}

static uint32_t intern_location(struct profile *profile, const struct fact *fact,
	uint32_t mapping, const struct line *lines, const char *detail)
{
	uint32_t n_lines = fact->location.n_lines;
	uint64_t address = fact->location.address;
	const char *name = profile_function(profile, lines[0].function)->name;
	if (fact->location.kind == FACT_KERNEL)
		return profile_intern_kernel(profile, name);
	if (fact->location.kind == FACT_DETAILED)
		return profile_intern_detailed(profile, name, detail);
	uint32_t known = profile_find_location(profile, mapping, address);
	if (known != PROFILE_NONE && has_lines(profile, known, lines, n_lines))
		return known;
	return fact->location.kind == FACT_PAST_CODE
		       ? profile_add_past_location(
				 profile, mapping, address, lines, n_lines)
		       : profile_add_location(profile, mapping, address, lines, n_lines);
}

static bool take_location(
	struct taker *taker, const struct fact *fact, const unsigned char *payload)
{
	struct line lines[FACT_LINES_MAX];
	uint32_t n_lines = fact->location.n_lines, mapping = fact->location.mapping;
	size_t lines_bytes = n_lines * sizeof(struct fact_line);
	bool is_detailed = fact->location.kind == FACT_DETAILED;
	if (n_lines == 0 || n_lines > FACT_LINES_MAX || lines_bytes > fact->bytes ||
		fact->location.kind > FACT_DETAILED ||
		(mapping != FACT_NONE && mapping >= taker->mappings.len) ||
		!fact_texts_are_clean(
			payload + lines_bytes, fact->bytes - lines_bytes, is_detailed))
		return wrong(taker, "a location");
	for (uint32_t i = 0; i < n_lines; i++) {
		struct fact_line line;
		memcpy(&line, payload + i * sizeof(line), sizeof(line));
		if (line.function >= taker->functions.len)
			return wrong(taker, "a function of a location");
		lines[i].function = taker->functions.data[line.function];
		lines[i].line = line.line;
	}
	if (!has_room(taker, taker->locations.len))
		return false;
	mapping = mapping == FACT_NONE ? PROFILE_NONE : taker->mappings.data[mapping];
	vec_push(
		&taker->locations, intern_location(taker->history->profile, fact, mapping,
					   lines, (const char *)payload + lines_bytes));
	return true;
}

static bool take_process(
	struct taker *taker, const struct fact *fact, const unsigned char *payload)
{
	if (fact->process.pid <= 0 || fact->process.pid > TID_MAX)
		return wrong(taker, "a process");
	if (!has_room(taker, taker->processes.len))
		return false;
	vec_push(&taker->processes,
		profile_intern_process(taker->history->profile, fact->process.pid,
			taker_text(payload, 0), taker_text(payload, 1)));
	return true;
}

static bool take_generation(struct taker *taker)
{
	size_t count = taker->locations.len;
	if (taker->is_settling)
		return wrong(taker, "a generation in another");
	taker->before.len = 0;
	vec_reserve(&taker->before, count + 1);
	if (count > 0)
		memcpy(taker->before.data, taker->locations.data,
			count * sizeof(uint32_t));
	taker->before.len = count;
	taker->is_settling = true;
	begin_generation(taker);
	return true;
}

static bool take_carried(struct taker *taker, const struct fact *fact)
{
	if (!taker->is_settling || fact->moved.was >= taker->before.len ||
		fact->moved.now != taker->locations.len ||
		fact->moved.now >= taker->before.len)
		return wrong(taker, "what is carried");
	vec_push(&taker->locations, taker->before.data[fact->moved.was]);
	return true;
}

static bool take_settled(struct taker *taker)
{
	if (!taker->is_settling)
		return wrong(taker, "the end of no generation");
	taker->before.len = 0;
	taker->is_settling = false;
	return true;
}

void taker_renew(struct taker *taker, struct renewal *renewal)
{
	vec_each (&taker->locations, id)
		*id = renewal_location(renewal, *id);
	taker->mappings.len = taker->functions.len = taker->processes.len = 0;
	taker->n_known = 0;
	idmap_clear(&taker->known);
	idmap_clear(&taker->renamed);
}

/* --- what happened --------------------------------------------------------------------- */

static bool take_of(struct taker *taker, const struct fact *fact)
{
	uint32_t now = fact->process.now, was = fact->process.was;
	bool is_renamed = fact->kind == FACT_RENAME_PROCESS;
	if ((now != FACT_NONE && now >= taker->processes.len) ||
		(is_renamed && (now == FACT_NONE || was >= taker->processes.len)))
		return wrong(taker, "which process");
	if (is_renamed && !has_room(taker, 0))
		return false;
	if (is_renamed)
		history_rename_process(taker->history, taker->processes.data[was],
			taker->processes.data[now]);
	else
		history_process(taker->history,
			now == FACT_NONE ? PROFILE_NONE : taker->processes.data[now]);
	return true;
}

/* Those that are newer than a sample of TIME_NS have to be moved for it. */
static bool is_late(const struct sample_log *samples, uint64_t time_ns)
{
	return samples->len > LATE_MAX &&
	       sample_log_at(samples, samples->len - LATE_MAX)->time_ns > time_ns;
}

/* Has the history room for one more of anything, about TID at TIME_NS? */
static bool has_space(struct taker *taker, pid_t tid, uint64_t time_ns, uint64_t now_ns)
{
	const struct history *history = taker->history;
	const struct sample_log *samples = &history->samples;
	uint32_t nodes = stacktab_nodes(history->stacktab);
	if (tid <= 0 || tid > TID_MAX || !is_time(time_ns, now_ns))
		return wrong(taker, "a thread");
	if (history->threads.len >= THREADS_MAX ||
		(!samples->limit && samples->len >= SAMPLES_MAX) ||
		(nodes >= NODES_MAX && nodes > history->limits.stacktab_most) ||
		history->accounts.slices.len >= SLICES_MAX ||
		history->accounts.lives.len >= LIVES_MAX)
		return wrong(taker, "too much");
	return has_room(taker, 0);
}

static bool take_thread(struct taker *taker, const struct fact *fact, uint64_t now_ns)
{
	struct history *history = taker->history;
	pid_t tid = fact->thread.tid;
	uint64_t time_ns = fact->thread.time_ns, ns = fact->thread.ns;
	if (fact->thread.from_ns > time_ns || ns > LONGEST_NS ||
		fact->thread.runq_ns > LONGEST_NS || fact->thread.count > COUNT_MAX)
		return wrong(taker, "an amount of time");
	bool is_sample = fact->kind == FACT_RUNQ || fact->kind == FACT_RUNNING ||
			 fact->kind == FACT_BLOCKED || fact->kind == FACT_WITNESS;
	if (is_sample && is_late(&history->samples, time_ns))
		return wrong(taker, "what comes too late");
	if (!has_space(taker, tid, time_ns, now_ns))
		return false;
	switch (fact->kind) {
	case FACT_NAME:
		history_name_thread(history, tid, fact->thread.name);
		break;
	case FACT_THREAD:
		accounts_begin(&history->accounts, tid, time_ns);
		break;
	case FACT_THREAD_EXIT:
		history_thread_exit(history, tid);
		accounts_end(&history->accounts, tid, time_ns);
		break;
	case FACT_RUNQ:
		history_charge_runq(history, tid, time_ns, ns);
		break;
	case FACT_RUNNING:
		history_charge_running(history, tid, time_ns, ns);
		break;
	case FACT_BLOCKED:
		history_charge_blocked(history, tid, time_ns, ns, fact->thread.count);
		break;
	case FACT_CHANGE_WAIT:
		if (fact->thread.location >= taker->locations.len)
			return wrong(taker, "a wait");
		history_change_wait(
			history, tid, taker->locations.data[fact->thread.location]);
		break;
	case FACT_CONTEND:
		history_contend(history, tid);
		break;
	case FACT_WITNESS:
		history_witness(history, tid, time_ns);
		break;
	default: {
		struct account_slice slice = {
			.from_ns = fact->thread.from_ns,
			.to_ns = time_ns,
			.cpu_ns = ns,
			.runq_ns = fact->thread.runq_ns,
			.tid = tid,
		};
		accounts_add(&history->accounts, &slice);
	}
	}
	return true;
}

static bool take_sample(struct taker *taker, const struct fact *fact,
	const unsigned char *payload, uint64_t now_ns)
{
	size_t length = fact->sample.n_locations;
	if (fact->sample.cpu_ns > LONGEST_NS || fact->sample.wall_ns > LONGEST_NS ||
		fact->sample.count > COUNT_MAX || fact->sample.state > THREAD_BLOCKED ||
		fact->sample.end >= UNWIND_END_COUNT || length > FACT_STACK_MAX ||
		fact->bytes != length * sizeof(uint32_t))
		return wrong(taker, "a sample");
	if (is_late(&taker->history->samples, fact->sample.time_ns))
		return wrong(taker, "what comes too late");
	if (!has_space(taker, fact->sample.tid, fact->sample.time_ns, now_ns))
		return false;
	vec_reserve(&taker->stack, length + 2); /* history_add appends */
	for (size_t i = 0; i < length; i++) {
		uint32_t number;
		memcpy(&number, payload + i * sizeof(number), sizeof(number));
		if (number >= taker->locations.len)
			return wrong(taker, "a location of a sample");
		taker->stack.data[i] = taker->locations.data[number];
	}
	struct sample sample = {
		.time_ns = fact->sample.time_ns,
		.cpu_ns = fact->sample.cpu_ns,
		.wall_ns = fact->sample.wall_ns,
		.count = fact->sample.count,
		.pool = fact->sample.pool,
		.odds = fact->sample.odds,
		.state = fact->sample.state,
	};
	taker->samples++;
	if (fact->kind == FACT_POOLED)
		history_add_pooled(taker->history, fact->sample.tid, &sample);
	else
		history_add(taker->history, fact->sample.tid, taker->stack.data, length,
			(enum unwind_end)fact->sample.end, &sample);
	return true;
}

static bool take_mark(struct taker *taker, const struct fact *fact, uint64_t now_ns)
{
	struct history *history = taker->history;
	if (!is_time(fact->mark.time_ns, now_ns) || fact->mark.cpu_ns > LONGEST_NS ||
		history->marks.len >= MARKS_MAX)
		return wrong(taker, "a mark");
	if (fact->kind == FACT_SURVEYED)
		history->accounts.surveyed_ns = fact->mark.time_ns;
	else
		history_mark(history, fact->mark.time_ns,
			history->charged_ns + fact->mark.cpu_ns);
	return true;
}

static bool take_renamed(struct taker *taker, const struct fact *fact)
{
	if (fact->moved.was >= taker->locations.len ||
		fact->moved.now >= taker->locations.len)
		return wrong(taker, "another name");
	uint32_t was = taker->locations.data[fact->moved.was];
	uint32_t now = taker->locations.data[fact->moved.now];
	if (was != now)
		idmap_put(&taker->renamed, was, 0, now);
	return true;
}

static bool take_renames(struct taker *taker, uint64_t now_ns)
{
	if (taker->renames_ns > now_ns + RENAMES_AT_ONCE_NS)
		return wrong(taker, "other names all the time");
	taker->renames_ns = RENAMES_APART_NS +
			    (taker->renames_ns > now_ns ? taker->renames_ns : now_ns);
	if (taker->renamed.len > 0)
		history_move_stacks(taker->history, &taker->renamed, NULL);
	idmap_clear(&taker->renamed);
	return true;
}

/* --- all ------------------------------------------------------------------------------- */

static bool take(struct taker *taker, const struct fact *fact,
	const unsigned char *payload, uint64_t now_ns)
{
	switch (fact->kind) {
	case FACT_MAPPING:
		return take_mapping(taker, fact, payload);
	case FACT_FUNCTION:
		return take_function(taker, fact, payload);
	case FACT_LOCATION:
		return take_location(taker, fact, payload);
	case FACT_PROCESS:
		return take_process(taker, fact, payload);
	case FACT_GENERATION:
		return take_generation(taker);
	case FACT_CARRIED:
		return take_carried(taker, fact);
	case FACT_SETTLED:
		return take_settled(taker);
	case FACT_OF:
	case FACT_RENAME_PROCESS:
		return take_of(taker, fact);
	case FACT_SAMPLE:
	case FACT_POOLED:
		return take_sample(taker, fact, payload, now_ns);
	case FACT_SURVEYED:
	case FACT_MARK:
		return take_mark(taker, fact, now_ns);
	case FACT_RENAMED:
		return take_renamed(taker, fact);
	case FACT_RENAMES:
		return take_renames(taker, now_ns);
	case FACT_ADDED:
	case FACT_ENDED:
	case FACT_RETIRED:
	case FACT_SYNCED:
	case FACT_STATE:
	case FACT_WANTED:
	case FACT_ASSEMBLY:
	case FACT_LINES:
		return true;
	default:
		return take_thread(taker, fact, now_ns);
	}
}

static bool is_for_others(uint32_t kind)
{
	return kind >= FACT_ADDED || kind == FACT_SETTLED;
}

/* Its payload is all there, and as its kind has it; the rest is checked by what takes it. */
static bool is_formed(const struct fact *fact, const unsigned char *payload)
{
	bool is_free = fact->kind == FACT_LOCATION || fact->kind == FACT_SAMPLE ||
		       fact->kind == FACT_ASSEMBLY || fact->kind == FACT_LINES;
	return is_free ||
	       fact_texts_are_clean(payload, fact->bytes, texts_of(fact->kind));
}

enum taken taker_take(struct taker *taker, const void *bytes, size_t length, size_t *used,
	uint64_t now_ns, struct fact *fact, const unsigned char **payload)
{
	const unsigned char *at = bytes, *limit = at + length;
	*used = 0;
	while ((size_t)(limit - at) >= sizeof(*fact)) {
		memcpy(fact, at, sizeof(*fact));
		if (fact->kind >= FACT_KINDS || fact->bytes > FACT_PAYLOAD_MAX) {
			wrong(taker, "a kind of fact that is none");
			return TAKEN_WRONG;
		}
		if ((size_t)(limit - at) - sizeof(*fact) < fact->bytes)
			break;
		*payload = at + sizeof(*fact);
		at = *payload + fact->bytes;
		if (!is_formed(fact, *payload))
			wrong(taker, "texts");
		if (taker->wrong || !take(taker, fact, *payload, now_ns))
			return TAKEN_WRONG;
		*used = (size_t)(at - (const unsigned char *)bytes);
		if (is_for_others(fact->kind))
			return TAKEN_NEWS;
	}
	return TAKEN_ALL;
}
