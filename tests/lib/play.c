/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/play.h"

#include "tests/lib/unit.h"

#include "src/base/clock.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/cproftop-ui-XXXXXX";

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t own_cpu_ns(void)
{
	return 0;
}

char *read_text(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

const struct app_options plain_options = {
	.output_fd = -1, .clock_ns = clock_ns, .own_cpu_ns = own_cpu_ns};

struct script *play_script(const char *text)
{
	char path[] = "/tmp/cproftop-script-XXXXXX";
	struct error err;
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	fprintf(file, "wait-report\n%s\n", text);
	assert_int_equal(fclose(file), 0);
	struct script *script = script_open(path, &err);
	unlink(path);
	assert_non_null(script);
	return script;
}

char *play_with(
	struct fake_source *fake, const struct app_options *given, const char *script)
{
	const struct term_options term_options = {.mouse = true};
	struct term *term = term_headless_create(24, 80, &term_options);
	struct app_options options = *given;
	struct error err = {{0}};
	char whole[8192];

	snprintf(whole, sizeof(whole), "wait-report\n%s\nsave-display screen\n", script);
	write_text("script", whole);
	options.script = script_open("script", &err);
	assert_non_null(options.script);
	unlink("screen");
	if (!app_run(term, &fake->source, &options, &err))
		fail_msg("%s", err.text);
	script_close(options.script);
	term_destroy(term);
	return read_text("screen");
}

char *play(struct fake_source *fake, const char *script)
{
	return play_with(fake, &plain_options, script);
}

void expect_shown(const char *screen, const char *text)
{
	if (!strstr(screen, text))
		fail_msg("\"%s\" is not on the screen:\n%s", text, screen);
}

void expect_not_shown(const char *screen, const char *text)
{
	if (strstr(screen, text))
		fail_msg("\"%s\" is on the screen:\n%s", text, screen);
}

void expect_played(struct fake_source *fake, const char *script, const char *text)
{
	char *screen = play(fake, script);
	expect_shown(screen, text);
	free(screen);
}

void expect_after(const char *script, const char *text)
{
	struct fake_source fake;

	fake_source_init(&fake);
	expect_played(&fake, script, text);
	fake_source_finish(&fake);
}

void play_end(void)
{
	DIR *dir = opendir(".");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlink(entry->d_name);
	if (dir)
		closedir(dir);
	(void)!chdir("/");
	rmdir(folder);
}

/* Golden files are looked for from the folder in which the test was started. */
static bool fix_srcdir(void)
{
	const char *given = getenv("srcdir");
	char *srcdir = realpath(given ? given : ".", NULL);
	bool fixed = srcdir && setenv("srcdir", srcdir, 1) == 0;

	free(srcdir);
	return fixed;
}

bool play_begin(void)
{
	return fix_srcdir() && setlocale(LC_CTYPE, "C.UTF-8") && mkdtemp(folder) &&
	       chdir(folder) == 0;
}
