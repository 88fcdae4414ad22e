/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line-reader: what its process may do, and what happens when it dies. */

#include "tests/lib/compiled.h"
#include "tests/lib/process.h"

#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/base/rights/sanitized.h"
#include "src/read/names/line-resolver.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
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
	assert_true(line_resolver_wait(resolver, 60 * NS_PER_SEC));
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

	pid_t waits = process_await_only_child(getpid()),
	      reads = process_await_only_child(waits);
	assert_int_equal(process_status(reads, "NoNewPrivs", 10), 1);
	assert_int_equal(process_status(reads, "CapEff", 16), 0);
	assert_int_equal(process_status(reads, "CapPrm", 16), 0);
	pid_t both[] = {waits, reads};
	for (int i = 0; i < 2; i++) {
#ifndef SANITIZED
		assert_int_equal(process_status(both[i], "Seccomp", 10), 2);
		assert_true(is_null(both[i], STDERR_FILENO));
#endif
		if (geteuid() == 0) {
			long long uid = process_status(both[i], "Uid", 10);
			assert_int_not_equal(uid, 0);
			assert_int_not_equal(uid, 65534); /* which others are, too */
		}
	}
	line_resolver_destroy(resolver);
	/* No zombie either. */
	assert_int_equal(process_state(waits), 0);
	assert_int_equal(process_state(reads), 0);
	compiled_end(&f.compiled);
}

static void test_it_ends_with_us(void **state)
{
	(void)state;
	int pipes[2];
	pid_t waits = 0;
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (child == 0) {
		line_resolver_create(NULL);
		waits = process_await_only_child(getpid());
		if (write(pipes[1], &waits, sizeof(waits)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipes[0], &waits, sizeof(waits)), sizeof(waits));
	pid_t reads = process_await_only_child(waits);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	process_await_end(waits);
	process_await_end(reads);
	close(pipes[0]);
	close(pipes[1]);
}

/* --- when it dies ------------------------------------------------------------------ */

/* A resolver that has answered a question about FILE; WAITS is the reader's process. */
static struct line_resolver *begin_asking(
	const struct fixture *f, pid_t *waits, uint32_t *file)
{
	struct line_resolver *resolver = line_resolver_create(NULL);
	*waits = process_await_only_child(getpid());
	*file = open_file(f, resolver, "a");
	ask(resolver, f->outer, *file, 1);
	expect(resolver, 1, true);
	return resolver;
}

/* PID and its children to come get the CPU that we are on when we leave it to them, and
   hardly then. BEFORE: where we were. */
static void share_a_cpu(pid_t pid, cpu_set_t *before)
{
	cpu_set_t one;
	assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)pid, 19), 0);
}

static void test_only_the_file_that_it_dies_of_has_no_lines(void **state)
{
	(void)state;
	pid_t waits;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &waits, &a);
	uint32_t b = open_file(&f, resolver, "b");
	assert_int_not_equal(a, b);

	/* Once may have been for another reason: asked again, it answers. */
	pid_t first = process_await_only_child(waits);
	kill(first, SIGSTOP);
	ask(resolver, f.outer, a, 2);
	kill(first, SIGKILL);
	expect(resolver, 2, true);
	assert_int_equal(line_resolver_deaths(resolver), 0);

	/* Twice for the same question is the file's fault. Each reader has to be killed before
	   it answers. */
	cpu_set_t before;
	share_a_cpu(waits, &before);
	for (uint32_t location = 3; line_resolver_deaths(resolver) == 0; location++) {
		assert_in_range(location, 0, 1000);
		struct line_answer answer;
		ask(resolver, f.outer, a, location);
		while (!line_resolver_wait(resolver, 0)) {
			pid_t reads = process_only_child(waits);
			if (reads)
				kill(reads, SIGKILL);
		}
		assert_true(line_resolver_take(resolver, &answer));
		line_answer_finish(&answer);
	}
	sched_setaffinity(0, sizeof(before), &before);
	ask(resolver, f.outer, a, 1);
	expect(resolver, 1, false);
	ask(resolver, f.outer, b, 5);
	expect(resolver, 5, true);
	line_resolver_destroy(resolver);
	process_await_end(waits);
	compiled_end(&f.compiled);
}

/* All that it had are put to the next one, in the same order. */
static void test_what_it_had_when_it_died_is_asked_again(void **state)
{
	(void)state;
	pid_t waits;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &waits, &a);
	uint32_t b = open_file(&f, resolver, "b");
	pid_t first = process_await_only_child(waits);
	kill(first, SIGSTOP);
	for (uint32_t i = 0; i < 200; i++)
		ask(resolver, i % 3 ? f.outer : 1, i % 2 ? a : b, i);
	kill(first, SIGKILL);
	for (uint32_t i = 0; i < 200; i++)
		expect(resolver, i, i % 3);
	assert_int_equal(line_resolver_deaths(resolver), 0);
	line_resolver_destroy(resolver);
	process_await_end(waits);
	compiled_end(&f.compiled);
}

static void test_nobody_waits_for_one_that_does_not_answer(void **state)
{
	(void)state;
	pid_t waits;
	uint32_t a;
	struct fixture f = begin();
	struct line_resolver *resolver = begin_asking(&f, &waits, &a);
	pid_t reads = process_await_only_child(waits);
	kill(reads, SIGSTOP);
	ask(resolver, f.outer, a, 1);
	line_resolver_destroy(resolver);
	process_await_end(reads);
	compiled_end(&f.compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_may_do_next_to_nothing),
		cmocka_unit_test(test_it_ends_with_us),
		cmocka_unit_test(test_only_the_file_that_it_dies_of_has_no_lines),
		cmocka_unit_test(test_what_it_had_when_it_died_is_asked_again),
		cmocka_unit_test(test_nobody_waits_for_one_that_does_not_answer),
	};
	return unit_run(tests);
}
