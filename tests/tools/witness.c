/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * witness PID SAMPLES [NAMES]: stacks and names of a running process, each compared with what
 * elfutils says of the same stopped thread (tests/tools/opinion.h).
 *
 * Stops a running thread of PID at random instants, takes a snapshot as the sampler does
 * (tests/tools/copies.h), unwinds and names it, and asks elfutils in the same stop. NAMES
 * is a file of more names (opinion_read_names). Prints three lines:
 *
 *   stacks N whole N proven N alone N rooted N unproven N differ N broken N could N
 *
 * whole: say that they reached the root. Of these, proven: elfutils has the same frames,
 * and the last function is one that has no caller, by its name. alone: elfutils gave up on
 * the way, all that it has is the same, and the last function of ours is such a one.
 * differ: elfutils has other frames. The rest is where elfutils guesses, for want of a
 * table, or of a true one (call_site_refutes). Of these, rooted: our last
 * function has no caller. unproven: that is not known. could: broken, but not for elfutils.
 *
 *   calls N fit N jump N misfit N
 *
 * of the pairs of a frame and its caller in whole stacks that elfutils does not prove, each
 * pair of addresses once: the direct call in the caller leads to the frame's function, or
 * to a function that may jump there, or to another one (tests/tools/call-site.h).
 *
 *   names N right N wrong N without N missed N
 *
 * of the addresses that were seen, each once. right: the symbol tables, read by elfutils,
 * have a symbol of this name that covers the address. without: we give a name and elfutils
 * has none, as of Go's table, a perf map or a PLT. missed: it has one and we have none.
 *
 * And what was wrong, "# COUNT KIND ...". Ends with 1 if there was anything.
 */
#include "ptrace/capture.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/names/symbolizer.h"
#include "src/read/unwind/unwinder.h"
#include "tests/lib/tracee.h"
#include "tests/tools/call-site.h"
#include "tests/tools/copies.h"
#include "tests/tools/opinion.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_BYTES = 1 << 20, /* the most that the sampler copies */
	MAX_THREADS = 1024,
	MAX_FINDINGS = 12,
	IDLE_LOOKS = 20000, /* that nothing runs, and we give up */
};

struct witness {
	const char *more_names;
	struct tracee tracee;
	struct unwinder *unwinder;
	struct copies *copies;
	struct symbolizer *symbolizer;
	struct opinion *opinion;
	struct snapshot *snapshot;
	struct callchain *ours, *theirs;
	struct idmap seen;  /* (address, is_activation) */
	struct idmap pairs; /* (return address, address that returns there) */
	unsigned long stacks, whole, proven, alone, rooted, unproven, differ, broken,
		could;
	unsigned long calls, fit, jump, misfit;
	unsigned long names, right, wrong, without, missed;
	int findings;
};

static struct opinion *ask(const struct witness *witness)
{
	struct opinion *opinion = opinion_create(witness->tracee.pid);
	if (opinion && witness->more_names)
		opinion_read_names(opinion, witness->more_names);
	return opinion;
}

static bool prepare(struct witness *witness, pid_t pid)
{
	struct tracee *tracee = &witness->tracee;
	char path[64];
	struct error err = {{0}};
	*tracee = (struct tracee){.pid = pid, .output_fd = -1};
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	tracee->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	int proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tracee->profile = profile_create();
	tracee->space = address_space_create(proc_fd, tracee->profile, NULL, NULL, &err);
	if (tracee->mem_fd < 0 || !tracee->space)
		return false;
	witness->unwinder = unwinder_create(tracee->space, &err);
	if (!witness->unwinder)
		return false;
	witness->copies = copies_create(tracee, witness->unwinder, STACK_BYTES);
	witness->symbolizer = symbolizer_create(tracee->space, tracee->profile, NULL);
	witness->opinion = ask(witness);
	witness->snapshot = mem_zalloc(sizeof(*witness->snapshot) + STACK_BYTES);
	witness->ours = mem_zalloc(sizeof(*witness->ours));
	witness->theirs = mem_zalloc(sizeof(*witness->theirs));
	return witness->opinion != NULL;
}

static void finish(struct witness *witness)
{
	opinion_destroy(witness->opinion);
	copies_destroy(witness->copies);
	symbolizer_destroy(witness->symbolizer);
	unwinder_destroy(witness->unwinder);
	address_space_destroy(witness->tracee.space);
	profile_unref(witness->tracee.profile);
	if (witness->tracee.mem_fd >= 0)
		close(witness->tracee.mem_fd);
	idmap_finish(&witness->seen);
	idmap_finish(&witness->pairs);
	free(witness->snapshot);
	free(witness->ours);
	free(witness->theirs);
}

/* --- a stopped thread --------------------------------------------------------------- */

static bool is_running(pid_t pid, pid_t tid)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'R';
}

/* One of the threads that run now, or 0. */
static pid_t choose(const struct tracee *tracee)
{
	pid_t tids[MAX_THREADS];
	size_t count = tracee_threads(tracee, tids, MAX_THREADS), running = 0;
	for (size_t i = 0; i < count && i < MAX_THREADS; i++)
		if (is_running(tracee->pid, tids[i]))
			tids[running++] = tids[i];
	return running ? tids[(size_t)random() % running] : 0;
}

/* Stop TID where it is. False, and it goes on, if it was about to get a signal. */
static bool stop(pid_t tid)
{
	int status;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return false;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
		waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP)
		return true;
	int signal = status >> 16 ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
	return false;
}

/* Ours and theirs of TID, which is stopped and let go. */
static bool look_at(struct witness *witness, pid_t tid)
{
	struct snapshot *snapshot = witness->snapshot;
	*snapshot = (struct snapshot){
		.kind = SNAPSHOT_SAMPLE, .tid = tid, .time_ns = clock_monotonic_ns()};
	struct iovec io = {snapshot->regset.bytes, sizeof(snapshot->regset.bytes)};
	bool ok = ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) == 0;
	snapshot->regset.size = io.iov_len;
	if (ok) {
		copies_take(witness->copies, snapshot);
		unwinder_unwind(witness->unwinder, snapshot, witness->ours);
		copies_learn(witness->copies, snapshot, witness->ours);
		opinion_unwind(witness->opinion, tid, witness->theirs);
		capture_restart(tid, &snapshot->regset);
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return ok;
}

/* --- what is made of it ------------------------------------------------------------- */

static void print_stack(
	struct witness *witness, const char *whose, const struct callchain *chain)
{
	printf("#     %s, %u, [%s]:", whose, chain->length, unwind_end_name(chain->end));
	for (uint32_t i = 0; i < chain->length && i < 12; i++) {
		uint64_t address = frame_code(chain->frames[i]);
		const char *name = opinion_name(witness->opinion, address);
		printf(" %s(%lx)", name ? name : "?", (unsigned long)address);
	}
	putchar('\n');
}

static void find(struct witness *witness, const char *kind)
{
	if (witness->findings++ >= MAX_FINDINGS)
		return;
	printf("# 1 %s\n", kind);
	print_stack(witness, "ours", witness->ours);
	print_stack(witness, "elfutils", witness->theirs);
}

/* How many frames of the two are the same, from the leaf on. */
static uint32_t common(const struct witness *witness)
{
	const struct callchain *ours = witness->ours, *theirs = witness->theirs;
	uint32_t same = 0;
	while (same < ours->length && same < theirs->length &&
		ours->frames[same].pc == theirs->frames[same].pc)
		same++;
	return same;
}

/* The call that leads from CALLER to CALLEE, the frame inside it. */
static void judge_call(
	struct witness *witness, const struct frame *caller, const struct frame *callee)
{
	uint64_t from = frame_code(*callee);
	if (caller->is_activation || idmap_get(&witness->pairs, caller->pc, from))
		return;
	idmap_put(&witness->pairs, caller->pc, from, 1);
	enum call_site site = call_site_judge(
		witness->opinion, witness->tracee.mem_fd, caller->pc, from);
	witness->calls++;
	witness->fit += site == CALL_FITS;
	witness->jump += site == CALL_JUMPS;
	if (site != CALL_MISFITS)
		return;
	witness->misfit++;
	find(witness, "does not fit");
	printf("#     the call before %lx does not lead to %lx\n",
		(unsigned long)caller->pc, (unsigned long)from);
}

static void judge_calls(struct witness *witness)
{
	const struct callchain *ours = witness->ours;
	for (uint32_t i = 1; i < ours->length; i++)
		if (ours->fold.frames == 0 || i != CALLCHAIN_LEAF)
			judge_call(witness, &ours->frames[i], &ours->frames[i - 1]);
}

/* Of a whole stack of ours: it may be that elfutils did not come to a root. */
static void judge_whole(struct witness *witness)
{
	const struct callchain *ours = witness->ours, *theirs = witness->theirs;
	uint32_t same = common(witness);
	struct opinion *opinion = witness->opinion;
	bool is_guess =
		call_site_refutes(opinion, witness->tracee.mem_fd, ours, theirs, same);
	bool is_root =
		opinion_is_root(opinion, frame_code(ours->frames[ours->length - 1]));
	if (same == ours->length && same == theirs->length && is_root) {
		witness->proven++;
		return;
	}
	judge_calls(witness);
	if (same == ours->length && is_root) {
		witness->rooted++;
	} else if (same == theirs->length && theirs->end != UNWIND_ROOT && is_root) {
		witness->alone++;
	} else if (is_guess ||
		   (same == theirs->length &&
			   (same == ours->length || theirs->end != UNWIND_ROOT))) {
		*(is_root ? &witness->rooted : &witness->unproven) += 1;
		if (!is_root)
			find(witness, "unproven");
	} else {
		witness->differ++;
		find(witness, "differs");
	}
}

static void judge_stack(struct witness *witness)
{
	witness->stacks++;
	if (witness->ours->end == UNWIND_ROOT) {
		witness->whole++;
		judge_whole(witness);
		return;
	}
	witness->broken++;
	if (witness->theirs->end == UNWIND_ROOT) {
		witness->could++;
		find(witness, "broken, and need not be");
	}
}

static void judge_name(struct witness *witness, struct frame frame)
{
	uint64_t address = frame_code(frame);
	if (idmap_get(&witness->seen, frame.pc, frame.is_activation))
		return;
	idmap_put(&witness->seen, frame.pc, frame.is_activation, 1);
	const struct profile *profile = witness->tracee.profile;
	const struct location *location =
		profile_location(profile, symbolizer_locate(witness->symbolizer, frame));
	const struct function *function = profile_function(
		profile, location->lines[location->n_lines - 1].function);
	const char *name = function->system_name;
	const char *theirs = opinion_name(witness->opinion, address);
	bool is_named = name[0] != '[';
	witness->names++;
	if (is_named && theirs && opinion_agrees(witness->opinion, address, name)) {
		witness->right++;
	} else if (is_named && !theirs) {
		witness->without++;
	} else if (theirs) {
		*(is_named ? &witness->wrong : &witness->missed) += 1;
		if (witness->findings++ < MAX_FINDINGS)
			printf("# 1 %s %lx %s: %s, elfutils: %s\n",
				is_named ? "wrong name" : "missed name",
				(unsigned long)address, function->module, name, theirs);
	}
}

/* Files come and go: elfutils must know those that we know. */
static void keep_up(struct witness *witness)
{
	const struct callchain *ours = witness->ours;
	for (uint32_t i = 0; i < ours->length; i++) {
		const struct region *region =
			address_space_find(witness->tracee.space, ours->frames[i].pc);
		if (!region || region->path[0] != '/' ||
			opinion_knows(witness->opinion, ours->frames[i].pc))
			continue;
		struct opinion *fresh = ask(witness);
		if (fresh) {
			opinion_destroy(witness->opinion);
			witness->opinion = fresh;
		}
		return;
	}
}

static void run(struct witness *witness, unsigned long samples)
{
	for (unsigned long idle = 0; witness->stacks < samples && idle < IDLE_LOOKS;) {
		struct timespec pause = clock_to_timespec(
			NS_PER_MS + (uint64_t)(random() % 3000) * NS_PER_US);
		nanosleep(&pause, NULL);
		pid_t tid = choose(&witness->tracee);
		if (tid == 0 || !stop(tid) || !look_at(witness, tid)) {
			if (kill(witness->tracee.pid, 0) != 0)
				return;
			idle++;
			continue;
		}
		judge_stack(witness);
		for (uint32_t i = 0; i < witness->ours->length; i++)
			judge_name(witness, witness->ours->frames[i]);
		keep_up(witness);
	}
}

int main(int argc, char **argv)
{
	struct witness witness = {.findings = 0};
	pid_t pid = argc == 3 || argc == 4 ? (pid_t)atoi(argv[1]) : 0;
	if (pid <= 0) {
		fputs("usage: witness PID SAMPLES [NAMES]\n", stderr);
		return 2;
	}
	witness.more_names = argv[3];
	bool ok = prepare(&witness, pid);
	if (ok)
		run(&witness, strtoul(argv[2], NULL, 10));
	else
		fprintf(stderr, "witness: cannot look at process %d\n", (int)pid);
	printf("stacks %lu whole %lu proven %lu alone %lu rooted %lu unproven %lu "
	       "differ %lu broken %lu could %lu\n",
		witness.stacks, witness.whole, witness.proven, witness.alone,
		witness.rooted, witness.unproven, witness.differ, witness.broken,
		witness.could);
	printf("calls %lu fit %lu jump %lu misfit %lu\n", witness.calls, witness.fit,
		witness.jump, witness.misfit);
	printf("names %lu right %lu wrong %lu without %lu missed %lu\n", witness.names,
		witness.right, witness.wrong, witness.without, witness.missed);
	ok = ok && witness.differ + witness.misfit + witness.wrong == 0;
	finish(&witness);
	return ok ? 0 : 1;
}
