/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play: whole sessions of the screen, played by scripts on a source of the fixture in a
 * terminal in memory.
 *
 * The tests write files, so each run has a folder of its own. One test thread.
 */
#ifndef CPROFTOP_TESTS_PLAY_H
#define CPROFTOP_TESTS_PLAY_H

#include "tests/lib/fake-source.h"
#include "ui/screen/app.h"

#include <stdbool.h>

extern const struct app_options plain_options;

/* Before the first play: a locale, and a folder to be in; false if one is not to be had.
   After the last one it goes. */
bool play_begin(void);
void play_end(void);

/* Play SCRIPT, and then save the screen; the caller frees it. */
char *play_with(
	struct fake_source *fake, const struct app_options *given, const char *script);
char *play(struct fake_source *fake, const char *script);

void expect_shown(const char *screen, const char *text);
void expect_not_shown(const char *screen, const char *text);

/* Play SCRIPT; TEXT must be on the last screen. The second: on a new source. */
void expect_played(struct fake_source *fake, const char *script, const char *text);
void expect_after(const char *script, const char *text);

/* A whole file, to be freed; and one made of TEXT. */
char *read_text(const char *path);
void write_text(const char *path, const char *text);

#endif
