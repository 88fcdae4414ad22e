/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/script.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "ui/draw/utf8.h"
#include "ui/keys/key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct script {
	FILE *file;
	char *path;
	unsigned line;
	char *text;	  /* what FILE reads, if it is no file; else NULL */
	unsigned repeats; /* how often FILE is still read again */
	bool is_endless;
	/* What the next line waits for; 0: nothing. */
	uint64_t wait_serial, wait_samples, wait_until_ns;
};

struct script *script_open(const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	struct script *script;

	if (!file) {
		error_errno(err, errno, "%s", path);
		return NULL;
	}
	script = mem_zalloc(sizeof(*script));
	script->file = file;
	script->path = mem_strdup(path);
	return script;
}

struct script *script_batch(double seconds, unsigned count)
{
	struct script *script = mem_zalloc(sizeof(*script));
	script->text = mem_printf("sleep %.3f\nwait-report\nprint\n", seconds);
	script->file = fmemopen(script->text, strlen(script->text), "r");
	script->path = mem_strdup("batch");
	script->repeats = count ? count - 1 : 0;
	script->is_endless = count == 0;
	if (!script->file)
		mem_alloc(SIZE_MAX); /* out of memory */
	return script;
}

void script_close(struct script *script)
{
	if (!script)
		return;
	if (script->file != stdin)
		fclose(script->file);
	free(script->path);
	free(script->text);
	free(script);
}

static void push_key(struct term *term, uint32_t key)
{
	term_headless_push(term, &(struct term_event){.kind = EVENT_KEY, .key = key});
}

static bool do_key(struct term *term, const char *names, struct error *err)
{
	while (*names != '\0') {
		size_t length;
		uint32_t key = key_parse(names, &length);
		if (key == K_NONE)
			return error_set(
				err, "no key is called \"%.*s\"", (int)length, names);
		push_key(term, key);
		names += length;
		names += strspn(names, " ");
	}
	return true;
}

static bool do_keys(struct term *term, const char *text, struct error *err)
{
	for (struct utf8 c; (c = utf8_decode(text, strlen(text))).length > 0;
		text += c.length) {
		const char *end = c.code == '<' ? strchr(text, '>') : NULL;
		char name[KEY_NAME_MAX];

		if (!end) {
			push_key(term, c.code);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(end - text - 1), text + 1);
		if (strcmp(name, "lt") == 0)
			push_key(term, '<');
		else if (!do_key(term, name, err))
			return false;
		text = end;
	}
	return true;
}

static bool do_mouse(struct term *term, const char *arguments, struct error *err)
{
	static const char *const kinds[] = {
		[MOUSE_LEFT] = "left",
		[MOUSE_DOUBLE] = "double",
		[MOUSE_RIGHT] = "right",
		[MOUSE_DRAG] = "drag",
		[MOUSE_RELEASE] = "release",
		[MOUSE_WHEEL_UP] = "wheel-up",
		[MOUSE_WHEEL_DOWN] = "wheel-down",
	};
	struct term_event event = {.kind = EVENT_MOUSE};
	char kind[16];

	if (sscanf(arguments, "%15s %d %d", kind, &event.row, &event.column) != 3)
		return error_set(err, "mouse KIND ROW COLUMN");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], kind) == 0) {
			event.mouse = (enum term_mouse)i;
			term_headless_push(term, &event);
			return true;
		}
	return error_set(err, "no mouse event is called \"%s\"", kind);
}

static bool do_save(struct term *term, const char *path,
	void (*dump)(const struct grid *, FILE *), struct error *err)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return error_errno(err, errno, "%s", path);
	dump(term_headless_screen(term), out);
	bool failed = ferror(out) != 0;
	return fclose(out) == 0 && !failed ? true : error_errno(err, errno, "%s", path);
}

static bool do_print(struct term *term, struct error *err)
{
	grid_dump(term_headless_screen(term), stdout);
	putchar('\n');
	return (fflush(stdout) == 0 && !ferror(stdout)) ||
	       error_errno(err, errno, "standard output");
}

static bool do_size(struct term *term, const char *arguments, struct error *err)
{
	int columns, rows;

	if (sscanf(arguments, "%d %d", &columns, &rows) != 2 || columns < 1 || rows < 1 ||
		columns > 10000 || rows > 10000)
		return error_set(err, "size COLUMNS ROWS");
	term_headless_resize(term, rows, columns);
	return true;
}

/* One line; *ASK is set if a report is to be asked for. */
static bool do_line(struct script *script, struct term *term, char *line, uint64_t asked,
	uint64_t now_ns, bool *ask, struct error *err)
{
	line[strcspn(line, "\n")] = '\0';
	char *command = line + strspn(line, " \t");
	char *arguments = command + strcspn(command, " \t");

	if (*arguments != '\0')
		*arguments++ = '\0';
	if (command[0] == '\0' || command[0] == '#')
		return true;
	if (strcmp(command, "key") == 0)
		return do_key(term, arguments, err);
	if (strcmp(command, "keys") == 0)
		return do_keys(term, arguments, err);
	if (strcmp(command, "mouse") == 0)
		return do_mouse(term, arguments, err);
	if (strcmp(command, "size") == 0)
		return do_size(term, arguments, err);
	if (strcmp(command, "save-display") == 0)
		return do_save(term, arguments, grid_dump, err);
	if (strcmp(command, "save-styles") == 0)
		return do_save(term, arguments, grid_dump_styles, err);
	if (strcmp(command, "print") == 0)
		return do_print(term, err);
	if (strcmp(command, "wait-report") == 0) {
		script->wait_serial = asked + 1;
		*ask = true;
	} else if (strcmp(command, "wait-samples") == 0)
		script->wait_samples = strtoull(arguments, NULL, 10);
	else if (strcmp(command, "sleep") == 0)
		script->wait_until_ns =
			now_ns + (uint64_t)(strtod(arguments, NULL) * (double)NS_PER_SEC);
	else
		return error_set(err, "no command is called \"%s\"", command);
	return true;
}

/* Has what the script waits for come? */
static bool is_over(struct script *script, const struct script_shown *shown)
{
	const struct report *report = shown->report;

	if (script->wait_serial > 0 &&
		!(shown->is_answered && report &&
			report->request.serial >= script->wait_serial))
		return false;
	if (script->wait_samples > 0 &&
		!(report && report->total.samples >= script->wait_samples))
		return false;
	if (shown->now_ns < script->wait_until_ns)
		return false;
	script->wait_serial = script->wait_samples = script->wait_until_ns = 0;
	return true;
}

/* False at the end. */
static bool next_line(struct script *script, char *line, int size)
{
	if (fgets(line, size, script->file))
		return true;
	if (!script->is_endless && script->repeats-- == 0)
		return false;
	rewind(script->file);
	return fgets(line, size, script->file) != NULL;
}

enum script_step script_step(struct script *script, struct term *term,
	const struct script_shown *shown, struct error *err)
{
	char line[4096];
	bool ask = false;

	while (term_headless_idle(term) && is_over(script, shown)) {
		if (!next_line(script, line, sizeof(line)))
			return SCRIPT_END;
		script->line++;
		if (!do_line(
			    script, term, line, shown->asked, shown->now_ns, &ask, err)) {
			error_prefix(err, "%s:%u", script->path, script->line);
			return SCRIPT_FAILED;
		}
		if (ask)
			return SCRIPT_ASK;
	}
	return SCRIPT_WAIT;
}
