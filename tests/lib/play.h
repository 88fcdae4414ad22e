/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play: sessions of the whole screen, played by scripts, with the fixture as source and a
 * terminal in memory.
 *
 * The tests write files, so each run has a temporary folder. One test thread.
 */
#ifndef CPROFTOP_TESTS_PLAY_H
#define CPROFTOP_TESTS_PLAY_H

#include "tests/lib/fake-source.h"
#include "ui/screen/app.h"

#include <stdbool.h>

extern const struct app_options plain_options;

/* play_begin, before the first play, sets the locale, makes $srcdir absolute, and makes the
   folder, which is the current one then; false if that fails. play_end removes the
   folder. */
bool play_begin(void);
void play_end(void);

/* A session that waits for a report and then does TEXT, for who plays it himself. */
struct script *play_script(const char *text);

/* Play SCRIPT, and then save the screen; the caller frees it. */
char *play_with(
	struct fake_source *fake, const struct app_options *given, const char *script);
char *play(struct fake_source *fake, const char *script);

void expect_shown(const char *screen, const char *text);
void expect_not_shown(const char *screen, const char *text);

/* Play SCRIPT; TEXT must be on the last screen. expect_after uses a new source. */
void expect_played(struct fake_source *fake, const char *script, const char *text);
void expect_after(const char *script, const char *text);

/* Read a whole file (the caller frees it); write TEXT to a file. */
char *read_text(const char *path);
void write_text(const char *path, const char *text);

#endif
