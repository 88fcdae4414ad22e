/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of processes and the picker, on a /proc of our own making. */
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/process/list/process-list.h"
#include "ui/screen/picker.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cproftop-proc-XXXXXX";

static void write_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* One process: COMMAND's words end in NULs, as LENGTH bytes. */
static void make(int pid, const char *comm, unsigned ticks, unsigned start_ticks,
	const char *command, size_t length)
{
	char path[64], stat[256];

	snprintf(path, sizeof(path), "%d", pid);
	mkdir(path, 0700);
	snprintf(stat, sizeof(stat),
		"%d (%s) S 1 1 1 0 -1 4194304 1 0 0 0 %u 0 0 0 20 0 1 0 %u 1 1\n", pid,
		comm, ticks, start_ticks);
	snprintf(path, sizeof(path), "%d/stat", pid);
	write_file(path, stat, strlen(stat));
	snprintf(path, sizeof(path), "%d/cmdline", pid);
	write_file(path, command, length);
}

#define COMMAND(text) text, sizeof(text)

static void make_all(void)
{
	write_file("uptime", "1000.00 500.00\n", 15);
	make(10, "nginx", 90000, 0, COMMAND("nginx: worker process"));
	make(20, "evil) R 1 (", 10000, 0, COMMAND("/opt/evil/a b\0-x\n\033[2J"));
	make(30, "python3", 50000, 0,
		COMMAND("/usr/bin/python3\0-m\0\346\227\245\346\234\254"));
	make(40, "kthreadd", 0, 0, "", 0);
	make(50, "cproftop-reads", 0, 0, COMMAND("cproftop"));
	write_file("self", "", 0);
}

static void reads_names_commands_and_shares(void **unused)
{
	struct process_list list = {0};

	(void)unused;
	process_list_read(&list, folder, NS_PER_SEC);
	assert_int_equal(list.len, 4);
	assert_int_equal(list.data[0].pid, 10); /* 900 s of CPU in 1000 s */
	assert_float_equal(list.data[0].cpu_share, 0.9, 0.0001);
	assert_string_equal(list.data[0].command, "nginx: worker process");
	assert_int_equal(list.data[0].uid, getuid());
	assert_int_equal(list.data[1].pid, 30);
	assert_string_equal(list.data[1].command, "/usr/bin/python3 -m 日本");
	assert_int_equal(list.data[2].pid, 20);
	assert_string_equal(list.data[2].name, "evil) R 1 (");
	assert_string_equal(list.data[2].command, "/opt/evil/a b -x\\x0a\\x1b[2J");
	assert_int_equal(list.data[2].state, 'S');

	/* Two seconds later: 100 ticks are half a CPU. Another process has the pid 30. */
	make(20, "evil", 10100, 0, COMMAND("evil"));
	make(30, "new", 0, 99999, COMMAND("new"));
	process_list_read(&list, folder, 3 * NS_PER_SEC);
	assert_int_equal(list.data[0].pid, 20);
	assert_float_equal(list.data[0].cpu_share, 0.5, 0.0001);
	assert_float_equal(list.data[1].cpu_share, 0, 0.0001);
	process_list_finish(&list);
	make_all();
}

static void finds_by_name_and_text(void **unused)
{
	struct process process = {.pid = 4711,
		.name = (char *)"comm",
		.command = (char *)"/usr/sbin/Real-Name --x /a/b",
		.user = (char *)"alice"};

	(void)unused;
	assert_true(process_is_called(&process, "comm"));
	assert_true(process_is_called(&process, "Real-Name"));
	assert_false(process_is_called(&process, "Real"));
	assert_false(process_is_called(&process, "b"));
	assert_true(process_contains(&process, "real-n"));
	assert_true(process_contains(&process, "ALI"));
	assert_true(process_contains(&process, "711"));
	assert_true(process_contains(&process, ""));
	assert_false(process_contains(&process, "zz"));
}

static uint64_t clock_ns(void)
{
	return NS_PER_SEC;
}

/* Play SCRIPT; the screen as it was last saved by it is left in the file "screen". */
static pid_t pick_with(
	const char *script, const char *filter, uid_t uid, const char *refusal)
{
	const struct term_options term_options = {0};
	struct term *term = term_headless_create(10, 60, &term_options);
	struct picker_options options = {.proc = folder,
		.filter = filter,
		.uid = uid,
		.refusal = refusal,
		.clock_ns = clock_ns};
	struct error err = {{0}};
	pid_t pid = -1;

	write_file("script", script, strlen(script));
	options.script = script_open("script", &err);
	if (!picker_run(term, &options, &pid, &err))
		fail_msg("%s", err.text);
	script_close(options.script);
	term_destroy(term);
	return pid;
}

static pid_t pick(const char *script, const char *filter)
{
	return pick_with(script, filter, getuid(), NULL);
}

static void expect_screen(const char *expected)
{
	char text[8192];
	FILE *file = fopen("screen", "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	if (!strstr(text, expected))
		fail_msg("not on the screen: %s\n%s", expected, text);
}

static void says_why_a_choice_was_refused(void **unused)
{
	(void)unused;
	pick_with("save-display screen\n", NULL, getuid(), "process 10 is not yours");
	expect_screen("process 10 is not yours");
	pick_with("key Down\nsave-display screen\n", NULL, getuid(), "not yours");
	expect_screen(" processes");
}

/* The busiest of one's own before those of others, whatever these use. */
static void ones_own_come_first(void **unused)
{
	(void)unused;
	if (getuid() != 0)
		skip(); /* nobody else can give a folder away */
	assert_int_equal(chown("20", 4242, (gid_t)-1), 0);
	assert_int_equal(pick_with("key Enter\n", NULL, 4242, NULL), 20);
	assert_int_equal(pick_with("key Down Enter\n", NULL, 4242, NULL), 10);
	assert_int_equal(chown("20", getuid(), (gid_t)-1), 0);
}

static void picks_by_cursor_and_by_typing(void **unused)
{
	(void)unused;
	assert_int_equal(pick("key Enter\n", NULL), 10);
	assert_int_equal(pick("key Down Down Enter\n", NULL), 20);
	assert_int_equal(pick("key PgDn Up Enter\n", NULL), 30);
	assert_int_equal(pick("keys evil<Enter>\n", NULL), 20);
	assert_int_equal(pick("key Enter\n", "python"), 30);
	assert_int_equal(pick("keys q20j<Ctrl-U>30<Enter>\n", NULL), 30);
	assert_int_equal(pick("key Esc\n", NULL), 0);
	assert_int_equal(pick("key F10\n", NULL), 0);
	assert_int_equal(pick("keys nothing<Enter>\n", NULL), 0);
	assert_int_equal(pick("mouse left 3 5\nkey Enter\n", NULL), 30);
	assert_int_equal(pick("mouse double 4 5\n", NULL), 20);
	assert_int_equal(
		pick("mouse left 9 5\nmouse left 0 0\nmouse left 8 3\nkey Enter\n", NULL),
		10);
}

static void shows_the_processes(void **unused)
{
	(void)unused;
	pick("save-display screen\n", NULL);
	expect_screen("Process:\n     PID User         CPU% Command\n      10 ");
	expect_screen("  90.0% nginx: worker process\n");
	expect_screen("  50.0% /usr/bin/python3 -m 日本\n");
	expect_screen("3 of 3 processes");
	pick("keys nothing\nsave-display screen\n", NULL);
	expect_screen("No process contains that.");
	pick("size 1 1\nsize 2 2\nsize 5 3\nkey Down\nsize 200 50\nsave-display screen\n",
		NULL);
	expect_screen("3 of 3 processes");
}

/* The real /proc has us in it. */
static void finds_itself(void **unused)
{
	struct process_list list = {0};
	bool found = false;

	(void)unused;
	process_list_read(&list, "/proc", clock_monotonic_ns());
	for (size_t i = 0; i < list.len; i++)
		found |= list.data[i].pid == getpid() &&
			 process_is_called(&list.data[i], "unit-picker");
	assert_true(found);
	process_list_finish(&list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_names_commands_and_shares),
		cmocka_unit_test(finds_by_name_and_text),
		cmocka_unit_test(says_why_a_choice_was_refused),
		cmocka_unit_test(ones_own_come_first),
		cmocka_unit_test(picks_by_cursor_and_by_typing),
		cmocka_unit_test(shows_the_processes),
		cmocka_unit_test(finds_itself),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8") || !mkdtemp(folder) || chdir(folder) != 0)
		return 77;
	make_all();
	int failed = unit_run(tests);
	char command[64];
	snprintf(command, sizeof(command), "rm -r %s", folder);
	(void)!chdir("/");
	(void)!system(command);
	return failed;
}
