/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line-reader: what its process may do, and what happens when it dies. */

#include "tests/lib/awaited.h"
#include "tests/lib/begins.h"
#include "tests/lib/compiled.h"
#include "tests/lib/process.h"

#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/base/rights/sanitized.h"
#include "src/read/names/line-resolver.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static const char source[] = "int outer(int x)\n"
			     "{\n"
			     "	return x * 3;\n" /* 3 */
			     "}\n"
			     "int main(void) { return outer(1); }\n";

struct fixture {
	struct compiled compiled;
	uint64_t outer;
};

static struct fixture begin(void)
{
	struct fixture f = {.compiled = compiled_begin()};
	compiled_write(&f.compiled, "a.c", source);
	if (!compiled_run(&f.compiled, "$CC -O0 -g -o a a.c && cp a b")) {
		compiled_end(&f.compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&f.compiled, "a");
	for (uint64_t at = 0; at < 1 << 16 && !f.outer; at++) {
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		if (symbol && strcmp(symbol->name, "outer") == 0)
			f.outer = at;
	}
	elf_image_destroy(image);
	assert_true(f.outer != 0);
	return f;
}

/* --- its processes ----------------------------------------------------------------- */

#ifndef SANITIZED
/* Does FD of PID lead to /dev/null? Yes, if we may not see it. */
static bool is_null(pid_t pid, int fd)
{
	char path[64], link[64] = "/dev/null";
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	ssize_t length = readlink(path, link, sizeof(link) - 1);
	if (length > 0)
		link[length] = '\0';
	return strcmp(link, "/dev/null") == 0;
}
#endif

/* --- questions --------------------------------------------------------------------- */

static uint32_t open_file(
	const struct fixture *f, struct line_resolver *resolver, const char *name)
{
	return line_resolver_add_file(resolver, compiled_open(&f->compiled, name), false);
}

static void ask(
	struct line_resolver *resolver, uint64_t vaddr, uint32_t file, uint32_t location)
{
	struct line_question question = {vaddr, file, location};
	line_resolver_ask(resolver, &question);
	line_resolver_start(resolver);
}

static void expect(struct line_resolver *resolver, uint32_t location, bool known)
{
	struct line_answer answer;
	assert_true(lines_awaited(resolver, 60 * NS_PER_SEC));
	assert_true(line_resolver_take(resolver, &answer));
	assert_int_equal(answer.location, location);
	assert_int_equal(answer.n_frames, known);
	if (known) {
		assert_string_equal(answer.frames[0].name, "outer");
		assert_int_equal(answer.frames[0].line, 2);
	}
	line_answer_finish(&answer);
}

static void test_it_may_do_next_to_nothing(void **state)
{
	(void)state;
	struct fixture f = begin();
	uint64_t before_ns = own_cpu_ns();
	uint64_t self_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct line_resolver *resolver = line_resolver_create(NULL);
	ask(resolver, f.outer, open_file(&f, resolver, "a"), 1);
	expect(resolver, 1, true);
	self_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - self_ns;
	assert_true(own_cpu_ns() - before_ns > self_ns); /* the child's, too */

	pid_t reads = process_await_only_child(getpid());
	assert_true(process_comm_is(reads, "cproftop-lines"));
	assert_int_equal(process_status(reads, "NoNewPrivs", 10), 1);
	assert_int_equal(process_status(reads, "CapEff", 16), 0);
	assert_int_equal(process_status(reads, "CapPrm", 16), 0);
#ifndef SANITIZED
	assert_int_equal(process_status(reads, "Seccomp", 10), 2);
	assert_true(is_null(reads, STDERR_FILENO));
#endif
	if (geteuid() == 0) {
		long long uid = process_status(reads, "Uid", 10);
		assert_int_not_equal(uid, 0);
		assert_int_not_equal(uid, 65534); /* which others are, too */
	}
	line_resolver_destroy(resolver);
	/* No zombie either. */
	assert_int_equal(process_state(reads), 0);
	compiled_end(&f.compiled);
}

/* A resolver that has answered a question about FILE by the process READS. */
static struct line_resolver *begin_asking(
	const struct fixture *f, pid_t *reads, uint32_t *file)
{
	struct line_resolver *resolver = line_resolver_create(NULL);
	*file = open_file(f, resolver, "a");
	ask(resolver, f->outer, *file, 1);
	expect(resolver, 1, true);
	*reads = process_await_only_child(getpid());
	return resolver;
}

static void test_it_ends_with_us(void **state)
{
	(void)state;
	int pipes[2];
	pid_t reads = 0;
	struct fixture f = begin();
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (child == 0) {
		uint32_t file;
		begin_asking(&f, &reads, &file);
		if (write(pipes[1], &reads, sizeof(reads)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipes[0], &reads, sizeof(reads)), sizeof(reads));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	process_await_end(reads);
	compiled_end(&f.compiled);
	close(pipes[0]);
	close(pipes[1]);
}

/* --- when it dies ------------------------------------------------------------------ */

static void test_only_the_file_that_it_dies_of_has_no_lines(void **state)
{
	(void)state;
	pid_t first;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &first, &a);
	uint32_t b = open_file(&f, resolver, "b");
	assert_int_not_equal(a, b);

	/* Once may have been for another reason: asked again, it answers. */
	kill(first, SIGSTOP);
	ask(resolver, f.outer, a, 2);
	kill(first, SIGKILL);
	expect(resolver, 2, true);
	assert_int_equal(line_resolver_deaths(resolver), 0);

	/* Twice for the same question is the file's fault. Each reader has to be killed before
	   it answers. */
	for (uint32_t location = 3; line_resolver_deaths(resolver) == 0; location++) {
		assert_in_range(location, 0, 1000);
		struct line_answer answer;
		ask(resolver, f.outer, a, location);
		while (!lines_awaited(resolver, 0)) {
			pid_t reads = process_only_child(getpid());
			if (reads)
				kill(reads, SIGKILL);
		}
		assert_true(line_resolver_take(resolver, &answer));
		line_answer_finish(&answer);
	}
	ask(resolver, f.outer, a, 1);
	expect(resolver, 1, false);
	ask(resolver, f.outer, b, 5);
	expect(resolver, 5, true);
	line_resolver_destroy(resolver);
	compiled_end(&f.compiled);
}

/* All that it had are put to the next one, in the same order. */
static void test_what_it_had_when_it_died_is_asked_again(void **state)
{
	(void)state;
	pid_t first;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &first, &a);
	uint32_t b = open_file(&f, resolver, "b");
	kill(first, SIGSTOP);
	for (uint32_t i = 0; i < 200; i++)
		ask(resolver, i % 3 ? f.outer : 1, i % 2 ? a : b, i);
	kill(first, SIGKILL);
	for (uint32_t i = 0; i < 200; i++)
		expect(resolver, i, i % 3);
	assert_int_equal(line_resolver_deaths(resolver), 0);
	line_resolver_destroy(resolver);
	compiled_end(&f.compiled);
}

static void test_nobody_waits_for_one_that_does_not_answer(void **state)
{
	(void)state;
	pid_t first;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &first, &a);
	kill(first, SIGSTOP);
	ask(resolver, f.outer, a, 1);
	line_resolver_destroy(resolver);
	assert_int_equal(process_state(first), 0);
	compiled_end(&f.compiled);
}

/* A library with separate debugging information, of which 9 of 200 samples are, and then 11. */
static void test_a_library_is_read_if_it_has_weight(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct line_answer answer;
	struct line_resolver *resolver = line_resolver_create(NULL);
	uint32_t own = open_file(&f, resolver, "a");
	uint32_t library =
		line_resolver_add_file(resolver, compiled_open(&f.compiled, "b"), true);
	for (int i = 0; i < 200; i++)
		line_resolver_ran(resolver, i < 9 ? library : own);
	ask(resolver, f.outer, library, 1);
	ask(resolver, f.outer, own, 2);
	expect(resolver, 2, true);
	assert_false(line_resolver_take(resolver, &answer));
	for (int i = 0; i < 2; i++)
		line_resolver_ran(resolver, library);
	line_resolver_start(resolver);
	expect(resolver, 1, true);

	/* That of the program itself, without any. */
	line_resolver_want(resolver, library);
	for (int i = 1; i < 2000; i++)
		line_resolver_ran(resolver, own);
	ask(resolver, f.outer, library, 3);
	expect(resolver, 3, true);
	line_resolver_destroy(resolver);
	compiled_end(&f.compiled);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_may_do_next_to_nothing),
		cmocka_unit_test(test_it_ends_with_us),
		cmocka_unit_test(test_only_the_file_that_it_dies_of_has_no_lines),
		cmocka_unit_test(test_what_it_had_when_it_died_is_asked_again),
		cmocka_unit_test(test_nobody_waits_for_one_that_does_not_answer),
		cmocka_unit_test(test_a_library_is_read_if_it_has_weight),
	};
	return unit_run(tests);
}
