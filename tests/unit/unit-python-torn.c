/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The judge of stacks (tests/tools/script-callers) is not blind: of a thread that is stopped for the
   copy of its Python frames it finds none that cannot have been, and of one that runs on during the
   same reads it finds some. */
#include "tests/lib/tracee.h"
#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include "ptrace/capture.h"
#include "ptrace/second-stack.h"
#include "ptrace/target.h"
#include "src/base/mem.h"
#include "src/read/runtimes/python/python.h"
#include "src/read/runtimes/recipe-areas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	COPIES = 4000,
	ROUNDS = 20, /* of so many copies, until there is one that is torn */
};

struct watched {
	struct tracee tracee;
	struct target target;
	void *python;
	struct region_file file;
	uint64_t thread; /* its thread pointer */
	struct recipe recipe, none;
	struct snapshot *slot;
	struct script_stack stack;
};

static bool meet_python(struct watched *watched)
{
	struct address_space *space = watched->tracee.space;
	const struct region *region;
	char version[32];
	for (uint64_t at = 0;
		!watched->python && (region = address_space_region_from(space, at));
		at = region->limit) {
		uint64_t bias;
		struct elf_image *image = NULL;
		if (region->permissions & REGION_EXECUTE)
			region = address_space_find(space, region->start);
		if (region->permissions & REGION_EXECUTE)
			image = address_space_image(space, region, &bias);
		if (image)
			watched->python = python_runtime.meet(space, image, bias);
		watched->file = region_file(region);
	}
	return watched->python &&
	       python_runtime.is_known(watched->python, version, sizeof(version)) &&
	       python_runtime.recipe(watched->python, &watched->recipe);
}

static void stop(const struct watched *watched)
{
	pid_t pid = watched->tracee.pid;
	siginfo_t info;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | __WALL), 0);
}

/* With the signal that it was stopped before, if it was. */
static void let_go(const struct watched *watched)
{
	siginfo_t info;
	long number = 0;
	if (ptrace(PTRACE_GETSIGINFO, watched->tracee.pid, NULL, &info) == 0 &&
		info.si_signo != SIGTRAP)
		number = info.si_signo;
	assert_int_equal(
		ptrace(PTRACE_DETACH, watched->tracee.pid, NULL, (void *)number), 0);
}

static void copy(struct watched *watched)
{
	*watched->slot =
		(struct snapshot){.kind = SNAPSHOT_SAMPLE, .tid = watched->tracee.pid};
	second_stack_copy(&watched->recipe, watched->target.mem_fd,
		watched->target.maps_fd, watched->thread, STACK_BYTES, watched->slot);
}

static void begin(struct watched *watched)
{
	const char *const argv[] = {
		"python3", source_path("callers.py"), "300", "1", NULL};
	*watched = (struct watched){
		.slot = mem_zalloc(sizeof(struct snapshot) + STACK_BYTES)};
	struct error err;
	struct arch_regset registers;
	if (!tracee_start(&watched->tracee, argv) ||
		!target_open(&watched->target, watched->tracee.pid, &err) ||
		!meet_python(watched))
		skip();
	recipe_areas_add(&watched->recipe, watched->tracee.space, &watched->file,
		&watched->none, true);
	stop(watched);
	assert_true(capture_registers(watched->tracee.pid, &registers));
	watched->thread = arch_regset_thread_pointer(&registers);
	let_go(watched);
}

static void end(struct watched *watched)
{
	python_runtime.destroy(watched->python);
	tracee_finish(&watched->tracee);
	target_close(&watched->target);
	free(watched->slot);
}

/* One line, as a folded file by line has it; nothing if the frames are not certain. */
static void write_stack(struct watched *watched, FILE *file)
{
	struct script_stack *stack = &watched->stack;
	python_runtime.frames(watched->python, watched->slot, NULL, stack);
	if (stack->end != SCRIPT_ALL)
		return;
	for (uint32_t i = stack->n_frames; i-- > 0;) {
		struct script_function function;
		enum script_kind kind = python_runtime.name(
			watched->python, watched->slot, &stack->frames[i], &function);
		if (kind == SCRIPT_NAMED)
			fprintf(file, "%s %s:%u", function.name, function.file,
				(unsigned)function.line);
		else if (kind == SCRIPT_GONE)
			fprintf(file, "[Python function that is gone]");
		if (kind != SCRIPT_HIDDEN && i > 0)
			fprintf(file, ";");
	}
	fprintf(file, " 1\n");
}

/* What the judge says of COPIES copies. */
static void judge(
	struct watched *watched, bool stops, unsigned *stacks, unsigned *impossible)
{
	char path[] = "torn-XXXXXX", command[8192], line[4096];
	const char *srcdir = getenv("srcdir");
	FILE *file = fdopen(mkstemp(path), "w");
	for (int i = 0; i < COPIES; i++) {
		usleep((useconds_t)(rand() % 100));
		if (stops)
			stop(watched);
		copy(watched);
		if (stops)
			let_go(watched);
		write_stack(watched, file);
	}
	fclose(file);
	snprintf(command, sizeof(command), "%s/tests/tools/script-callers %s <%s",
		srcdir ? srcdir : ".", source_path("callers.py"), path);
	FILE *output = popen(command, "r");
	assert_int_equal(fscanf(output, "%u %u", stacks, impossible), 2);
	while (fgets(line, sizeof(line), output))
		print_message("# %s %s", stops ? "stopped:" : "running:", line);
	pclose(output);
	unlink(path);
}

static void test_a_stopped_thread_is_never_torn(void **state)
{
	struct watched watched;
	unsigned stacks, impossible;
	(void)state;
	begin(&watched);
	judge(&watched, true, &stacks, &impossible);
	assert_true(stacks > COPIES / 2);
	assert_int_equal(impossible, 0);
	end(&watched);
}

static void test_a_running_one_is(void **state)
{
	struct watched watched;
	unsigned stacks, impossible = 0;
	(void)state;
	begin(&watched);
	for (int i = 0; i < ROUNDS && impossible == 0; i++)
		judge(&watched, false, &stacks, &impossible);
	assert_true(impossible > 0);
	end(&watched);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stopped_thread_is_never_torn),
		cmocka_unit_test(test_a_running_one_is),
	};
	return unit_run(tests);
}
