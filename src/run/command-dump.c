/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop dump: print the stacks of all threads as they are now, like pstack, eu-stack
   and py-spy dump. A recording of one instant: threads are copied here, and read by the reader. */

#include "ptrace/explain.h"
#include "ptrace/glance.h"
#include "ptrace/roundup.h"
#include "ptrace/target.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/output-file.h"
#include "src/base/vec.h"
#include "src/count/languages.h"
#include "src/run/analyst/analyst.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RING_SLOTS = 64,
	RING_FULL_MS = 1,
	LOOK_WAIT_MS = 10,
	LOOK_WAITS = 30,
	LINES_WAIT_S = 30,
	LISTED = 8, /* processes, in a message */
};

/* One thread as it was looked at. */
struct dumped_thread {
	pid_t tid;
	char name[4 * SNAPSHOT_NAME_BYTES + 1];
	char state; /* as in its stat */
	bool is_copied;
};

struct dump {
	struct target target;
	struct ring *ring;
	struct analyst *analyst;
	struct glance_how how;
	struct stack_link link;
	struct recipe recipe;
	struct snapshot *slot;
	VEC(struct dumped_thread) threads;
	const struct report *report;
	size_t stack; /* of the report's, the one that was printed last */
};

/* --- printing ------------------------------------------------------------------------- */

static const char *state_word(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "in uninterruptible sleep";
	case 'T':
		return "stopped";
	case 't':
		return "stopped by a tracer";
	case 'Z':
		return "ended";
	default:
		return "idle";
	}
}

/* For example " in futex 0x7f12 held by 31 (worker-1)", of the leaf of a stack, "[futex held by
   worker-1]". */
static void print_wait(const struct report *report, uint32_t leaf, FILE *out)
{
	static const char held[] = " held by ";
	const struct location *location = profile_location(report->profile, leaf);
	const char *name =
		profile_function(report->profile, location->lines[0].function)->name + 1;
	size_t length = strcspn(name, "]");
	const char *holder = strstr(name, held);
	fprintf(out, " in %.*s", (int)(holder ? (size_t)(holder - name) : length), name);
	if (location->detail[0])
		fprintf(out, " %s", location->detail);
	if (holder)
		fprintf(out, " (%.*s)", (int)(name + length - holder - sizeof(held) + 1),
			holder + sizeof(held) - 1);
}

static void print_frame(
	const struct report *report, unsigned number, uint32_t id, FILE *out)
{
	const struct location *location = report_described(report, id);
	for (uint32_t i = 0; i < location->n_lines; i++) {
		const struct function *function =
			profile_function(report->profile, location->lines[i].function);
		fprintf(out, "  #%-3u %s", number, function->name);
		if (function->module[0])
			fprintf(out, " (%s)", function->module);
		if (function->file[0])
			fprintf(out, " %s:%" PRIu32, function->file,
				location->lines[i].line);
		fputs(i + 1 < location->n_lines ? " [inlined]\n" : "\n", out);
	}
}

/* From NODE on, which is not a root. A stack that broke has why as its outermost frame. */
static void print_stack(const struct report *report, uint32_t node, FILE *out)
{
	enum unwind_end end = stacktab_end(report->stacktab, node);
	for (unsigned number = 0; !stacktab_is_root(node); number++) {
		const struct stack_node *frame = stacktab_node(report->stacktab, node);
		node = frame->parent;
		if (stacktab_is_root(node) && end != UNWIND_ROOT)
			fprintf(out, "  %s\n", unwind_end_label(end));
		else
			print_frame(report, number, frame->location, out);
	}
}

/* The report has the stacks in the order in which they were put into the ring. */
static const struct report_stack *find_stack(struct dump *dump, pid_t tid)
{
	const struct report *report = dump->report;
	for (size_t i = 0; i < report->n_stacks; i++) {
		size_t at = (dump->stack + i) % report->n_stacks;
		const struct report_stack *stack = &report->stacks[at];
		if (profile_thread(report->profile, stack->thread)->tid == tid) {
			dump->stack = at;
			return stack;
		}
	}
	return NULL;
}

static const char *why_no_stack(
	const struct dump *dump, const struct dumped_thread *thread, struct error *err)
{
	if (thread->is_copied)
		return "the process that reads stacks died of it";
	return target_shows_sleepers(&dump->target, err)
		       ? "it did not hold still long enough to read its stack"
		       : err->text;
}

static void print_thread(struct dump *dump, const struct dumped_thread *thread, FILE *out)
{
	const struct report *report = dump->report;
	const struct report_stack *stack =
		thread->is_copied ? find_stack(dump, thread->tid) : NULL;
	uint32_t node = stack ? stack->stack : 0;
	struct error why;
	fprintf(out, "\nThread %d (%s) %s", thread->tid, thread->name,
		state_word(thread->state));
	if (stack && stack->state == THREAD_BLOCKED) {
		const struct stack_node *leaf = stacktab_node(report->stacktab, node);
		if (thread->state == 'S' || thread->state == 'D')
			print_wait(report, leaf->location, out);
		node = leaf->parent;
	}
	fputc('\n', out);
	if (stack)
		print_stack(report, node, out);
	else
		fprintf(out, "  [%s]\n", why_no_stack(dump, thread, &why));
}

static bool print_all(const void *what, FILE *out, struct error *err)
{
	struct dump *dump = *(struct dump *const *)what;
	char languages[LANGUAGES_TEXT_MAX];
	(void)err;
	languages_text(dump->report, languages, sizeof(languages));
	fprintf(out, "Process %d: %s\n%s%s", dump->target.pid, dump->target.command,
		languages, languages[0] ? "\n" : "");
	vec_each (&dump->threads, thread)
		print_thread(dump, thread, out);
	return true;
}

/* --- looking -------------------------------------------------------------------------- */

/* False: nobody will ever read it. */
static bool put(struct dump *dump, struct snapshot *record)
{
	record->time_ns = clock_monotonic_ns();
	while (!ring_put(dump->ring, record)) {
		if (analyst_ended(dump->analyst))
			return false;
		analyst_wake(dump->analyst);
		poll(NULL, 0, RING_FULL_MS);
	}
	return true;
}

/* A thread that was running has been copied already (RUNNING); any other is copied
   now. */
static bool dump_thread(
	struct dump *dump, const struct rounded_up *running, pid_t tid, struct error *err)
{
	struct task_stat stat = {0};
	struct snapshot *record = running ? running->snapshot : dump->slot;
	if (running)
		stat = running->stat;
	enum glance_result result =
		running ? running->result : glance_thread(&dump->how, tid, record, &stat);
	if (result == GLANCE_REFUSED)
		return explain_refusal(dump->target.pid, errno, err);
	if (result == GLANCE_GONE)
		return true;
	struct dumped_thread thread = {
		.tid = tid, .state = stat.state, .is_copied = result == GLANCE_DONE};
	clean_text(thread.name, sizeof(thread.name), stat.name, sizeof(stat.name));
	vec_push(&dump->threads, thread);
	if (result == GLANCE_DONE)
		put(dump, record);
	return true;
}

static bool dump_some(
	struct dump *dump, const pid_t *tids, size_t count, struct error *err)
{
	struct roundup roundup = {0};
	bool done = true;
	roundup_take(&roundup, &dump->how, tids, count);
	for (size_t i = 0; i < count && done; i++)
		done = dump_thread(dump, roundup_find(&roundup, tids[i]), tids[i], err);
	roundup_finish(&roundup);
	return done;
}

static bool dump_all(struct dump *dump, struct error *err)
{
	struct task_list tasks = {0};
	bool done = task_list_read(dump->target.task_dir_fd, &tasks);
	if (!done)
		error_set(err, "PID %d has ended", dump->target.pid);
	for (size_t first = 0; first < tasks.len && done; first += ROUNDUP_MAX) {
		size_t rest = tasks.len - first;
		done = dump_some(dump, tasks.data + first,
			rest < ROUNDUP_MAX ? rest : ROUNDUP_MAX, err);
	}
	free(tasks.data);
	return done;
}

/* --- all ------------------------------------------------------------------------------ */

/* The process that OPTIONS name. A name must be that of one process: nobody can be asked
   here which of several it is. */
static bool choose_process(const struct options *options, pid_t *pid, struct error *err)
{
	pid_t pids[LISTED];
	size_t found, used = 0;
	char list[LISTED * 12];
	*pid = options->pids[0];
	if (!options->name)
		return true;
	if (!options_named_pids(options->name, pids, LISTED, &found, err))
		return false;
	*pid = pids[0];
	for (size_t i = 0; i < found && i < LISTED; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d",
			i ? ", " : "", (int)pids[i]);
	return found == 1 ||
	       error_set(err, "%zu processes are called '%s': give -p PID, one of %s%s",
		       found, options->name, list, found > LISTED ? "..." : "");
}

/* What the reader has advised when it was told of the process: it is no tracer's word. */
static void take_advice(struct dump *dump)
{
	struct advice advice;
	uint32_t number = 0;
	while (advice_take(ring_advice(dump->ring), &advice))
		if (advice.tid == 0)
			dump->link = advice.link;
	if (!recipe_take(ring_recipe(dump->ring), &number, &dump->recipe) ||
		!recipe_is_valid(&dump->recipe))
		return;
	target_open_maps(&dump->target);
	dump->how.recipe = &dump->recipe;
}

/* Does the recipe search for what nobody knows yet? The reader finds it in a stack. */
static bool needs_look(const struct dump *dump)
{
	return dump->how.recipe && dump->recipe.steps[0].op == RECIPE_SEARCH &&
	       dump->recipe.n_known == 0;
}

/* Look once for the reader alone. */
static bool look_before(
	struct dump *dump, const struct report_request *request, struct error *err)
{
	if (!dump_all(dump, err))
		return false;
	report_destroy(analyst_report(dump->analyst, request));
	for (int i = 0; i < LOOK_WAITS && needs_look(dump); i++) {
		analyst_wake(dump->analyst);
		poll(NULL, 0, LOOK_WAIT_MS);
		take_advice(dump);
	}
	analyst_clear(dump->analyst);
	dump->threads.len = 0;
	return true;
}

static bool open_dump(struct dump *dump, const struct options *options, struct error *err)
{
	pid_t pid;
	const struct analyst_options reading = {
		.keep_everything = true,
		.debug_dirs = options->debug_dirs,
		.file_bytes = options->file_bytes,
		.lines = options->with_lines,
		.native = options->native,
		.source_maps = options->enable_source_maps,
		.unwind_by = options->unwind_by,
		.fetch = options->fetch,
	};
	*dump = (struct dump){.how = {.restart = !options->no_syscall_restart}};
	if (!choose_process(options, &pid, err) ||
		!target_open(&dump->target, pid, err) ||
		explain_foreign(dump->target.proc_fd, pid, err))
		return false;
	dump->ring = ring_create(RING_SLOTS, options->stack_bytes);
	dump->how.target = &dump->target;
	dump->how.link = &dump->link;
	dump->how.stack_bytes = ring_stack_bytes(dump->ring);
	dump->slot = mem_zalloc(sizeof(*dump->slot) + dump->how.stack_bytes);
	const struct analyst_process process = {
		.pid = pid, .ring = dump->ring, .proc_fd = dump->target.proc_fd};
	dump->analyst = analyst_create(&reading, err);
	if (!dump->analyst)
		return false;
	if (!analyst_add(dump->analyst, &process, err)) {
		explain_hopeless(pid, err); /* for example: it has ended meanwhile */
		return false;
	}
	take_advice(dump);
	return true;
}

static void close_dump(struct dump *dump)
{
	analyst_destroy(dump->analyst);
	ring_destroy(dump->ring);
	free(dump->slot);
	vec_free(&dump->threads);
	target_close(&dump->target);
}

int command_dump(const struct options *options)
{
	struct error err;
	struct dump dump, *const what = &dump;
	const struct report_request request = {.naming = options->naming,
		.wall = true,
		.lines_wait_ns = LINES_WAIT_S * NS_PER_SEC};
	bool done = open_dump(&dump, options, &err) &&
		    (!needs_look(&dump) || look_before(&dump, &request, &err)) &&
		    dump_all(&dump, &err);
	if (done) {
		put(&dump, &(struct snapshot){.kind = SNAPSHOT_END});
		struct report *report = analyst_report(dump.analyst, &request);
		dump.report = report;
		done = output_file_print("-", print_all, &what, NULL, &err);
		message_names(report, options->fetch);
		report_destroy(report);
	}
	close_dump(&dump);
	return done ? EXIT_SUCCESS : message_failure(&err);
}
