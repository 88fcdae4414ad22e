/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/vterm-screen.h"

#include "src/base/clock.h"
#include "ui/draw/utf8.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#define LIMIT_NS (20 * NS_PER_SEC)

static int on_property(VTermProp property, VTermValue *value, void *context)
{
	struct vterm_screen *screen = context;

	if (property == VTERM_PROP_ALTSCREEN)
		screen->alternate = value->boolean;
	else if (property == VTERM_PROP_CURSORVISIBLE)
		screen->cursor_visible = value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

static void fail(const char *what)
{
	perror(what);
	abort();
}

void vterm_screen_start(struct vterm_screen *screen, int rows, int columns,
	const char *const *argv, const char *const *environment)
{
	struct winsize size = {
		.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	*screen = (struct vterm_screen){
		.rows = rows, .columns = columns, .cursor_visible = true};
	screen->vterm = vterm_new(rows, columns);
	vterm_set_utf8(screen->vterm, 1);
	screen->screen = vterm_obtain_screen(screen->vterm);
	vterm_screen_enable_altscreen(screen->screen, 1);
	vterm_screen_set_callbacks(screen->screen, &callbacks, screen);
	vterm_screen_reset(screen->screen, 1);

	/* Not forkpty: the program may have changed the line settings before they could
	   be read. */
	int slave;
	if (openpty(&screen->master, &slave, NULL, NULL, &size) != 0 ||
		tcgetattr(slave, &screen->before) != 0)
		fail("openpty");
	screen->pid = fork();
	if (screen->pid < 0)
		fail("fork");
	if (screen->pid == 0) {
		close(screen->master);
		if (login_tty(slave) != 0)
			_exit(127);
		for (; environment && *environment; environment++)
			putenv((char *)*environment);
		execvp(argv[0], (char *const *)argv);
		perror(argv[0]);
		_exit(127);
	}
	close(slave);
}

void vterm_screen_finish(struct vterm_screen *screen)
{
	if (screen->pid > 0) {
		kill(screen->pid, SIGKILL);
		waitpid(screen->pid, NULL, 0);
	}
	close(screen->master);
	vterm_free(screen->vterm);
}

static void write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		}
	}
}

void vterm_screen_type(struct vterm_screen *screen, const char *bytes)
{
	write_all(screen->master, bytes, strlen(bytes));
}

void vterm_screen_resize(struct vterm_screen *screen, int rows, int columns)
{
	struct winsize size = {
		.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	screen->rows = rows;
	screen->columns = columns;
	vterm_set_size(screen->vterm, rows, columns);
	ioctl(screen->master, TIOCSWINSZ, &size);
}

/* libvterm sees only the first of "CSI ? 1006 ; 1000 h": look for the second here. */
static void watch_mouse(struct vterm_screen *screen, const char *bytes, size_t length)
{
	static const char wanted[] = "1000";

	for (size_t i = 0; i < length; i++) {
		if (screen->mouse_matched == 4 && (bytes[i] == 'h' || bytes[i] == 'l'))
			screen->mouse = bytes[i] == 'h';
		if (screen->mouse_matched < 4 &&
			bytes[i] == wanted[screen->mouse_matched])
			screen->mouse_matched++;
		else
			screen->mouse_matched = bytes[i] == wanted[0];
	}
}

/* libvterm leaves the question unanswered: a test that wants to answers it. */
static void watch_ground(struct vterm_screen *screen, const char *bytes, size_t length)
{
	static const char wanted[] = "\033]11;?";
	const unsigned whole = sizeof(wanted) - 1;

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == wanted[screen->ground_matched])
			screen->ground_matched++;
		else
			screen->ground_matched = bytes[i] == wanted[0];
		if (screen->ground_matched == whole) {
			screen->ground_asked++;
			screen->ground_matched = 0;
		}
	}
}

/* Take what the program has written, waiting a moment for it. */
static void pump(struct vterm_screen *screen)
{
	struct pollfd polled = {.fd = screen->master, .events = POLLIN};
	char bytes[4096];

	if (poll(&polled, 1, 20) <= 0)
		return;
	ssize_t n = read(screen->master, bytes, sizeof(bytes));
	if (n <= 0) {
		screen->closed = n == 0 || errno != EINTR; /* EIO: nobody has it open */
		return;
	}
	screen->bytes += (uint64_t)n;
	watch_mouse(screen, bytes, (size_t)n);
	watch_ground(screen, bytes, (size_t)n);
	vterm_input_write(screen->vterm, bytes, (size_t)n);
	size_t answer = vterm_output_read(screen->vterm, bytes, sizeof(bytes));
	write_all(screen->master, bytes, answer);
}

void vterm_screen_row(const struct vterm_screen *screen, int row, char *out, size_t size)
{
	size_t length = 0, end = 0;

	for (int column = 0; column < screen->columns;) {
		VTermScreenCell cell = vterm_screen_cell(screen, row, column);
		int n = 0;
		do {
			char bytes[4];
			size_t used =
				utf8_write(cell.chars[n] ? cell.chars[n] : ' ', bytes);
			if (length + used + 1 > size)
				break;
			memcpy(out + length, bytes, used);
			length += used;
		} while (++n < VTERM_MAX_CHARS_PER_CELL && cell.chars[n]);
		if (cell.chars[0] && cell.chars[0] != ' ')
			end = length;
		column += cell.width > 0 ? cell.width : 1;
	}
	out[end] = '\0';
}

VTermScreenCell vterm_screen_cell(const struct vterm_screen *screen, int row, int column)
{
	VTermScreenCell cell = {0};

	vterm_screen_get_cell(
		screen->screen, (VTermPos){.row = row, .col = column}, &cell);
	return cell;
}

bool vterm_screen_find(
	const struct vterm_screen *screen, const char *text, int *row, int *column)
{
	char line[4096];

	for (int r = 0; r < screen->rows; r++) {
		vterm_screen_row(screen, r, line, sizeof(line));
		const char *found = strstr(line, text);
		if (!found)
			continue;
		int at = 0;
		for (const char *c = line; c < found;) {
			struct utf8 character = utf8_decode(c, strlen(c));
			at += utf8_columns(character.code);
			c += character.length;
		}
		if (row)
			*row = r;
		if (column)
			*column = at;
		return true;
	}
	return false;
}

static bool wait_until(struct vterm_screen *screen, const char *text, bool there)
{
	uint64_t limit_ns = clock_monotonic_ns() + LIMIT_NS;

	while (vterm_screen_find(screen, text, NULL, NULL) != there) {
		if (screen->closed || clock_monotonic_ns() > limit_ns) {
			fprintf(stderr, "# waited for \"%s\" to %s\n", text,
				there ? "appear" : "go");
			vterm_screen_show(screen);
			return false;
		}
		pump(screen);
	}
	return true;
}

bool vterm_screen_wait(struct vterm_screen *screen, const char *text)
{
	return wait_until(screen, text, true);
}

bool vterm_screen_wait_gone(struct vterm_screen *screen, const char *text)
{
	return wait_until(screen, text, false);
}

bool vterm_screen_wait_for(struct vterm_screen *screen,
	bool (*holds)(const struct vterm_screen *screen, const void *context),
	const void *context)
{
	uint64_t limit_ns = clock_monotonic_ns() + LIMIT_NS;

	while (!holds(screen, context)) {
		if (screen->closed || clock_monotonic_ns() > limit_ns)
			return false;
		pump(screen);
	}
	return true;
}

bool vterm_screen_wait_exit(struct vterm_screen *screen)
{
	uint64_t limit_ns = clock_monotonic_ns() + LIMIT_NS;

	while (waitpid(screen->pid, &screen->exit_status, WNOHANG) == 0) {
		if (clock_monotonic_ns() > limit_ns) {
			vterm_screen_show(screen);
			return false;
		}
		if (screen->closed)
			poll(NULL, 0, 20);
		else
			pump(screen);
	}
	screen->pid = 0;
	/* What it wrote last may still be on its way. */
	while (!screen->closed && clock_monotonic_ns() < limit_ns)
		pump(screen);
	return true;
}

bool vterm_screen_restored(const struct vterm_screen *screen)
{
	struct termios now;

	return tcgetattr(screen->master, &now) == 0 &&
	       now.c_iflag == screen->before.c_iflag &&
	       now.c_oflag == screen->before.c_oflag &&
	       now.c_cflag == screen->before.c_cflag &&
	       now.c_lflag == screen->before.c_lflag &&
	       memcmp(now.c_cc, screen->before.c_cc, sizeof(now.c_cc)) == 0 &&
	       !screen->alternate && screen->cursor_visible && !screen->mouse;
}

void vterm_screen_show(const struct vterm_screen *screen)
{
	char line[4096];

	for (int row = 0; row < screen->rows; row++) {
		vterm_screen_row(screen, row, line, sizeof(line));
		fprintf(stderr, "# |%s\n", line);
	}
}
