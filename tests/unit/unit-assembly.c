/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly: functions of this process, as it runs: in its file, changed in memory, made by
 * a compiler at run time, of the kernel; and asked of the analyst.
 */
#include "tests/lib/begins.h"
#include "tests/lib/self.h"

#include "src/read/assembly/assembly-make.h"
#include "src/run/analyst/analyst.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A loop, two ways of calling the C library, and a reference to itself. */
__asm__(".pushsection .text\n"
	".globl counted_down\n"
	".type counted_down, @function\n"
	"counted_down:\n"
	"	push %rbp\n"
	"1:	dec %edi\n"
	"	jnz 1b\n"
	"	call getpid@PLT\n"
	"	call *getppid@GOTPCREL(%rip)\n"
	"	lea counted_down(%rip), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size counted_down, . - counted_down\n"
	".popsection\n");
extern const unsigned char counted_down[];

enum {
	PUSH,
	DEC,
	BRANCH,
	CALL_STUB,
	CALL_SLOT,
	LEA,
	POP,
	RETURN,
	COUNT
};

/* 70 KB of instructions of 7 bytes, which is no divisor of any limit. */
__asm__(".pushsection .text\n"
	".globl very_long\n"
	".type very_long, @function\n"
	"very_long:\n"
	"	.rept 10000\n"
	"	lea 0x12345(%rax), %rax\n"
	"	.endr\n"
	"	ret\n"
	".size very_long, . - very_long\n"
	".popsection\n");
extern const unsigned char very_long[];

enum {
	LEA_BYTES = 7,
	LEAS = 10000,
};

struct fixture {
	struct self self;
	struct symbolizer *symbolizer;
	struct decoder *decoder;
};

static struct fixture begin(void)
{
	struct fixture f = {.decoder = decoder_create()};
	f.self = self_open();
	f.symbolizer = symbolizer_create(f.self.space, f.self.profile, NULL);
	return f;
}

static void finish(struct fixture *f)
{
	symbolizer_destroy(f->symbolizer);
	self_finish(&f->self);
	decoder_destroy(f->decoder);
}

/* The function at ADDRESS of this process. */
static struct assembly *assembly_at(struct fixture *f, uint64_t address)
{
	struct assembly_request request = {
		.serial = 7, .profile = f->self.profile, .address = address};
	struct code_source source;
	address_space_refresh(f->self.space);
	const struct region *region = address_space_find(f->self.space, address);
	assert_non_null(region);
	request.mapping = region->mapping;
	assert_true(
		code_source_of_process(&source, f->self.space, f->symbolizer, &request));
	struct assembly *assembly = assembly_make(f->decoder, &source, &request);
	assert_string_equal(assembly->problem, "");
	assert_int_equal(assembly->serial, 7);
	assert_memory_equal(assembly->bytes,
		(const void *)(uintptr_t)assembly->instructions[0].address,
		assembly->instructions[assembly->n_instructions - 1].address -
			assembly->instructions[0].address);
	code_source_finish(&source);
	return assembly;
}

static uint64_t address_of(const void *code)
{
	return (uint64_t)(uintptr_t)code;
}

static void expect_counted_down(const struct assembly *assembly)
{
	const struct instruction *all = assembly->instructions;
	assert_string_equal(assembly->name, "counted_down");
	assert_int_equal(assembly->n_instructions, COUNT);
	assert_int_equal(assembly->limit - assembly->start,
		all[RETURN].address + all[RETURN].length - all[PUSH].address);
	assert_string_equal(all[PUSH].texts[ASSEMBLY_INTEL], "push rbp");
	assert_int_equal(all[PUSH].kind, INSTRUCTION_OTHER);
	assert_false(all[PUSH].has_target);
	assert_int_equal(all[BRANCH].kind, INSTRUCTION_BRANCH);
	assert_true(all[BRANCH].has_target);
	assert_int_equal(all[BRANCH].to, DEC);
	assert_string_equal(all[BRANCH].target_name, "");
	assert_int_equal(all[CALL_STUB].kind, INSTRUCTION_CALL);
	assert_int_equal(all[CALL_STUB].to, ASSEMBLY_NONE);
	assert_int_equal(all[CALL_SLOT].kind, INSTRUCTION_CALL);
	assert_string_equal(all[CALL_SLOT].target_name, "getppid");
	assert_int_equal(all[LEA].kind, INSTRUCTION_OTHER);
	assert_int_equal(all[LEA].target, assembly->start);
	assert_string_equal(all[LEA].target_name, "counted_down");
	assert_int_equal(all[RETURN].kind, INSTRUCTION_RETURN);
	/* A caller's location is its return address less one. */
	assert_int_equal(assembly_find(assembly, all[CALL_SLOT].address - 1), CALL_STUB);
	assert_int_equal(assembly_find(assembly, all[CALL_STUB].address), CALL_STUB);
	assert_int_equal(assembly_find(assembly, assembly->start - 1), ASSEMBLY_NONE);
	assert_int_equal(assembly_find(assembly, assembly->limit), ASSEMBLY_NONE);
}

/* --- this process ------------------------------------------------------------------ */

static void test_a_function_of_the_running_process(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct assembly *assembly = assembly_at(&f, address_of(counted_down) + 2);
	expect_counted_down(assembly);
	assert_int_equal(assembly->start, address_of(counted_down));
	assert_string_equal(assembly->module, "unit-assembly");
	assert_int_equal(assembly->origin, ASSEMBLY_OF_MEMORY);
	assert_int_equal(assembly->check, ASSEMBLY_SAME);
	assert_string_equal(assembly->remark, "");
	assert_string_equal(assembly->instructions[CALL_STUB].target_name, "getpid@plt");
	assembly_destroy(assembly);
	finish(&f);
}

static void test_code_that_was_changed_is_shown_as_it_runs(void **state)
{
	(void)state;
	struct fixture f = begin();
	uint64_t page = address_of(counted_down) & -(uint64_t)4096;
	volatile unsigned char *first =
		(volatile unsigned char *)address_of(counted_down);
	assert_int_equal(mprotect((void *)(uintptr_t)page, 8192,
				 PROT_READ | PROT_WRITE | PROT_EXEC),
		0);
	*first = 0x90;
	struct assembly *assembly = assembly_at(&f, address_of(counted_down));
	*first = 0x55;
	mprotect((void *)(uintptr_t)page, 8192, PROT_READ | PROT_EXEC);
	assert_int_equal(assembly->check, ASSEMBLY_DIFFERENT);
	assert_int_equal(assembly->n_changed, 1);
	assert_string_equal(assembly->instructions[0].texts[ASSEMBLY_ATT], "nop");
	assert_true(assembly->instructions[0].is_changed);
	assert_false(assembly->instructions[1].is_changed);
	assert_non_null(strstr(assembly->remark, "1 bytes differ"));
	assembly_destroy(assembly);
	finish(&f);
}

static void test_of_a_large_function_the_part_around_the_place(void **state)
{
	(void)state;
	struct fixture f = begin();
	uint64_t address = address_of(very_long) + 9000 * LEA_BYTES;
	struct assembly *assembly = assembly_at(&f, address);
	assert_string_equal(assembly->name, "very_long");
	assert_int_equal(assembly->limit - assembly->start, LEAS * LEA_BYTES + 1);
	assert_true(assembly->is_cut);
	assert_non_null(strstr(assembly->remark, "70001 bytes"));
	uint32_t here = assembly_find(assembly, address);
	assert_int_not_equal(here, ASSEMBLY_NONE);
	assert_int_equal(assembly->instructions[here].address, address);
	for (size_t i = 0; i + 1 < assembly->n_instructions; i++)
		assert_int_equal(assembly->instructions[i].length, LEA_BYTES);
	assembly_destroy(assembly);

	/* At its beginning there is no need to look for the first instruction. */
	assembly = assembly_at(&f, address_of(very_long));
	assert_int_equal(assembly->instructions[0].address, address_of(very_long));
	assembly_destroy(assembly);
	finish(&f);
}

static void test_code_of_no_file(void **state)
{
	(void)state;
	static const unsigned char made[] = {
		0x31, 0xc0, 0xff, 0xc0, 0xeb, 0xfc, 0xc3}; /* a loop without end */
	char path[64];
	struct fixture f = begin();
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED);
	memcpy(code + 16, made, sizeof(made));

	/* Without a perf map it begins where it is asked. */
	struct assembly *assembly = assembly_at(&f, address_of(code + 16));
	assert_true(assembly->is_guessed);
	assert_int_equal(assembly->check, ASSEMBLY_NO_FILE);
	assert_string_equal(
		assembly->instructions[0].texts[ASSEMBLY_INTEL], "xor eax, eax");
	assert_int_equal(assembly->instructions[2].to, 1);
	assembly_destroy(assembly);

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%" PRIx64 " %zx made_now\n", address_of(code + 16), sizeof(made));
	fclose(out);
	symbolizer_locate(f.symbolizer,
		(struct frame){.pc = address_of(code + 16), .is_activation = true});
	assembly = assembly_at(&f, address_of(code + 18));
	unlink(path);
	assert_string_equal(assembly->name, "made_now");
	assert_int_equal(assembly->start, address_of(code + 16));
	assert_int_equal(assembly->n_instructions, 4);
	assert_false(assembly->is_guessed);
	assembly_destroy(assembly);
	munmap(code, 4096);
	finish(&f);
}

static void test_code_of_the_kernel(void **state)
{
	(void)state;
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOLOAD | RTLD_LAZY);
	void *clock = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	if (!clock)
		skip();
	struct fixture f = begin();
	struct assembly *assembly = assembly_at(&f, address_of(clock));
	assert_non_null(strstr(assembly->name, "clock_gettime"));
	assert_string_equal(assembly->path, "[vdso]");
	assert_int_equal(assembly->origin, ASSEMBLY_OF_MEMORY);
	assert_int_equal(assembly->check, ASSEMBLY_NO_FILE);
	assert_true(assembly->n_instructions > 5);
	assembly_destroy(assembly);
	finish(&f);
}

/* --- asked of the analyst ---------------------------------------------------------- */

struct asked {
	struct ring *ring;
	struct analyst *analyst;
	struct report *report;
};

static struct asked begin_asking(pid_t pid)
{
	struct asked a = {NULL};
	struct analyst_options options = {.code = true};
	struct error err = {""};
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d", pid);
	a.ring = ring_create(64, 64);
	a.analyst = analyst_create(&options, &err);
	assert_non_null(a.analyst);
	int proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct analyst_process process = {.pid = pid, .ring = a.ring, .proc_fd = proc_fd};
	if (!analyst_add(a.analyst, &process, &err))
		fail_msg("%s", err.text);
	close(proc_fd);
	struct report_request everything = {.serial = 1};
	a.report = analyst_report(a.analyst, &everything);
	return a;
}

static void finish_asking(struct asked *a)
{
	report_destroy(a->report);
	analyst_destroy(a->analyst);
	ring_destroy(a->ring);
}

/* The first mapping is always that of the main executable. */
static void ask(struct asked *a, uint64_t serial, const void *code)
{
	struct assembly_request request = {
		.serial = serial,
		.profile = a->report->profile,
		.mapping = 0,
		.address = address_of(code),
	};
	analyst_ask_assembly(a->analyst, &request);
}

/* The answer to the request SERIAL; earlier ones are dropped. */
static struct assembly *await(struct asked *a, uint64_t serial)
{
	for (;;) {
		struct pollfd wait = {
			.fd = analyst_ready_fd(a->analyst), .events = POLLIN};
		poll(&wait, 1, -1); /* the suite has a limit of its own */
		report_destroy(analyst_take(a->analyst));
		struct assembly *assembly = analyst_take_assembly(a->analyst);
		if (assembly && assembly->serial == serial)
			return assembly;
		assembly_destroy(assembly);
	}
}

static void test_the_analyst_answers_the_newest_request(void **state)
{
	(void)state;
	struct asked a = begin_asking(getpid());
	assert_null(analyst_take_assembly(a.analyst));
	for (uint64_t serial = 1; serial < 100; serial++)
		ask(&a, serial, very_long);
	ask(&a, 100, counted_down);
	struct assembly *assembly = await(&a, 100);
	expect_counted_down(assembly);
	assert_int_equal(assembly->check, ASSEMBLY_SAME);
	assembly_destroy(assembly);
	ask(&a, 101, very_long); /* and nobody takes the answer */
	finish_asking(&a);
}

static void test_of_a_process_that_has_ended_the_file_is_left(void **state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	struct asked a = begin_asking(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ask(&a, 5, counted_down);
	struct assembly *assembly = await(&a, 5);
	expect_counted_down(assembly);
	assert_int_equal(assembly->origin, ASSEMBLY_OF_FILE);
	assert_int_equal(assembly->check, ASSEMBLY_NO_MEMORY);
	assembly_destroy(assembly);
	finish_asking(&a);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_of_the_running_process),
		cmocka_unit_test(test_code_that_was_changed_is_shown_as_it_runs),
		cmocka_unit_test(test_of_a_large_function_the_part_around_the_place),
		cmocka_unit_test(test_code_of_no_file),
		cmocka_unit_test(test_code_of_the_kernel),
		cmocka_unit_test(test_the_analyst_answers_the_newest_request),
		cmocka_unit_test(test_of_a_process_that_has_ended_the_file_is_left),
	};
	return unit_run(tests);
}
