/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop dump: print the stacks of all threads as they are now, like pstack, eu-stack
   and py-spy dump. */

#include "ptrace/explain.h"
#include "ptrace/glance.h"
#include "ptrace/roundup.h"
#include "ptrace/target.h"
#include "ptrace/unwind-live.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/output-file.h"
#include "src/base/vec.h"
#include "src/facts/naming.h"
#include "src/facts/profile.h"
#include "src/process/waiting.h"
#include "src/read/names/line-names.h"
#include "src/read/names/symbolizer.h"
#include "src/read/space/address-space.h"
#include "src/read/unwind/unwinder.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_WAIT_S = 30,
	LINES_LOOK_MS = 50,
	LISTED = 8, /* processes, in a message */
};

/* One thread; its frames are frames[first_frame .. first_frame + n_frames). */
struct dumped_thread {
	pid_t tid;
	char name[4 * SNAPSHOT_NAME_BYTES + 1];
	char state[WAITING_MAX + 64]; /* in words */
	bool has_stack;
	enum unwind_end end;
	struct callchain_fold fold;
	size_t first_frame, n_frames;
};

struct dump {
	FILE *out; /* in memory, so that the output is complete or empty */
	struct target target;
	struct profile *profile;
	struct naming *naming;
	const struct table *names; /* set when the names are known: used for printing */
	struct address_space *space;
	struct image_cache *images;
	struct symbolizer *symbolizer;
	struct debug_fetch *fetch; /* NULL: nothing is fetched */
	struct wanted_files wanted;
	struct unwinder *unwinder;
	struct live_unwinder *live; /* with --live */
	struct snapshot *slot;
	size_t stack_bytes;
	bool restart; /* interrupted system calls */
	struct callchain chain;
	VEC(struct dumped_thread) threads;
	VEC(struct frame) frames;
};

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

/* For example "sleeping in futex 0x7f12": the name, which the screen shows as a frame,
   [futex], and the object. */
static void describe_state(
	const struct dump *dump, struct dumped_thread *thread, char state)
{
	struct waiting waiting = {.object = ""};
	bool waits = thread->has_stack && dump->slot->state == THREAD_BLOCKED &&
		     (state == 'S' || state == 'D');
	if (waits)
		waiting_of(&dump->slot->call, dump->target.proc_fd, &waiting);
	snprintf(thread->state, sizeof(thread->state), "%s%s%.*s%s%s", state_word(state),
		waits ? " in " : "", waits ? (int)strlen(waiting.name) - 2 : 0,
		waits ? waiting.name + 1 : "", waiting.object[0] ? " " : "",
		waiting.object);
}

static void print_frame(const struct dump *dump, unsigned number, uint32_t id)
{
	const struct location *location = naming_location(dump->profile, dump->names, id);
	for (uint32_t i = 0; i < location->n_lines; i++) {
		const struct function *function =
			profile_function(dump->profile, location->lines[i].function);
		fprintf(dump->out, "  #%-3u %s", number, function->name);
		if (function->module[0])
			fprintf(dump->out, " (%s)", function->module);
		if (function->file[0])
			fprintf(dump->out, " %s:%" PRIu32, function->file,
				location->lines[i].line);
		if (i + 1 < location->n_lines)
			fputs(" [inlined]", dump->out);
		fputc('\n', dump->out);
	}
}

static void print_thread(struct dump *dump, const struct dumped_thread *thread)
{
	fprintf(dump->out, "\nThread %d (%s) %s\n", thread->tid, thread->name,
		thread->state);
	struct error why;
	if (!thread->has_stack) {
		bool may_look = target_shows_sleepers(&dump->target, &why);
		fprintf(dump->out, "  [%s]\n",
			may_look ? "it did not hold still long enough to read its stack"
				 : why.text);
		return;
	}
	unsigned number = 0;
	for (size_t i = 0; i < thread->n_frames; i++) {
		if (i == CALLCHAIN_LEAF && thread->fold.frames) {
			print_frame(dump, number,
				symbolizer_locate_fold(dump->symbolizer, &thread->fold));
			number += thread->fold.frames;
		}
		print_frame(dump, number++,
			symbolizer_locate(dump->symbolizer,
				dump->frames.data[thread->first_frame + i]));
	}
	if (thread->end != UNWIND_ROOT)
		fprintf(dump->out, "  %s\n", unwind_end_label(thread->end));
}

static struct line_resolver *lines_of(const struct options *options)
{
	return options->no_lines ? NULL : options->lines;
}

static void fetch_wanted(struct dump *dump)
{
	vec_each (&dump->wanted.list, file) {
		const char *path = "";
		enum debug_fetch_state state =
			debug_fetch_ask(dump->fetch, file->build_id, file->module, &path);
		if (state != DEBUG_FETCH_PENDING)
			wanted_files_answer(&dump->wanted, file->build_id,
				state == DEBUG_FETCH_FOUND ? path : "");
	}
}

/* Locations that get other names are located again, by their address. */
static void take_names(struct dump *dump, struct line_resolver *lines)
{
	struct idmap renamed = {0};
	line_names_take(lines, dump->profile, &renamed);
	fetch_wanted(dump);
	symbolizer_rename(dump->symbolizer, &renamed);
	idmap_finish(&renamed);
}

/* Repeated, because a debug file that was fetched allows more lines to be looked up. */
static void wait_for_lines(struct dump *dump, struct line_resolver *lines)
{
	uint64_t until_ns = clock_monotonic_ns() + LINES_WAIT_S * NS_PER_SEC, now_ns;
	while ((now_ns = clock_monotonic_ns()) < until_ns) {
		take_names(dump, lines);
		line_resolver_start(lines);
		if (line_resolver_wait(lines, until_ns - now_ns) &&
			!symbolizer_awaits_files(dump->symbolizer))
			break;
		poll(NULL, 0, LINES_LOOK_MS);
	}
}

/* Called when no thread is traced any more, because reading lines can take long. */
static void print_all(struct dump *dump, const struct options *options)
{
	struct line_resolver *lines = lines_of(options);
	wait_for_lines(dump, lines);
	take_names(dump, lines);
	dump->names = naming_tables(dump->naming, &options->naming).described;
	fprintf(dump->out, "Process %d: %s\n", dump->target.pid, dump->target.command);
	vec_each (&dump->threads, thread)
		print_thread(dump, thread);
	message_names(&(struct message_names){
		.pid = dump->target.pid,
		.refusal = symbolizer_refusal(dump->symbolizer),
		.too_large = image_cache_refusal(dump->images),
		.fetch = options->fetch,
		.lines_deaths = line_resolver_deaths(lines),
	});
}

static void look_live(void *context, pid_t tid)
{
	struct dump *dump = context;
	live_unwinder_unwind(dump->live, tid, &dump->chain);
}

/* A thread that was running has been copied already (RUNNING); any other is copied
   now. */
static enum glance_result look(struct dump *dump, const struct rounded_up *running,
	pid_t tid, struct task_stat *stat)
{
	enum glance_result result;
	const struct snapshot *snapshot = dump->slot;
	if (running) {
		*stat = running->stat;
		result = running->result;
		snapshot = running->snapshot;
		dump->slot->state = THREAD_RUNNING;
	} else {
		result = glance_thread(&dump->target, tid, dump->stack_bytes,
			dump->restart, dump->slot, stat);
	}
	if (result == GLANCE_DONE && dump->live)
		result = glance_stopped(tid, dump->restart, look_live, dump);
	else if (result == GLANCE_DONE)
		unwinder_unwind(dump->unwinder, snapshot, &dump->chain);
	return result;
}

static bool dump_thread(
	struct dump *dump, const struct rounded_up *running, pid_t tid, struct error *err)
{
	struct task_stat stat = {0};
	enum glance_result result = look(dump, running, tid, &stat);
	if (result == GLANCE_REFUSED)
		return explain_refusal(dump->target.pid, errno, err);
	if (result == GLANCE_GONE)
		return true;
	const struct callchain *chain = &dump->chain;
	struct dumped_thread thread = {
		.tid = tid,
		.has_stack = result == GLANCE_DONE,
		.end = chain->end,
		.fold = chain->fold,
		.first_frame = dump->frames.len,
		.n_frames = result == GLANCE_DONE ? chain->length : 0,
	};
	clean_text(thread.name, sizeof(thread.name), stat.name, sizeof(stat.name));
	describe_state(dump, &thread, stat.state);
	for (size_t i = 0; i < thread.n_frames; i++) {
		symbolizer_locate(dump->symbolizer, chain->frames[i]);
		vec_push(&dump->frames, chain->frames[i]);
	}
	vec_push(&dump->threads, thread);
	return true;
}

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

static bool open_dump(struct dump *dump, const struct options *options, struct error *err)
{
	*dump = (struct dump){.stack_bytes = options->stack_bytes,
		.restart = !options->no_syscall_restart};
	pid_t pid;
	if (!choose_process(options, &pid, err) ||
		!target_open(&dump->target, pid, err) ||
		explain_foreign(dump->target.proc_fd, pid, err))
		return false;
	dump->slot = mem_zalloc(sizeof(*dump->slot) + dump->stack_bytes);
	dump->profile = profile_create();
	dump->naming = naming_create(dump->profile);
	int proc_fd = fcntl(dump->target.proc_fd, F_DUPFD_CLOEXEC, 3);
	if (proc_fd < 0)
		return error_errno(err, errno, "cannot open descriptors");
	dump->images = image_cache_create(options->file_bytes);
	dump->space = address_space_create(
		proc_fd, dump->profile, dump->images, options->debug_dirs, err);
	if (!dump->space)
		return false;
	struct line_resolver *lines = lines_of(options);
	if (lines)
		line_resolver_hurry(lines);
	dump->symbolizer = symbolizer_create(dump->space, dump->profile, lines);
	dump->fetch = options->fetch;
	symbolizer_fetch(dump->symbolizer, options->fetch ? &dump->wanted : NULL);
	dump->unwinder = unwinder_create(dump->space, err);
	if (options->live)
		dump->live = live_unwinder_create(true, err);
	return dump->unwinder && (dump->live || !options->live);
}

static void close_dump(struct dump *dump)
{
	live_unwinder_destroy(dump->live);
	unwinder_destroy(dump->unwinder);
	symbolizer_destroy(dump->symbolizer);
	wanted_files_finish(&dump->wanted);
	address_space_destroy(dump->space);
	image_cache_destroy(dump->images);
	naming_unref(dump->naming);
	profile_unref(dump->profile);
	free(dump->slot);
	vec_free(&dump->threads);
	vec_free(&dump->frames);
	target_close(&dump->target);
}

static bool dump_some(
	struct dump *dump, const pid_t *tids, size_t count, struct error *err)
{
	struct roundup roundup = {0};
	bool done = true;
	if (!dump->live)
		roundup_take(&roundup, &dump->target, tids, count, dump->stack_bytes,
			dump->restart);
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

struct dump_job {
	struct dump *dump;
	struct error *err;
	bool done;
};

static void *run_job(void *argument)
{
	struct dump_job *job = argument;
	job->done = dump_all(job->dump, job->err);
	return NULL;
}

/* All tracing is done on a separate thread: when that thread ends, the kernel detaches
   whatever it still traces, such as a thread that did not stop in time. */
static bool dump_apart(struct dump *dump, struct error *err)
{
	struct dump_job job = {.dump = dump, .err = err};
	pthread_t thread;
	int errnum = pthread_create(&thread, NULL, run_job, &job);
	if (errnum)
		return error_errno(err, errnum, "cannot start a thread");
	pthread_join(thread, NULL);
	return job.done;
}

int command_dump(const struct options *options)
{
	struct error err;
	struct dump dump;
	char *text = NULL;
	size_t length = 0;
	bool done = open_dump(&dump, options, &err);
	dump.out = open_memstream(&text, &length);
	if (!dump.out)
		mem_alloc(SIZE_MAX); /* out of memory */
	done = done && dump_apart(&dump, &err);
	if (done)
		print_all(&dump, options);
	fclose(dump.out);
	if (done)
		done = output_file_write("-", text, length, &err);
	free(text);
	close_dump(&dump);
	return done ? EXIT_SUCCESS : message_failure(&err);
}
