/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/intake.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/task.h"
#include "src/read/names/event-search.h"
#include "src/read/names/symbolizer.h"
#include "src/read/reader/kernel-stack.h"
#include "src/read/reader/process-title.h"
#include "src/read/reader/scripts.h"
#include "src/read/reader/stack-memory.h"
#include "src/read/reader/waits.h"
#include "src/read/space/address-space.h"
#include "src/read/unwind/unwind-link.h"
#include "src/read/unwind/unwinder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CORRECTIONS_MAX = 16, /* of the native frames of a sample */
};

struct intake {
	struct ring *ring;
	int proc_fd;
	struct teller *teller;
	struct address_space *space;
	struct symbolizer *symbolizer;
	struct scripts *scripts;
	struct unwinder *unwinder;
	struct unwind_link link;
	struct waits waits;
	struct sleepers sleepers;
	const char *debug_dirs;
	const enum native_frames *native;
	bool source_maps;
	const struct event *event;
	struct event_search places; /* of a function or variable */
	enum unwind_by unwind_by;
	struct image_cache *images;
	struct wanted_files *wanted;
	struct line_resolver *resolver;
	pid_t pid;
	uint32_t subject;
	bool several;
	uint64_t ended_ns; /* 0: it has not ended */
	uint64_t learning_until_ns;
	uint32_t process; /* in the profile; PROFILE_NONE unless there are several */
	struct process_title title;
	uint64_t charged_ns;  /* CPU time of the process's newest mark */
	bool has_charged;     /* that is known */
	uint64_t surveyed_ns; /* see intake_surveyed_ns */
	pid_t pooled_tid;     /* of the last pooled sample */
	uint64_t checked_ns;  /* samples up to then may be named: address_space_check */
	/* Of the current sample; see take_sample. */
	struct callchain chain;
	uint32_t locations[KERNEL_STACK_MOST + CALLCHAIN_NODES];
};

/* The records that follow are of this process under its present title. */
static void name_process(struct intake *intake)
{
	uint32_t old = intake->process;
	intake->process = profile_intern_process(intake->teller->profile, intake->pid,
		intake->title.name, intake->title.command);
	if (old != PROFILE_NONE && old != intake->process)
		teller_rename_process(intake->teller, old, intake->process);
}

static void take_name(struct intake *intake, const struct snapshot *record)
{
	char name[4 * SNAPSHOT_NAME_BYTES + 1];
	if (sleepers_name(&intake->sleepers, record->tid, record->name))
		teller_name(intake->teller, record->tid, record->name);
	if (!intake->several || record->tid != intake->pid)
		return;
	clean_text(name, sizeof(name), record->name, sizeof(record->name));
	if (process_title_guess(&intake->title, name))
		name_process(intake);
}

/* How long a new process may take to be sampled, and a thread to its next samples. */
#define FIRST_SAMPLE_NS (250 * NS_PER_MS)
#define NEXT_SAMPLES_NS (50 * NS_PER_MS)

static void advise(struct intake *intake, const struct snapshot *record)
{
	struct advice_queue *advice = ring_advice(intake->ring);
	size_t stack_bytes = ring_stack_bytes(intake->ring);
	size_t deepened = advice->deepened;
	struct arch_registers now = {.known = 0};
	snapshot_registers(record, &now);
	struct stack_bounds bounds =
		stack_memory_at(intake->space, record, arch_get_sp(&now));
	const struct callchain *chain = &intake->chain;
	struct stack_bounds far = stack_memory_at(
		intake->space, record, chain->lacked ? chain->lacked : chain->gap.high);
	advice_far(advice, record, &intake->chain, &far, stack_bytes);
	advice_learn(advice, record, &intake->chain, stack_bytes);
	advice_bounds(advice, record->tid, &bounds);
	advice_link(
		advice, unwind_link_of(&intake->link, intake->space, intake->unwinder));
	if (advice->deepened != deepened)
		intake->learning_until_ns = clock_monotonic_ns() + NEXT_SAMPLES_NS;
}

bool intake_is_learning(const struct intake *intake, uint64_t now_ns)
{
	return now_ns < intake->learning_until_ns;
}

static uint16_t pool_of(const struct intake *intake)
{
	return (uint16_t)(1 + (intake->process + 1) % UINT16_MAX);
}

static void tell_runq(struct intake *intake, const struct snapshot *record)
{
	if (record->runq_ns)
		teller_thread(intake->teller, FACT_RUNQ, record->tid, record->time_ns,
			record->runq_ns);
}

/* Of a call that is counted, what called it is of interest. */
static void leave_out_called(struct intake *intake)
{
	struct callchain *chain = &intake->chain;
	if (chain->length < 2 || chain->fold.frames > 0 ||
		!event_search_has(&intake->places, chain->frames[0].pc))
		return;
	chain->length--;
	memmove(chain->frames, chain->frames + 1, chain->length * sizeof(*chain->frames));
}

/* Where a runtime knows better than unwind tables. */
static void correct(struct intake *intake, const struct snapshot *record)
{
	uint32_t length;
	struct arch_registers registers;
	for (int i = 0;
		i < CORRECTIONS_MAX && scripts_correct(intake->scripts, record,
					       &intake->chain, &length, &registers);
		i++)
		unwinder_resume(
			intake->unwinder, record, length, &registers, &intake->chain);
}

/* The locations begin with what a blocked thread waits for; then comes what it has called
   in the kernel, if that is known, then the leaf. */
static void take_sample(struct intake *intake, const struct snapshot *record)
{
	struct callchain *chain = &intake->chain;
	take_name(intake, record); /* it may have changed */
	address_space_at(intake->space, record);
	tell_runq(intake, record);
	unwinder_unwind(intake->unwinder, record, chain);
	correct(intake, record);
	advise(intake, record);
	leave_out_called(intake);
	bool is_blocked = record->state == THREAD_BLOCKED;
	size_t kernel = is_blocked
				? 1 + kernel_stack_locate(record, intake->teller->profile,
					      intake->locations + 1, KERNEL_STACK_MOST)
				: 0;
	size_t length = kernel;
	length += scripts_locate(intake->scripts, record, chain,
		intake->locations + length, FACT_STACK_MAX - length);
	if (is_blocked)
		intake->locations[0] = waits_locate(&intake->waits, record,
			intake->locations + kernel, length - kernel);
	struct sample sample = {
		.time_ns = record->time_ns,
		.cpu_ns = record->cpu_ns,
		.wall_ns = !record->is_wall ? 0
			   : is_blocked	    ? record->blocked_ns
					    : record->ran_ns,
		.count = 1,
		.pool = record->is_pooled ? pool_of(intake) : 0,
		.odds = record->odds,
		.state = (uint8_t)record->state,
	};
	teller_sample(intake->teller, record->tid, intake->locations, length, chain->end,
		&sample);
	sleepers_place(&intake->sleepers, record->tid, record->time_ns, is_blocked,
		intake->locations + kernel, length - kernel);
	if (record->is_pooled)
		intake->pooled_tid = record->tid;
	waits_witness(&intake->waits, record);
}

/* CPU time that the next pooled sample would have weighed. */
static void take_rest(struct intake *intake, const struct snapshot *record)
{
	const struct fact rest = {.kind = FACT_POOLED,
		.sample = {.tid = intake->pooled_tid,
			.time_ns = record->time_ns,
			.cpu_ns = record->cpu_ns,
			.pool = pool_of(intake),
			.state = THREAD_RUNNING}};
	if (intake->pooled_tid && record->cpu_ns)
		teller_tell(intake->teller, &rest, NULL);
}

static void take_wait(struct intake *intake, const struct snapshot *record)
{
	tell_runq(intake, record);
	waits_charge(&intake->waits, record);
	if (record->is_wall && record->kind == SNAPSHOT_WAIT && record->cpu_ns)
		teller_thread(intake->teller, FACT_RUNNING, record->tid, record->time_ns,
			record->cpu_ns);
}

static void take_account(struct intake *intake, const struct snapshot *record)
{
	struct fact fact = {.kind = FACT_ACCOUNT,
		.thread = {.tid = record->tid,
			.from_ns = record->from_ns,
			.time_ns = record->time_ns,
			.ns = record->cpu_ns,
			.runq_ns = record->runq_ns}};
	teller_tell(intake->teller, &fact, NULL);
}

void intake_introduce(const struct intake *intake)
{
	const struct region *region = address_space_main(intake->space);
	if (region && region->mapping != PROFILE_NONE)
		teller_mapping(intake->teller, region->mapping);
}

/* When it is added, and after each exec. */
static void begin_process(struct intake *intake)
{
	intake_introduce(intake);
	if (!intake->several)
		return;
	process_title_begin(&intake->title, intake->proc_fd, clock_monotonic_ns());
	name_process(intake);
}

/* Main's marks are of all processes together: tell what this one used since. */
static void take_mark(struct intake *intake, const struct snapshot *record)
{
	struct fact fact = {.kind = FACT_MARK,
		.mark = {.time_ns = record->from_ns,
			.cpu_ns = intake->has_charged
					  ? record->cpu_ns - intake->charged_ns
					  : 0}};
	intake->has_charged = true;
	intake->charged_ns = record->cpu_ns;
	teller_tell(intake->teller, &fact, NULL);
}

static void tell_end(struct intake *intake)
{
	struct fact fact = {.kind = FACT_ENDED,
		.subject = {.subject = intake->subject, .ended_ns = intake->ended_ns}};
	teller_tell(intake->teller, &fact, NULL);
}

static void take_record(struct intake *intake, const struct snapshot *record)
{
	teller_of(intake->teller, intake->process);
	switch (record->kind) {
	case SNAPSHOT_SAMPLE:
		take_sample(intake, record);
		break;
	case SNAPSHOT_THREAD:
		take_name(intake, record);
		advice_forget(ring_advice(intake->ring), record->tid);
		teller_thread(
			intake->teller, FACT_THREAD, record->tid, record->from_ns, 0);
		break;
	case SNAPSHOT_WAIT:
		take_wait(intake, record);
		break;
	case SNAPSHOT_THREAD_EXIT:
		take_wait(intake, record);
		waits_forget(&intake->waits, record->tid);
		sleepers_exit(&intake->sleepers, record->tid);
		teller_thread(intake->teller, FACT_THREAD_EXIT, record->tid,
			record->time_ns, 0);
		break;
	case SNAPSHOT_ACCOUNT:
		take_account(intake, record);
		break;
	case SNAPSHOT_SURVEY:
		intake->surveyed_ns = record->from_ns;
		break;
	case SNAPSHOT_EXEC:
		address_space_exec(intake->space, NULL);
		idmap_clear(&intake->places.known);
		symbolizer_exec(intake->symbolizer);
		scripts_exec(intake->scripts);
		begin_process(intake);
		break;
	case SNAPSHOT_MAPS:
		address_space_tell(
			intake->space, (const char *)record->stack, record->stack_length);
		break;
	case SNAPSHOT_MARK:
		take_mark(intake, record);
		break;
	case SNAPSHOT_END:
		intake->ended_ns = record->time_ns;
		take_rest(intake, record);
		tell_end(intake);
		break;
	}
}

/* See address_space_check: only samples taken before a check may be named after it. */
static void check_code(struct intake *intake)
{
	intake->checked_ns = intake->ended_ns ? clock_monotonic_ns()
					      : address_space_check(intake->space);
}

bool intake_watch(struct intake *intake)
{
	bool is_restless = code_watch_is_restless(address_space_watch(intake->space));
	if (is_restless)
		check_code(intake);
	return is_restless || scripts_is_late(intake->scripts, clock_monotonic_ns());
}

bool intake_asks_owners(const struct intake *intake)
{
	return intake->waits.files.len > 0;
}

uint64_t intake_next_ns(const struct intake *intake)
{
	const struct snapshot *record = ring_peek(intake->ring);
	return record ? record->time_ns : UINT64_MAX;
}

void intake_take(struct intake *intake, uint64_t until_ns, atomic_ulong *pulse)
{
	const struct snapshot *record;
	while ((record = ring_peek(intake->ring)) && record->time_ns <= until_ns) {
		if (record->time_ns > intake->checked_ns)
			check_code(intake);
		take_record(intake, record);
		ring_release(intake->ring);
		image_cache_step(intake->images);
		atomic_fetch_add(pulse, 1);
	}
}

uint64_t intake_surveyed_ns(const struct intake *intake)
{
	return intake->surveyed_ns;
}

struct ring *intake_ring(const struct intake *intake)
{
	return intake->ring;
}

pid_t intake_pid(const struct intake *intake)
{
	return intake->pid;
}

uint32_t intake_subject(const struct intake *intake)
{
	return intake->subject;
}

struct teller *intake_teller(const struct intake *intake)
{
	return intake->teller;
}

bool intake_is_one_of_several(const struct intake *intake)
{
	return intake->several;
}

uint64_t intake_ended_ns(const struct intake *intake)
{
	return intake->ended_ns;
}

/* The tracer, which counts, knows no names. */
static void look_for_places(struct intake *intake)
{
	if (!event_has_places(intake->event->kind))
		return;
	if (intake->places.found.count == 0) /* libraries are still to come */
		address_space_refresh_if_due(intake->space, clock_monotonic_ns(), true);
	if (event_search_look(&intake->places, intake->space, intake->event))
		event_put(ring_event(intake->ring), &intake->places.found);
}

void intake_refresh(struct intake *intake, uint64_t now_ns)
{
	if (intake->ended_ns)
		return;
	address_space_refresh_if_due(intake->space, now_ns, false);
	scripts_refresh(intake->scripts, now_ns);
	look_for_places(intake);
	if (intake->several &&
		process_title_refresh(&intake->title, intake->proc_fd, now_ns))
		name_process(intake);
}

bool intake_awaits_files(const struct intake *intake)
{
	return symbolizer_awaits_files(intake->symbolizer);
}

bool intake_is_behind(const struct intake *intake)
{
	return symbolizer_is_behind(intake->symbolizer);
}

void intake_rename(struct intake *intake, struct idmap *renamed)
{
	symbolizer_rename(intake->symbolizer, renamed);
}

void intake_carry(struct intake *intake, struct renewal *renewal)
{
	symbolizer_carry(intake->symbolizer, renewal);
	sleepers_renew(&intake->sleepers, renewal);
}

void intake_renew(struct intake *intake, struct renewal *renewal)
{
	address_space_renew(intake->space, renewal);
	symbolizer_renew(intake->symbolizer, renewal);
	scripts_renew(intake->scripts, renewal->to);
	intake->process = renewal_process(renewal, intake->process);
}

static bool open_parts(struct intake *intake, bool is_met, struct error *err)
{
	struct profile *profile = intake->teller->profile;
	int proc_fd = fcntl(intake->proc_fd, F_DUPFD_CLOEXEC, 3);
	if (proc_fd < 0 && !is_met)
		return error_errno(err, errno, "cannot open descriptors for the reader");
	intake->space = address_space_create(
		proc_fd, profile, intake->images, intake->debug_dirs, err);
	if (!intake->space && is_met) /* it has ended just now */
		intake->space = address_space_create(
			-1, profile, intake->images, intake->debug_dirs, err);
	if (!intake->space)
		return false;
	intake->symbolizer = symbolizer_create(intake->space, profile, intake->resolver);
	symbolizer_fetch(intake->symbolizer, intake->wanted);
	intake->scripts = scripts_create(
		intake->space, intake->symbolizer, profile, intake->ring, intake->native);
	if (intake->source_maps)
		scripts_use_source_maps(intake->scripts);
	scripts_refresh(intake->scripts, clock_monotonic_ns());
	intake->waits.scripts = intake->scripts;
	intake->waits.space = intake->space;
	intake->unwinder = unwinder_create(intake->space, err);
	intake->waits.unwinder = intake->unwinder;
	if (intake->unwinder && intake->unwind_by == UNWIND_BY_LIBUNWIND)
		unwinder_use_libunwind(intake->unwinder);
	if (intake->unwinder)
		advice_link(ring_advice(intake->ring),
			unwind_link_of(&intake->link, intake->space, intake->unwinder));
	return intake->unwinder != NULL;
}

struct intake *intake_create(const struct intake_options *options, struct error *err)
{
	struct intake *intake = mem_zalloc(sizeof(*intake));
	intake->ring = options->ring;
	intake->pid = options->pid;
	intake->several = options->several;
	intake->has_charged = !options->is_again;
	intake->process = PROFILE_NONE;
	intake->learning_until_ns = clock_monotonic_ns() + FIRST_SAMPLE_NS;
	intake->surveyed_ns = options->several ? clock_monotonic_ns() : 0;
	intake->teller = options->teller;
	intake->subject = options->subject;
	intake->debug_dirs = options->debug_dirs;
	intake->native = options->native;
	intake->source_maps = options->source_maps;
	intake->event = options->event;
	intake->unwind_by = options->unwind_by;
	intake->images = options->images;
	intake->wanted = options->wanted;
	intake->resolver = options->resolver;
	intake->proc_fd = fcntl(options->proc_fd, F_DUPFD_CLOEXEC, 3);
	intake->waits = (struct waits){.teller = intake->teller,
		.sleepers = &intake->sleepers,
		.pid = intake->pid,
		.proc_fd = intake->proc_fd};
	if (open_parts(intake, options->is_met, err)) {
		begin_process(intake);
		look_for_places(intake);
		return intake;
	}
	intake_destroy(intake);
	return NULL;
}

void intake_destroy(struct intake *intake)
{
	if (!intake)
		return;
	waits_finish(&intake->waits);
	event_search_finish(&intake->places);
	sleepers_finish(&intake->sleepers);
	unwinder_destroy(intake->unwinder);
	scripts_destroy(intake->scripts);
	symbolizer_destroy(intake->symbolizer);
	address_space_destroy(intake->space);
	if (intake->proc_fd >= 0)
		close(intake->proc_fd);
	ring_destroy(intake->ring);
	free(intake);
}

const char *intake_language(const struct intake *intake)
{
	return scripts_language(intake->scripts);
}

const char *intake_places(const struct intake *intake)
{
	return intake->places.text;
}

const char *intake_refusal(const struct intake *intake)
{
	return symbolizer_refusal(intake->symbolizer);
}

const char *intake_map_refusal(const struct intake *intake)
{
	return scripts_refusal(intake->scripts);
}

bool intake_find_code(struct intake *intake, const struct assembly_request *request,
	struct code_source *source)
{
	return code_source_of_process(source, intake->space, intake->symbolizer, request);
}
