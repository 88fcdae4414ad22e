/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle [-n STEPS] [-s SKIP] [-e EVERY] [-l] [-p] [-u ours|stock] PROGRAM [ARG...]
 *
 * Runs a program instruction by instruction, and after each one compares what the
 * unwinder makes of a snapshot with the true stack (tests/tools/shadow.h). It begins at
 * the program's entry point, or with -l at the dynamic loader's, and ends with the
 * program or after STEPS comparisons. The first SKIP instructions are only followed; of
 * the others each EVERYth is compared. Threads that it starts are stepped as well.
 *
 * -p leaves the unwinder nothing but the PC and the stack pointer, which is all that is
 * known of a thread that sleeps. -u stock asks libunwind-ptrace instead.
 *
 * Prints "steps N right N incomplete N wrong N bad_prefix N guessed N of_them_right N ..."
 * and the places where most of those that are not right were; tests/tools/verdict.h says
 * what the words mean, and when it succeeds.
 */

#include "src/arch/arch-call.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/unwind/unwinder.h"
#include "tests/lib/tracee.h"
#include "tests/lib/unwind-live.h"
#include "tests/tools/shadow.h"
#include "tests/tools/verdict.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_BYTES = 64 << 10, /* as the sampler copies */
	CODE_BYTES = 16,
	STEPS = UINT32_MAX,
};

/* Of the processor: from the stack pointer of a handler that begins to the PC in its context
   (asm/ucontext.h, asm/sigcontext.h); the register with the number of a call; where the PC is among
   the registers; an instruction that stops. */
#ifdef __aarch64__
enum {
	SAVED_PC = ARCH_SIGNAL_CONTEXT_BYTES - 8,
	CALL_NUMBER = 8,
	PC_AT = 32 * 8,
};
#define TRAP	  0xd4200000L /* brk #0 */
#define TRAP_MASK 0xffffffffL
#else
enum {
	SAVED_PC = 8 + 40 + 16 * 8,
	CALL_NUMBER = 0,
	PC_AT = 16 * 8,
};
#define TRAP	  0xccL /* int3 */
#define TRAP_MASK 0xffL
#endif

struct options {
	uint64_t steps, skip, every;
	bool from_loader, only_pc_and_sp, stock;
};

struct instruction {
	bool is_call, is_syscall;
	uint64_t syscall;
	uint64_t pc;
};

/* A thread. All run at once, one instruction each, and wait when it is done. */
struct task {
	pid_t tid;
	struct shadow shadow;
	struct instruction last; /* what it was left to execute */
	bool is_started;	 /* has been seen */
	bool takes_signal;	 /* the kernel makes a handler's frame, or ends it */
};

struct oracle {
	struct options options;
	struct tracee tracee;
	struct unwinder *unwinder;
	struct live_unwinder *stock;
	struct snapshot *snapshot;
	struct callchain *chain, *truth;
	VEC(struct task) tasks;
	uint64_t instructions;
	struct verdict verdict;
};

/* --- the program -------------------------------------------------------------------- */

static void run_child(char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	personality(ADDR_NO_RANDOMIZE); /* so that a failure comes again */
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	_exit(127);
}

static bool wait_stop(pid_t tid, int *status)
{
	return waitpid(tid, status, __WALL) == tid && WIFSTOPPED(*status);
}

/* What this needs of the registers. */
struct now {
	uint64_t pc, sp;
	uint64_t returns; /* where a call has left its return address, just behind it */
	uint64_t number;  /* of a system call that is to be made */
};

static bool get_regset(pid_t tid, struct arch_regset *regset)
{
	struct iovec io = {regset->bytes, arch_notes[0].bytes};
	bool is_read = ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) == 0;
	regset->size = io.iov_len;
	return is_read;
}

static uint64_t word_at(const struct tracee *tracee, uint64_t address)
{
	uint64_t word = 0;
	if (pread(tracee->mem_fd, &word, sizeof(word), (off_t)address) != sizeof(word))
		return 0;
	return word;
}

static bool get_now(const struct tracee *tracee, pid_t tid, struct now *now)
{
	struct arch_regset regset;
	struct arch_registers all;
	if (!get_regset(tid, &regset) || !arch_decode_regset(&regset, &all))
		return false;
	*now = (struct now){.pc = arch_get_pc(&all), .sp = arch_get_sp(&all)};
	now->number = all.values[CALL_NUMBER];
	now->returns =
		ARCH_CALL_PUSHES ? word_at(tracee, now->sp) : all.values[ARCH_RETURN];
	return true;
}

static uint64_t entry_point(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_auxv_t entry = {.a_type = AT_IGNORE};
	while (fd >= 0 && entry.a_type != AT_ENTRY &&
		read(fd, &entry, sizeof(entry)) == sizeof(entry))
		;
	if (fd >= 0)
		close(fd);
	return entry.a_type == AT_ENTRY ? entry.a_un.a_val : 0;
}

static bool set_pc(pid_t tid, uint64_t pc)
{
	struct arch_regset regset;
	if (!get_regset(tid, &regset))
		return false;
	memcpy(regset.bytes + PC_AT, &pc, sizeof(pc));
	struct iovec io = {regset.bytes, regset.size};
	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io) == 0;
}

/* Let the loader do its work, and stop where the program begins. */
static bool run_to_entry(pid_t pid)
{
	uint64_t entry = entry_point(pid);
	errno = 0;
	long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)entry, NULL);
	if (entry == 0 || errno != 0)
		return false;
	long trap = (word & ~TRAP_MASK) | TRAP;
	int status;
	bool ok = ptrace(PTRACE_POKETEXT, pid, (void *)entry, (void *)trap) == 0 &&
		  ptrace(PTRACE_CONT, pid, NULL, NULL) == 0 && wait_stop(pid, &status) &&
		  WSTOPSIG(status) == SIGTRAP;
	if (!ok || ptrace(PTRACE_POKETEXT, pid, (void *)entry, (void *)word) != 0)
		return false;
	return set_pc(pid, entry);
}

static bool start(struct oracle *oracle, char **argv)
{
	struct tracee *tracee = &oracle->tracee;
	*tracee = (struct tracee){.mem_fd = -1, .output_fd = -1};
	tracee->pid = fork();
	if (tracee->pid == 0)
		run_child(argv);
	int status;
	if (tracee->pid < 0 || !wait_stop(tracee->pid, &status) ||
		ptrace(PTRACE_SETOPTIONS, tracee->pid, NULL,
			(void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) != 0)
		return false;
	if (!oracle->options.from_loader && !run_to_entry(tracee->pid))
		return false;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tracee->pid);
	tracee->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d", (int)tracee->pid);
	int proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct error err = {{0}};
	tracee->profile = profile_create();
	tracee->space = address_space_create(proc_fd, tracee->profile, NULL, NULL, &err);
	if (tracee->mem_fd < 0 || !tracee->space)
		return false;
	oracle->unwinder = unwinder_create(tracee->space, &err);
	oracle->stock = live_unwinder_create(true, &err);
	oracle->snapshot = mem_zalloc(sizeof(*oracle->snapshot) + STACK_BYTES);
	oracle->chain = mem_zalloc(sizeof(*oracle->chain));
	oracle->truth = mem_zalloc(sizeof(*oracle->truth));
	return oracle->unwinder && oracle->stock;
}

static void finish(struct oracle *oracle)
{
	tracee_finish(&oracle->tracee);
	unwinder_destroy(oracle->unwinder);
	live_unwinder_destroy(oracle->stock);
	vec_each (&oracle->tasks, task)
		shadow_finish(&task->shadow);
	vec_free(&oracle->tasks);
	verdict_finish(&oracle->verdict);
	free(oracle->truth);
	free(oracle->chain);
	free(oracle->snapshot);
}

/* --- one comparison ----------------------------------------------------------------- */

static void take_snapshot(struct oracle *oracle, pid_t tid)
{
	struct snapshot *snapshot = oracle->snapshot;
	snapshot->kind = SNAPSHOT_SAMPLE;
	snapshot->tid = tid;
	get_regset(tid, &snapshot->regset);
	tracee_copy_stack(&oracle->tracee, snapshot, STACK_BYTES);
	if (oracle->options.only_pc_and_sp) {
		arch_decode_regset(&snapshot->regset, &snapshot->known);
		snapshot->known.known = arch_bit(arch_pc) | arch_bit(arch_sp);
		snapshot->regset.size = 0;
	}
}

static void compare(struct oracle *oracle, struct task *task, uint64_t pc)
{
	uint64_t start_ns;
	if (oracle->options.stock) {
		start_ns = clock_monotonic_ns();
		live_unwinder_unwind(oracle->stock, task->tid, oracle->chain);
	} else {
		take_snapshot(oracle, task->tid);
		start_ns = clock_monotonic_ns();
		unwinder_unwind(oracle->unwinder, oracle->snapshot, oracle->chain);
	}
	oracle->verdict.unwind_ns += clock_monotonic_ns() - start_ns;
	vec_each (&task->shadow.entries, entry)
		if (entry->saved_at)
			entry->pc = word_at(&oracle->tracee, entry->saved_at);
	shadow_chain(&task->shadow, pc, oracle->truth);
	verdict_add(&oracle->verdict, &oracle->tracee, oracle->chain, oracle->truth,
		oracle->options.stock);
}

/* --- stepping ----------------------------------------------------------------------- */

static struct instruction look(const struct tracee *tracee, const struct now *now)
{
	unsigned char code[CODE_BYTES] = {0};
	if (pread(tracee->mem_fd, code, sizeof(code), (off_t)now->pc) < ARCH_CALL_BYTES)
		return (struct instruction){.pc = now->pc};
	return (struct instruction){
		.is_call = shadow_is_call(code, sizeof(code)),
		.is_syscall = arch_is_call(code),
		.syscall = now->number,
		.pc = now->pc,
	};
}

/* The thread has executed an instruction: update its true stack. */
static void follow(struct oracle *oracle, struct task *task, const struct now *now)
{
	struct instruction last = task->last;
	if (last.is_syscall && last.syscall == SYS_rt_sigreturn)
		shadow_sigreturn(&task->shadow);
	if (last.is_syscall && (last.syscall == SYS_mmap || last.syscall == SYS_munmap ||
				       last.syscall == SYS_mprotect))
		address_space_refresh(oracle->tracee.space);
	uint64_t return_pc = last.is_call ? now->returns : 0;
	shadow_step(&task->shadow, now->sp, now->pc, return_pc);
}

/* Nobody sleeps there, and how often it goes round is the clock's choice. */
static bool is_in_vdso(struct oracle *oracle, uint64_t pc)
{
	const struct region *region = address_space_find(oracle->tracee.space, pc);
	return region && strcmp(region->path, "[vdso]") == 0;
}

/* TASK has stopped with STATUS, after an instruction or for a signal. Returns the signal
   that it must be given with the next step. */
static int look_at(struct oracle *oracle, struct task *task, int status)
{
	struct now now;
	if (status >> 16 != 0 || !get_now(&oracle->tracee, task->tid, &now))
		return 0; /* in the midst of a clone call */
	int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	if (!task->is_started) { /* where a thread begins */
		task->is_started = true;
		signal = 0;
	} else if (task->takes_signal && now.pc != task->last.pc) {
		shadow_signal(&task->shadow, task->last.pc, now.sp + SAVED_PC, now.sp,
			now.returns);
	} else if (!signal || now.pc != task->last.pc) {
		follow(oracle, task, &now);
	}
	task->takes_signal = signal != 0;
	task->last = look(&oracle->tracee, &now);
	const struct options *options = &oracle->options;
	uint64_t n = oracle->instructions++;
	bool wanted = !signal && n >= options->skip && n % options->every == 0;
	if (wanted && !(options->only_pc_and_sp && is_in_vdso(oracle, now.pc)))
		compare(oracle, task, now.pc);
	return signal;
}

static struct task *find_task(struct oracle *oracle, pid_t tid)
{
	vec_each (&oracle->tasks, task)
		if (task->tid == tid)
			return task;
	vec_push(&oracle->tasks, ((struct task){.tid = tid}));
	return &oracle->tasks.data[oracle->tasks.len - 1];
}

static void run(struct oracle *oracle)
{
	pid_t tid = oracle->tracee.pid;
	int status = SIGTRAP << 8 | 0x7f; /* it stands at its first instruction */
	do {
		struct task *task = find_task(oracle, tid);
		if (!WIFSTOPPED(status)) {
			shadow_finish(&task->shadow);
			*task = oracle->tasks.data[--oracle->tasks.len];
			continue;
		}
		int signal = look_at(oracle, task, status);
		ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(intptr_t)signal);
	} while (oracle->verdict.steps < oracle->options.steps &&
		 (tid = waitpid(-1, &status, __WALL)) > 0);
}

static bool parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){.steps = STEPS, .every = 1};
	for (int c; (c = getopt(argc, argv, "+n:s:e:lpu:")) != -1;) {
		if (c == 'n')
			options->steps = strtoull(optarg, NULL, 10);
		else if (c == 's')
			options->skip = strtoull(optarg, NULL, 10);
		else if (c == 'e')
			options->every = strtoull(optarg, NULL, 10);
		else if (c == 'l')
			options->from_loader = true;
		else if (c == 'p')
			options->only_pc_and_sp = true;
		else if (c == 'u')
			options->stock = strcmp(optarg, "stock") == 0;
		else
			return false;
	}
	return optind < argc && options->every > 0;
}

int main(int argc, char **argv)
{
	struct oracle oracle = {.instructions = 0};
	if (!parse(&oracle.options, argc, argv)) {
		fprintf(stderr, "usage: oracle [-n STEPS] [-s SKIP] [-e EVERY] [-l] [-p] "
				"[-u ours|stock] PROGRAM [ARG...]\n");
		return 2;
	}
	bool ok = start(&oracle, argv + optind);
	if (ok)
		run(&oracle);
	else
		fprintf(stderr, "oracle: cannot run or trace %s\n", argv[optind]);
	ok = ok && verdict_print(&oracle.verdict, oracle.options.only_pc_and_sp);
	finish(&oracle);
	return ok ? 0 : 1;
}
