/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader tells main, and main believes of it. The first byte chooses: facts as they are;
 * what a teller says, some of it changed on its way; or the instructions or lines of code, changed
 * likewise. What is not changed is believed, and what is taken leaves a history that can be
 * counted, moved and renewed. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/keep/retention.h"
#include "src/keep/taker.h"
#include "src/read/tell/code-facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BEGUN_NS (100 * NS_PER_SEC)

enum {
	STEPS_MAX = 400,
	CARRIED_MAX = 8,
};

static void check_text(const char *text)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, strlen(text));
	FUZZ_CHECK(strcmp(clean, text) == 0);
}

/* --- code -------------------------------------------------------------------------------- */

static void check_assembly(struct assembly *assembly)
{
	if (!assembly)
		return;
	check_text(assembly->name);
	check_text(assembly->problem);
	FUZZ_CHECK(assembly->start <= assembly->limit);
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		const struct instruction *at = &assembly->instructions[i];
		FUZZ_CHECK(at->length > 0 && at->kind <= INSTRUCTION_UNKNOWN);
		FUZZ_CHECK(
			at->address >= assembly->start && at->address < assembly->limit);
		FUZZ_CHECK(i == 0 || at->address == at[-1].address + at[-1].length);
		FUZZ_CHECK(assembly_find(assembly, at->address) == i);
		FUZZ_CHECK(at->to == ASSEMBLY_NONE ||
			   assembly->instructions[at->to].address == at->target);
		FUZZ_CHECK(assembly_bytes_of(assembly, at)[at->length - 1] <= 0xff);
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++) {
			check_text(at->texts[syntax]);
			FUZZ_CHECK(assembly_text_length(at, syntax) <=
				   strlen(at->texts[syntax]));
		}
		check_text(at->target_name);
	}
	assembly_destroy(assembly);
}

static void check_lines(struct code_lines *lines)
{
	if (!lines)
		return;
	FUZZ_CHECK(lines->rows.len <= CODE_ROWS_MAX);
	for (size_t i = 0; i < lines->rows.len; i++) {
		const struct code_row *row = &lines->rows.data[i];
		FUZZ_CHECK(row->vaddr >= lines->start && row->vaddr < lines->limit);
		FUZZ_CHECK(i == 0 || row->vaddr > row[-1].vaddr);
		FUZZ_CHECK(row->first_frame + row->n_frames <= lines->frames.len);
		for (uint32_t k = 0; k < row->n_frames; k++) {
			check_text(code_lines_frame(lines, row, k)->symbol);
			check_text(code_lines_frame(lines, row, k)->name);
			check_text(code_lines_frame(lines, row, k)->file);
		}
		FUZZ_CHECK(code_lines_find(lines, row->vaddr) ==
			   (row->n_frames ? row : NULL));
	}
	code_lines_destroy(lines);
}

/* --- bytes that are changed ---------------------------------------------------------------- */

/* Some of the LENGTH bytes at BYTES are others. False: none. */
static bool change(struct input *input, unsigned char *bytes, size_t length)
{
	unsigned count = input_number(input, 1) % 4;
	for (unsigned i = 0; i < count; i++) {
		size_t at = input_number(input, 2) % length;
		size_t size = 1u << input_number(input, 1) % 4;
		uint64_t number = input_number(input, (unsigned)size);
		memcpy(bytes + at, &number, size < length - at ? size : length - at);
	}
	return count > 0;
}

/* --- a main ------------------------------------------------------------------------------ */

struct main_side {
	struct history history;
	struct taker taker;
	uint64_t now_ns;
	bool renews, is_full;
};

static void begin_main(struct main_side *side, unsigned how)
{
	*side = (struct main_side){
		.now_ns = BEGUN_NS, .renews = how & 1, .is_full = how & 4};
	history_init(&side->history, how & 2, 600 * NS_PER_SEC, 1 << 20);
	side->taker.history = &side->history;
	if (side->is_full) /* as if it had all names that it may have */
		side->history.profile->n_lines = 1 << 30;
}

static void renew_main(struct main_side *side)
{
	struct renewal renewal;
	renewal_init(&renewal, side->history.profile);
	retention_renew(&side->history, &renewal);
	taker_renew(&side->taker, &renewal);
	renewal_finish(&renewal);
}

static void hear(
	struct main_side *side, const struct fact *fact, const unsigned char *payload)
{
	switch (fact->kind) {
	case FACT_SETTLED:
		if (side->renews)
			renew_main(side);
		break;
	case FACT_STATE:
		check_text(taker_text(payload, 2));
		/* fall through */
	case FACT_WANTED:
		check_text(taker_text(payload, 1));
		/* fall through */
	case FACT_ADDED:
		check_text(taker_text(payload, 0));
		break;
	case FACT_ASSEMBLY:
		check_assembly(code_facts_assembly(payload, fact->bytes));
		break;
	case FACT_LINES:
		check_lines(code_facts_lines(payload, fact->bytes));
	}
}

/* Take the LENGTH bytes, copied, so that the sanitizer sees their end. Returns how many were
   taken; *IS_WRONG: there is a bad fact behind them. */
static size_t take(
	struct main_side *side, const unsigned char *bytes, size_t length, bool *is_wrong)
{
	unsigned char *copy = mem_alloc(length + (length == 0));
	size_t at = 0;
	if (length > 0)
		memcpy(copy, bytes, length);
	enum taken taken;
	do {
		size_t used;
		struct fact fact;
		const unsigned char *payload;
		taken = taker_take(&side->taker, copy + at, length - at, &used,
			side->now_ns, &fact, &payload);
		FUZZ_CHECK(used <= length - at);
		at += used;
		if (taken == TAKEN_NEWS)
			hear(side, &fact, payload);
	} while (taken == TAKEN_NEWS);
	*is_wrong = taken == TAKEN_WRONG;
	FUZZ_CHECK(*is_wrong == (side->taker.wrong != NULL));
	free(copy);
	return at;
}

static void check_names(const struct profile *names)
{
	for (uint32_t id = 0; id < names->locations->len; id++) {
		const struct location *location = profile_location(names, id);
		FUZZ_CHECK(location->mapping == PROFILE_NONE ||
			   location->mapping < names->mappings->len);
		FUZZ_CHECK(location->n_lines > 0);
		for (uint32_t i = 0; i < location->n_lines; i++)
			FUZZ_CHECK(location->lines[i].function < names->functions->len);
		check_text(location->detail);
	}
	for (uint32_t id = 0; id < names->functions->len; id++) {
		check_text(profile_function(names, id)->name);
		check_text(profile_function(names, id)->file);
	}
	for (uint32_t id = 0; id < names->mappings->len; id++)
		check_text(profile_mapping(names, id)->path);
	for (uint32_t id = 0; id < names->threads->len; id++)
		check_text(profile_thread(names, id)->name);
	for (uint32_t id = 0; id < names->processes->len; id++)
		check_text(profile_process(names, id)->command);
}

static void check_history(const struct main_side *side)
{
	const struct history *history = &side->history;
	uint32_t nodes = stacktab_nodes(history->stacktab);
	for (size_t i = 0; i < history->samples.len; i++) {
		const struct sample *sample = sample_log_at(&history->samples, i);
		FUZZ_CHECK(sample->stack < nodes);
		FUZZ_CHECK(sample->thread < history->profile->threads->len);
		FUZZ_CHECK(sample->time_ns <= side->now_ns);
		FUZZ_CHECK(i == 0 || sample_log_at(&history->samples, i - 1)->time_ns <=
					     sample->time_ns);
	}
	for (uint32_t node = UNWIND_END_COUNT; node < nodes; node++)
		FUZZ_CHECK(stacktab_node(history->stacktab, node)->location <
			   history->profile->locations->len);
	FUZZ_CHECK(history->process == PROFILE_NONE ||
		   history->process < history->profile->processes->len);
	check_names(history->profile);
}

static void count(const struct main_side *side, bool wall)
{
	const struct history *history = &side->history;
	const struct report_input input = {
		.profile = history->profile,
		.naming = history->naming,
		.stacktab = history->stacktab,
		.samples = &history->samples,
		.several = history->profile->processes->len > 0,
		.evens_cpu = true,
		.now_ns = side->now_ns,
		.marks = history->marks.data,
		.n_marks = history->marks.len,
		.accounts = &history->accounts,
	};
	const struct report_request request = {
		.wall = wall, .moments = true, .blocks = 8};
	report_destroy(report_build(&input, &request));
}

static void end_main(struct main_side *side)
{
	check_history(side);
	count(side, false);
	count(side, true);
	retention_trim(&side->history, side->now_ns);
	history_move_stacks(&side->history, NULL, NULL);
	renew_main(side);
	check_history(side);
	taker_finish(&side->taker);
	history_finish(&side->history);
}

/* --- facts as they are -------------------------------------------------------------------- */

/* Behind a bad one another reader begins. */
static void take_raw(struct input *input)
{
	struct main_side side;
	begin_main(&side, (unsigned)input_number(input, 1));
	bool is_wrong = true;
	while (is_wrong) {
		input->at += take(&side, input->at, input_left(input), &is_wrong);
		taker_begin_anew(&side.taker);
		if (!is_wrong || input_left(input) < sizeof(struct fact))
			break;
		input->at += sizeof(struct fact);
	}
	end_main(&side);
}

/* --- a reader ----------------------------------------------------------------------------- */

struct reader {
	struct input *input;
	struct teller teller;
	struct main_side *main;
};

static uint32_t number(struct reader *reader, uint32_t below)
{
	return (uint32_t)input_number(reader->input, 1) % below;
}

static const char *text(struct reader *reader)
{
	static const char *const texts[] = {"", "a", "main", "x.so", "/usr/x.so",
		"\xc3\xbc", "[read]", MODULE_KERNEL};
	return texts[number(reader, sizeof(texts) / sizeof(*texts))];
}

static uint32_t some_mapping(struct reader *reader)
{
	struct profile *profile = reader->teller.profile;
	uint32_t which = number(reader, 5);
	if (which == 4)
		return PROFILE_NONE;
	while (profile->mappings->len <= which) {
		const struct mapping mapping = {.start = 0x1000 * which,
			.limit = 0x1000 * which + number(reader, 255),
			.path = text(reader),
			.module = text(reader),
			.build_id = which & 1 ? "" : "ab09"};
		profile_add_mapping(profile, &mapping);
	}
	return which;
}

static uint32_t some_location(struct reader *reader)
{
	struct profile *profile = reader->teller.profile;
	struct line lines[3];
	uint32_t kind = number(reader, 8), n_lines = 1 + number(reader, 3);
	if (kind < 4 && profile->locations->len > 0)
		return number(reader, profile->locations->len);
	if (kind == 4)
		return profile_intern_kernel(profile, text(reader));
	if (kind == 5) {
		const char *name = text(reader);
		return profile_intern_detailed(profile, name, text(reader));
	}
	for (uint32_t i = 0; i < n_lines; i++) {
		const struct function function = {.name = text(reader),
			.system_name = text(reader),
			.module = text(reader),
			.file = text(reader),
			.start_line = number(reader, 2)};
		lines[i].function = profile_intern_function(profile, &function);
		lines[i].line = number(reader, 3);
	}
	uint32_t mapping = some_mapping(reader);
	uint64_t address = number(reader, 4);
	return kind == 6
		       ? profile_add_past_location(
				 profile, mapping, address, lines, n_lines)
		       : profile_add_location(profile, mapping, address, lines, n_lines);
}

static uint32_t some_process(struct reader *reader)
{
	const char *name = text(reader);
	return profile_intern_process(
		reader->teller.profile, 1 + (int)number(reader, 3), name, text(reader));
}

static uint64_t some_time(struct reader *reader)
{
	return reader->main->now_ns - input_number(reader->input, 1) * NS_PER_SEC / 8;
}

static void tell_sample(struct reader *reader)
{
	uint32_t locations[8];
	size_t length = number(reader, 9);
	for (size_t i = 0; i < length; i++)
		locations[i] = some_location(reader);
	const struct sample sample = {
		.time_ns = some_time(reader),
		.cpu_ns = input_number(reader->input, 2),
		.wall_ns = input_number(reader->input, 2),
		.count = number(reader, 3),
		.pool = (uint16_t)number(reader, 3),
		.odds = (uint8_t)number(reader, 3),
		.state = (uint8_t)number(reader, THREAD_BLOCKED + 1),
	};
	teller_sample(&reader->teller, 1 + (int)number(reader, 4), locations, length,
		(enum unwind_end)number(reader, UNWIND_END_COUNT), &sample);
}

/* One of those that have only numbers. */
static void tell_thread(struct reader *reader)
{
	static const enum fact_kind kinds[] = {FACT_THREAD, FACT_THREAD_EXIT, FACT_RUNQ,
		FACT_RUNNING, FACT_BLOCKED, FACT_CONTEND, FACT_WITNESS, FACT_ACCOUNT};
	struct fact fact = {.kind = kinds[number(reader, 8)],
		.thread = {.tid = 1 + (int)number(reader, 4),
			.count = number(reader, 3),
			.time_ns = some_time(reader),
			.ns = input_number(reader->input, 2),
			.runq_ns = input_number(reader->input, 2)}};
	fact.thread.from_ns = fact.thread.time_ns - input_number(reader->input, 2);
	teller_tell(&reader->teller, &fact, NULL);
}

static void tell_renamed(struct reader *reader)
{
	struct idmap renamed = {0};
	for (uint32_t left = 1 + number(reader, 3); left > 0; left--) {
		uint32_t was = some_location(reader);
		idmap_put(&renamed, was, 0, some_location(reader));
	}
	teller_renamed(&reader->teller, &renamed);
	idmap_finish(&renamed);
}

static void tell_generation(struct reader *reader)
{
	struct renewal renewal;
	renewal_init(&renewal, reader->teller.profile);
	for (uint32_t left = number(reader, CARRIED_MAX); left > 0; left--)
		if (renewal.from->locations->len > 0)
			renewal_location(
				&renewal, number(reader, renewal.from->locations->len));
	teller_renew(&reader->teller, &renewal);
	renewal_finish(&renewal);
}

static void tell_mark(struct reader *reader)
{
	struct fact fact = {.kind = number(reader, 2) ? FACT_MARK : FACT_SURVEYED,
		.mark = {some_time(reader), input_number(reader->input, 2)}};
	teller_tell(&reader->teller, &fact, NULL);
}

static void tell_answer(struct reader *reader)
{
	struct fact fact = {.kind = FACT_ADDED + number(reader, 8)};
	const char *const texts[] = {
		text(reader), text(reader), text(reader), text(reader)};
	size_t count = fact.kind == FACT_ADDED	  ? 1
		       : fact.kind == FACT_WANTED ? 2
		       : fact.kind == FACT_STATE  ? 4
						  : 0;
	teller_tell_texts(&reader->teller, &fact, texts, count);
}

static void tell_rest(struct reader *reader)
{
	struct fact fact = {.kind = FACT_POOLED,
		.sample = {.tid = 1 + (int)number(reader, 4),
			.time_ns = some_time(reader),
			.cpu_ns = input_number(reader->input, 2),
			.pool = (uint16_t)number(reader, 3)}};
	teller_tell(&reader->teller, &fact, NULL);
}

/* What no reader says that was not taken over: any fact without a payload, some times. */
static void tell_any(struct reader *reader)
{
	struct fact fact = {.kind = number(reader, FACT_KINDS)};
	unsigned times = number(reader, 48);
	input_bytes(reader->input, (char *)&fact + offsetof(struct fact, mapping), 16);
	for (unsigned i = 0; i < times; i++)
		teller_tell(&reader->teller, &fact, NULL);
}

/* True if it may be refused. */
static bool tell(struct reader *reader)
{
	struct teller *teller = &reader->teller;
	switch (input_number(reader->input, 1) % 13) {
	case 0:
		teller_name(teller, 1 + (int)number(reader, 4), text(reader));
		break;
	case 1:
		teller_of(
			teller, number(reader, 4) ? some_process(reader) : PROFILE_NONE);
		break;
	case 2: {
		uint32_t was = some_process(reader);
		teller_rename_process(teller, was, some_process(reader));
		break;
	}
	case 3:
		teller_change_wait(
			teller, 1 + (int)number(reader, 4), some_location(reader));
		break;
	case 4:
		tell_renamed(reader);
		break;
	case 5:
		tell_generation(reader);
		break;
	case 6:
		tell_mark(reader);
		break;
	case 7:
		tell_answer(reader);
		break;
	case 8:
		tell_rest(reader);
		break;
	case 9:
	case 10:
		tell_thread(reader);
		break;
	case 11:
		tell_any(reader);
		return true;
	default:
		tell_sample(reader);
	}
	return reader->main->is_full;
}

/* What a reader says that was not taken over is believed. One that main does not believe is
   followed by another one. */
static void take_told(struct input *input)
{
	struct main_side side;
	begin_main(&side, (unsigned)input_number(input, 1));
	struct reader reader = {.input = input, .main = &side};
	bool is_changed = false;
	teller_init(&reader.teller, -1);
	for (int step = 0; input_left(input) > 0 && step < STEPS_MAX; step++) {
		bool is_wrong;
		is_changed |= tell(&reader);
		side.now_ns += NS_PER_SEC / 4;
		unsigned char *bytes = reader.teller.bytes.data;
		size_t length = reader.teller.bytes.len;
		if (length > 0 && input_number(input, 1) % 8 == 7)
			is_changed |= change(input, bytes, length);
		size_t used = take(&side, bytes, length, &is_wrong);
		FUZZ_CHECK(is_changed || (!is_wrong && used == length));
		reader.teller.bytes.len = 0;
		if (!is_wrong && used == length)
			continue;
		taker_begin_anew(&side.taker);
		teller_finish(&reader.teller);
		teller_init(&reader.teller, -1);
		is_changed = false;
	}
	teller_finish(&reader.teller);
	end_main(&side);
}

/* --- code that is told --------------------------------------------------------------------- */

/* Instructions of one byte to four; each third jumps to one of them, or elsewhere. */
static struct assembly *make_assembly(struct reader *reader)
{
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	size_t count = number(reader, 8);
	uint64_t address = 0x1000;
	assembly->name = mem_strdup(text(reader));
	assembly->module = mem_strdup(text(reader));
	assembly->path = mem_strdup(text(reader));
	assembly->problem = mem_strdup(text(reader));
	assembly->remark = mem_strdup(text(reader));
	assembly->start = address;
	assembly->instructions = mem_zalloc((count + 1) * sizeof(struct instruction));
	assembly->bytes = mem_zalloc(4 * count + 1);
	assembly->n_instructions = count;
	for (size_t i = 0; i < count; i++) {
		struct instruction *at = &assembly->instructions[i];
		*at = (struct instruction){
			.address = address,
			.length = (uint8_t)(1 + number(reader, 4)),
			.kind = (uint8_t)number(reader, INSTRUCTION_UNKNOWN + 1),
			.to = ASSEMBLY_NONE,
			.target_name = text(reader),
			.texts = {text(reader), text(reader)},
		};
		address += at->length;
		if (i % 3 != 2)
			continue;
		at->to = number(reader, (uint32_t)i + 1);
		at->has_target = true;
		at->target = assembly->instructions[at->to].address;
	}
	assembly->limit = address + number(reader, 3);
	return assembly;
}

static struct code_lines *make_lines(struct reader *reader)
{
	uint64_t at = 0x1000;
	struct code_lines *lines = code_lines_create(1, at, at + 0x100);
	for (uint32_t left = number(reader, 8); left > 0; left--) {
		code_lines_add_row(lines, at);
		at += 1 + number(reader, 16);
		for (uint32_t frames = number(reader, 4); frames > 0; frames--)
			code_lines_add_frame(
				lines, text(reader), text(reader), number(reader, 9), 1);
	}
	return lines;
}

static void take_code(struct input *input)
{
	struct main_side side;
	struct reader reader = {.input = input, .main = &side};
	begin_main(&side, 0);
	teller_init(&reader.teller, -1);
	if (number(&reader, 2)) {
		struct assembly *assembly = make_assembly(&reader);
		code_facts_tell_assembly(&reader.teller, assembly);
		assembly_destroy(assembly);
	} else {
		struct code_lines *lines = make_lines(&reader);
		code_facts_tell_lines(&reader.teller, lines);
		code_lines_destroy(lines);
	}
	unsigned char *payload = reader.teller.bytes.data + sizeof(struct fact);
	size_t length = reader.teller.bytes.len - sizeof(struct fact);
	bool is_wrong, is_lines = reader.teller.bytes.data[0] == FACT_LINES;
	bool is_changed = change(input, payload, length);
	if (!is_changed && is_lines) {
		struct code_lines *lines = code_facts_lines(payload, length);
		FUZZ_CHECK(lines);
		code_lines_destroy(lines);
	} else if (!is_changed) {
		struct assembly *assembly = code_facts_assembly(payload, length);
		FUZZ_CHECK(assembly);
		assembly_destroy(assembly);
	}
	size_t used = take(
		&side, reader.teller.bytes.data, length + sizeof(struct fact), &is_wrong);
	FUZZ_CHECK(!is_wrong && used == length + sizeof(struct fact));
	teller_finish(&reader.teller);
	end_main(&side);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, bytes + size};
	switch (input_number(&input, 1) % 4) {
	case 0:
		take_raw(&input);
		break;
	case 1:
		take_code(&input);
		break;
	default:
		take_told(&input);
	}
	return 0;
}
