/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/kept.h"

#include "tests/lib/unit.h"

#include "src/base/settings/rc-place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rc_place place;

static char *fake_getenv(const char *name)
{
	static char here[256];
	return strcmp(name, "XDG_CONFIG_HOME") == 0 ? getcwd(here, sizeof(here)) : NULL;
}

char *kept_play(const struct app_options *given, const char *text, const char *script)
{
	struct app_options options = *given;
	struct fake_source fake;

	kept_end();
	rc_place_find(&place, fake_getenv);
	if (text && system("mkdir cproftop") == 0)
		write_text(place.path, text);
	options.settings = &place;
	options.window_ns = 30000000000;
	fake_source_init(&fake);
	char *screen = play_with(&fake, &options, script);
	fake_source_finish(&fake);
	return screen;
}

void kept_expect(const char *expected)
{
	char *text = read_text(place.path);
	assert_string_equal(text, expected);
	free(text);
}

const char *kept_path(void)
{
	return place.path;
}

void kept_end(void)
{
	(void)!system("rm -rf cproftop");
	rc_place_finish(&place);
}
