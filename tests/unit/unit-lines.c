/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-lines: lines and inlined functions of programs compiled here, and by agreement with
 * addr2line on a large one. */

#include "tests/lib/awaited.h"
#include "tests/lib/begins.h"
#include "tests/lib/compiled.h"
#include "tests/lib/large-program.h"

#include "src/base/clock.h"
#include "src/keep/history.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/line-resolver.h"

#include <inttypes.h>
#include <sys/stat.h>

/* --- a program whose inlining is known --------------------------------------------- */

static const char source[] = "int volatile sink;\n"			      /* 1 */
			     "static inline __attribute__((always_inline))\n" /* 2 */
			     "int inner(int x)\n"			      /* 3 */
			     "{\n"					      /* 4 */
			     "	sink = x;\n"				      /* 5 */
			     "	return sink * 3;\n"			      /* 6 */
			     "}\n"					      /* 7 */
			     "static inline __attribute__((always_inline))\n"
			     "int middle(int x)\n"		  /* 9 */
			     "{\n"				  /* 10 */
			     "	return inner(x + 1) + 1;\n"	  /* 11 */
			     "}\n"				  /* 12 */
			     "__attribute__((noinline))\n"	  /* 13 */
			     "int outer(int x)\n"		  /* 14 */
			     "{\n"				  /* 15 */
			     "	return middle(x) - middle(-x);\n" /* 16 */
			     "}\n"				  /* 17 */
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	(void)argv;\n"
			     "	return outer(argc);\n" /* 21 */
			     "}\n";

static struct elf_lines *open_lines(const struct compiled *compiled, const char *file)
{
	struct error err = {.text = ""};
	struct elf_lines *lines =
		elf_lines_open(compiled_open(compiled, file), false, &err);
	if (!lines)
		fail_msg("%s: %s", file, err.text);
	return lines;
}

static const struct elf_symbol *symbol_named(struct elf_image *image, const char *name)
{
	for (uint64_t at = 0; at < 0x500000; at += 4) {
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		if (symbol && strcmp(symbol->name, name) == 0)
			return symbol;
	}
	fail_msg("no symbol %s", name);
	return NULL;
}

static void assert_frame(const struct line_frame *frame, const struct compiled *compiled,
	const char *name, uint32_t line, uint32_t start_line)
{
	char file[256];
	snprintf(file, sizeof(file), "%s/known.c", compiled->dir);
	assert_string_equal(frame->name, name);
	assert_string_equal(frame->file, file);
	assert_int_equal(frame->line, line);
	assert_int_equal(frame->start_line, start_line);
}

/* COMMAND, a compiler with its flags; none, if it is not there. */
static void check_known(struct compiled *compiled, const char *command)
{
	compiled_write(compiled, "known.c", source);
	if (!compiled_run(compiled, "%s -o known known.c", command))
		return;
	struct elf_image *image = compiled_image(compiled, "known");
	struct elf_symbol outer = *symbol_named(image, "outer");
	elf_image_destroy(image);
	struct elf_lines *lines = open_lines(compiled, "known");
	unsigned deep = 0;
	for (uint64_t at = outer.vaddr; at < outer.vaddr + outer.size; at++) {
		struct line_frame frames[LINE_FRAMES_MAX];
		size_t count = elf_lines_find(lines, at, frames);
		assert_in_range(count, 1, 3);
		if (count == 3) {
			deep++;
			if (frames[0].line != 0) /* clang: of two lines at once */
				assert_in_range(frames[0].line, 3, 7);
			assert_frame(&frames[0], compiled, "inner", frames[0].line, 3);
			assert_frame(&frames[1], compiled, "middle", 11, 9);
		}
		if (count > 1)
			assert_frame(&frames[count - 1], compiled, "outer", 16, 14);
		else
			assert_frame(&frames[0], compiled, "outer", frames[0].line, 14);
	}
	assert_in_range(deep, 8, outer.size);
	elf_lines_close(lines);
}

static void test_inlining_that_is_known(void **state)
{
	(void)state;
	static const char *const commands[] = {"$CC -O2 -g", "$CC -O2 -gdwarf-4",
		"$CC -O2 -g -gz -static-pie", "$CC -O1 -g -no-pie", "$CC -O2 -g -flto",
		"clang -O2 -g", "clang -O2 -gdwarf-4"};
	struct compiled compiled = compiled_begin();
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		check_known(&compiled, commands[i]);
	assert_true(compiled_run(&compiled, "test -e known"));
	compiled_end(&compiled);
}

/* Compiled so that it says nothing of where that was, as distributions and Go do. */
static void test_paths_that_lead_nowhere_are_short(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	compiled_write(&compiled, "known.c", source);
	if (!compiled_run(
		    &compiled, "$CC -O2 -g -ffile-prefix-map=$PWD=. -o known known.c")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "known");
	uint64_t outer = symbol_named(image, "outer")->vaddr;
	elf_image_destroy(image);
	struct elf_lines *lines = open_lines(&compiled, "known");
	struct line_frame frames[LINE_FRAMES_MAX];
	size_t count = elf_lines_find(lines, outer, frames);
	assert_in_range(count, 1, 3);
	assert_string_equal(frames[count - 1].name, "outer");
	assert_string_equal(frames[count - 1].file, "known.c");
	elf_lines_close(lines);
	compiled_end(&compiled);
}

/* --- a large program --------------------------------------------------------------- */

struct reply {
	char name[16384], place[5000];
};

/* One (function, file:line) pair of addr2line -i -f -a; false at the next address. */
static bool read_reply(FILE *in, struct reply *reply)
{
	int next = getc(in);
	ungetc(next, in);
	if (next == EOF || next == '0' || !fgets(reply->name, sizeof(reply->name), in) ||
		!fgets(reply->place, sizeof(reply->place), in))
		return false;
	reply->name[strcspn(reply->name, "\n")] = '\0';
	reply->place[strcspn(reply->place, "\n (")] = '\0';
	return true;
}

/* Go's assembly functions are called NAME.abi0 in the symbol table, and NAME in DWARF. */
static bool same_name(const char *ours, const char *theirs)
{
	size_t length = strlen(ours);
	return strncmp(ours, theirs, length) == 0 &&
	       (!theirs[length] || strcmp(theirs + length, ".abi0") == 0);
}

static bool agrees(const struct line_frame *frame, const struct reply *reply)
{
	char place[5000];
	const char *theirs = reply->place;
	snprintf(place, sizeof(place), "%s:%" PRIu32, frame->file, frame->line);
	theirs += strncmp(theirs, "./", 2) == 0 ? 2 : 0;
	/* addr2line prints "?" for no line. */
	return same_name(frame->name, reply->name) &&
	       (strcmp(place, theirs) == 0 || frame->line == 0);
}

/* The program that is compared: the one made here, or by hand another one. */
struct subject {
	char path[512];
	const char *tool;
	unsigned count;
	struct elf_image *image;
	struct elf_lines *lines;
	uint64_t *vaddrs;
};

static bool open_subject(struct subject *subject, const struct compiled *compiled)
{
	const char *path = getenv("CPROFTOP_LINES_OF");
	const char *tool = getenv("CPROFTOP_ADDR2LINE");
	const char *count = getenv("CPROFTOP_LINES_COUNT");
	*subject = (struct subject){
		.tool = tool ? tool : "addr2line",
		.count = count ? (unsigned)atoi(count) : 2000,
	};
	if (system("addr2line --version >/dev/null 2>&1") != 0 ||
		(!path && !large_program_make(compiled)))
		return false;
	snprintf(subject->path, sizeof(subject->path), "%s%s",
		path ? path : compiled->dir, path ? "" : "/large");
	subject->image = elf_image_open(open(subject->path, O_RDONLY | O_CLOEXEC), NULL);
	assert_non_null(subject->image);
	subject->lines = elf_lines_open(elf_image_dup(subject->image), true, NULL);
	assert_non_null(subject->lines);
	return true;
}

static void close_subject(struct subject *subject)
{
	free(subject->vaddrs);
	elf_lines_close(subject->lines);
	elf_image_destroy(subject->image);
}

/* Random addresses in functions, always the same; and a file that lists them. */
static void choose_addresses(struct subject *subject, const char *list)
{
	FILE *out = fopen(list, "w");
	assert_non_null(out);
	subject->vaddrs = calloc(subject->count, sizeof(*subject->vaddrs));
	struct stat status;
	assert_int_equal(stat(subject->path, &status), 0);
	uint64_t random = 42;
	for (unsigned i = 0; i < subject->count;) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		uint64_t vaddr = (random >> 20) % (2 * (uint64_t)status.st_size);
		if (!elf_image_symbol(subject->image, vaddr))
			continue;
		subject->vaddrs[i++] = vaddr;
		fprintf(out, "0x%" PRIx64 "\n", vaddr);
	}
	fclose(out);
}

/* Compare all frames of one address with the next replies in IN. */
static bool same_frames(
	const struct subject *subject, unsigned i, FILE *in, bool tell, size_t *n)
{
	struct line_frame frames[LINE_FRAMES_MAX];
	char header[128];
	struct reply reply;
	*n = elf_lines_find(subject->lines, subject->vaddrs[i], frames);
	bool same = fgets(header, sizeof(header), in) != NULL;
	size_t k = 0;
	for (; read_reply(in, &reply); k++) {
		bool known = k < *n;
		if (known ? agrees(&frames[k], &reply) : strchr(reply.place, '?') != NULL)
			continue;
		if (same && tell)
			print_message("# 0x%" PRIx64 ": %s %s:%u, they say %s %s\n",
				subject->vaddrs[i], known ? frames[k].name : "-",
				known ? frames[k].file : "-", known ? frames[k].line : 0,
				reply.name, reply.place);
		same = false;
	}
	return same && k >= *n;
}

static void test_addr2line_agrees_about_a_large_program(void **state)
{
	(void)state;
	struct subject subject;
	struct compiled compiled = compiled_begin();
	if (!open_subject(&subject, &compiled)) {
		compiled_end(&compiled);
		skip();
	}
	char list[128], command[1024];
	snprintf(list, sizeof(list), "%s/addresses", compiled.dir);
	choose_addresses(&subject, list);
	snprintf(command, sizeof(command), "%s -a -i -f -e '%s' <'%s'", subject.tool,
		subject.path, list);
	FILE *in = popen(command, "r");
	assert_non_null(in);
	unsigned differ = 0, inlined = 0;
	for (unsigned i = 0; i < subject.count; i++) {
		size_t n;
		differ += !same_frames(&subject, i, in, differ < 10, &n);
		inlined += n > 1;
	}
	pclose(in);
	print_message("# %u addresses, %u with inlined functions, %u differ\n",
		subject.count, inlined, differ);
	compiled_end(&compiled);
	assert_in_range(differ, 0, subject.count / 200);
	assert_in_range(inlined, subject.count / 20, subject.count);
	close_subject(&subject);
}

/* --- the resolver, and what becomes of its answers ---------------------------------- */

static void test_answers_come_in_order_and_failures_too(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	compiled_write(&compiled, "known.c", source);
	if (!compiled_run(&compiled, "$CC -O2 -g -o known known.c")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "known");
	uint64_t outer = symbol_named(image, "outer")->vaddr;
	elf_image_destroy(image);
	struct line_resolver *resolver = line_resolver_create(NULL);
	uint32_t good = line_resolver_add_file(
		resolver, compiled_open(&compiled, "known"), false);
	uint32_t bad = line_resolver_add_file(
		resolver, compiled_open(&compiled, "known.c"), false);
	/* After an exec the same file is added again; with another TRUSTED it is another
	   file. */
	assert_int_equal(good, line_resolver_add_file(resolver,
				       compiled_open(&compiled, "known"), false));
	assert_true(good != line_resolver_add_file(
				    resolver, compiled_open(&compiled, "known"), true));
	for (uint32_t i = 0; i < 100; i++)
		line_resolver_ask(resolver, &(struct line_question){
						    .vaddr = i % 3 == 2 ? 1 : outer,
						    .file = i % 3 == 1 ? bad : good,
						    .location = i,
					    });
	struct line_answer answer;
	assert_true(lines_awaited(resolver, 0)); /* nobody wants them yet */
	assert_false(line_resolver_take(resolver, &answer));
	line_resolver_start(resolver);
	assert_true(lines_awaited(resolver, 60 * NS_PER_SEC));
	for (uint32_t i = 0; i < 100; i++) {
		assert_true(line_resolver_take(resolver, &answer));
		assert_int_equal(answer.location, i);
		assert_int_equal(answer.n_frames > 0, i % 3 == 0);
		if (i % 3 == 0)
			assert_string_equal(
				answer.frames[answer.n_frames - 1].name, "outer");
		line_answer_finish(&answer);
	}
	assert_false(line_resolver_take(resolver, &answer));
	/* Nobody waits for the rest. */
	for (uint32_t i = 0; i < 1000; i++)
		line_resolver_ask(resolver, &(struct line_question){outer + i, good, i});
	line_resolver_start(resolver);
	line_resolver_destroy(resolver);
	compiled_end(&compiled);
}

static void test_history_takes_new_locations_and_reports_keep_the_old(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, false, NS_PER_SEC, 1 << 20);
	struct profile *profile = history.profile;
	struct function plain = {
		.name = "f", .system_name = "f", .module = "m", .file = ""};
	struct function rich = plain;
	rich.file = "/f.c";
	rich.start_line = 3;
	struct line line = {.function = profile_intern_function(profile, &plain)};
	uint32_t mapping = profile_add_mapping(
		profile, &(struct mapping){.path = "/m", .module = "m", .build_id = ""});
	uint32_t before = profile_add_location(profile, mapping, 16, &line, 1);
	uint32_t stack[4] = {before, before};
	struct sample sample = {.time_ns = 1, .count = 1};
	history_add(&history, 7, stack, 2, UNWIND_ROOT, &sample);
	struct stacktab *kept = stacktab_ref(history.stacktab);

	line.function = profile_intern_function(profile, &rich);
	line.line = 5;
	assert_int_equal(profile_function(profile, line.function)->kin, 0);
	uint32_t after = profile_add_location(profile, mapping, 16, &line, 1);
	assert_int_not_equal(before, after);
	assert_int_equal(profile_find_location(profile, mapping, 16), after);
	struct idmap renamed = {0};
	idmap_put(&renamed, before, 0, after);
	uint32_t old_stack = sample_log_at(&history.samples, 0)->stack;
	history_move_stacks(&history, &renamed, NULL);
	idmap_finish(&renamed);

	uint32_t node = sample_log_at(&history.samples, 0)->stack;
	assert_int_equal(stacktab_node(history.stacktab, node)->location, after);
	node = stacktab_node(history.stacktab, node)->parent;
	assert_int_equal(stacktab_node(history.stacktab, node)->location, after);
	assert_int_equal(stacktab_node(kept, old_stack)->location, before);
	stacktab_unref(kept);
	history_finish(&history);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlining_that_is_known),
		cmocka_unit_test(test_paths_that_lead_nowhere_are_short),
		cmocka_unit_test(test_addr2line_agrees_about_a_large_program),
		cmocka_unit_test(test_answers_come_in_order_and_failures_too),
		cmocka_unit_test(
			test_history_takes_new_locations_and_reports_keep_the_old),
	};
	return unit_run(tests);
}
