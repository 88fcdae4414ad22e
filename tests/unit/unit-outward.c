/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes from the screen to other programs: a text for the clipboard, a line for an
   editor. */
#include "tests/lib/unit.h"

#include "ui/editor/editor-command.h"
#include "ui/editor/editor.h"
#include "ui/term/osc52.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_sent(
	enum osc52_through through, const char *text, const char *expected)
{
	size_t size;
	char *bytes = osc52_make(through, text, &size);
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(bytes, expected, size);
	free(bytes);
}

static void test_a_text_goes_to_the_terminal_in_base64(void **state)
{
	(void)state;
	expect_sent(OSC52_DIRECT, "", "\033]52;c;\a");
	expect_sent(OSC52_DIRECT, "f", "\033]52;c;Zg==\a"); /* RFC 4648, test vectors */
	expect_sent(OSC52_DIRECT, "fo", "\033]52;c;Zm8=\a");
	expect_sent(OSC52_DIRECT, "foo", "\033]52;c;Zm9v\a");
	expect_sent(OSC52_DIRECT, "foobar", "\033]52;c;Zm9vYmFy\a");
	expect_sent(OSC52_DIRECT, "\xc3\xa9?\xff", "\033]52;c;w6k//w==\a");
}

static void test_multiplexers_get_what_they_hand_on(void **state)
{
	(void)state;
	expect_sent(OSC52_TMUX, "foo",
		"\033]52;c;Zm9v\a\033Ptmux;\033\033]52;c;Zm9v\a\033\\");
	expect_sent(OSC52_SCREEN, "foo", "\033P\033]52;c;Zm9v\a\033\\");
	assert_int_equal(osc52_through("/tmp/x,1,0", NULL, "screen"), OSC52_TMUX);
	assert_int_equal(osc52_through(NULL, NULL, "tmux-256color"), OSC52_TMUX);
	assert_int_equal(osc52_through("", "1.pts-0", "xterm"), OSC52_SCREEN);
	assert_int_equal(osc52_through(NULL, NULL, "screen.xterm"), OSC52_SCREEN);
	assert_int_equal(osc52_through(NULL, "", "xterm"), OSC52_DIRECT);
	assert_int_equal(osc52_through(NULL, NULL, NULL), OSC52_DIRECT);
}

static void test_screen_gets_pieces(void **state)
{
	char text[2001];
	size_t size;

	(void)state;
	memset(text, 'x', 2000);
	text[2000] = '\0';
	char *bytes = osc52_make(OSC52_SCREEN, text, &size);
	size_t longest = 0, since = 0;
	for (size_t i = 0; i < size; i++) {
		since = bytes[i] == '\033' && bytes[i + 1] == 'P' ? 0 : since + 1;
		longest = since > longest ? since : longest;
	}
	assert_true(longest < 768);
	free(bytes);
}

/* At the end of a character, not in it. */
static void test_a_long_text_is_cut(void **state)
{
	char *text = malloc(OSC52_TEXT_MAX + 100);
	size_t size;

	(void)state;
	memset(text, 'x', OSC52_TEXT_MAX - 1);
	strcpy(text + OSC52_TEXT_MAX - 1, "\xc3\xa9tail");
	char *bytes = osc52_make(OSC52_DIRECT, text, &size);
	assert_true(size <= 64 * 1024 + 8);
	/* 49151 x: 16383 groups of three and "xx" */
	assert_memory_equal(bytes + size - 5, "eHg=\a", 5);
	free(bytes);
	free(text);
}

static void expect_command(const char *editor, unsigned line, const char *script,
	const char *first, const char *second)
{
	struct editor_command command;

	editor_command_make(&command, editor, "/src/a b.c", line);
	assert_string_equal(command.argv[0], "/bin/sh");
	assert_string_equal(command.argv[1], "-c");
	assert_string_equal(command.argv[2], script);
	assert_string_equal(command.argv[4], first);
	if (second)
		assert_string_equal(command.argv[5], second);
	assert_null(command.argv[second ? 6 : 5]);
}

static void test_editors_are_told_the_line_their_way(void **state)
{
	(void)state;
	expect_command("vi", 12, "vi \"$@\"", "+12", "/src/a b.c");
	expect_command(
		"/usr/bin/emacs -nw", 1, "/usr/bin/emacs -nw \"$@\"", "+1", "/src/a b.c");
	expect_command("nano", 0, "nano \"$@\"", "/src/a b.c", NULL);
	expect_command("code -w", 12, "code -w \"$@\"", "-g", "/src/a b.c:12");
	expect_command("/opt/hx", 12, "/opt/hx \"$@\"", "/src/a b.c:12", NULL);
	expect_command("code", 0, "code \"$@\"", "/src/a b.c", NULL);
}

static void count(void *context)
{
	++*(int *)context;
}

static void test_an_editor_is_run_and_judged(void **state)
{
	char path[] = "/tmp/cproftop-editor-XXXXXX", command[128], text[128] = "";
	int calls = 0;
	struct editor editor = {
		.command = command, .meanwhile = count, .context = &calls};
	struct error err = {""};

	(void)state;
	unsetenv("SUDO_UID");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	snprintf(command, sizeof(command), "sleep 0.3; echo >'%s'", path);
	if (!editor_run(&editor, "/src/x.c", 7, &err))
		fail_msg("%s", err.text);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "+7 /src/x.c\n");
	assert_true(calls >= 1);
	editor.command = "there-is-no-such-editor 2>/dev/null";
	assert_false(editor_run(&editor, "/src/x.c", 7, &err));
	assert_string_equal(
		err.text, "there is no editor 'there-is-no-such-editor': set EDITOR");
	editor.command = "exit 3;";
	assert_false(editor_run(&editor, "/src/x.c", 7, &err));
	assert_string_equal(err.text, "exit: ended with status 3");
	close(fd);
	unlink(path);
}

/* Ctrl-Z in it: we are told, and go on to wait for its end. */
static void test_a_stopped_editor_stops_us(void **state)
{
	int stops = 0;
	struct error err = {""};
	struct editor editor = {
		.command = "(sleep 0.3; kill -CONT $$) & kill -STOP $$; exit 0;",
		.stop = count,
		.context = &stops};

	(void)state;
	if (!editor_run(&editor, "/src/x.c", 7, &err))
		fail_msg("%s", err.text);
	assert_int_equal(stops, 1);
}

/* Its file was named by the target, so it gets no right that the person does not have. */
static void test_root_by_sudo_edits_as_the_person(void **state)
{
	char path[] = "/tmp/cproftop-editor-XXXXXX", command[256], text[256] = "";
	struct editor editor = {.command = command};
	struct error err = {""};

	(void)state;
	if (geteuid() != 0)
		skip();
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(chmod(path, 0666), 0);
	snprintf(command, sizeof(command),
		"{ id -u; id -G; echo $USER; grep CapEff /proc/self/status; } >'%s';:",
		path);
	setenv("SUDO_UID", "65534", 1); /* nobody */
	if (!editor_run(&editor, "/src/x.c", 7, &err))
		fail_msg("%s", err.text);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "65534\n65534\nnobody\nCapEff:\t0000000000000000\n");
	setenv("SUDO_UID", "3999999999", 1);
	assert_false(editor_run(&editor, "/src/x.c", 7, &err));
	assert_non_null(strstr(err.text, "no editor is started as root"));
	unsetenv("SUDO_UID");
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_text_goes_to_the_terminal_in_base64),
		cmocka_unit_test(test_multiplexers_get_what_they_hand_on),
		cmocka_unit_test(test_screen_gets_pieces),
		cmocka_unit_test(test_a_long_text_is_cut),
		cmocka_unit_test(test_editors_are_told_the_line_their_way),
		cmocka_unit_test(test_an_editor_is_run_and_judged),
		cmocka_unit_test(test_a_stopped_editor_stops_us),
		cmocka_unit_test(test_root_by_sudo_edits_as_the_person),
	};
	return unit_run(tests);
}
