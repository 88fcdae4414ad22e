/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-settings.h"

static void take_complaint(void *context, const char *text)
{
	struct settings *settings = context;

	settings->complain(text);
	if (!settings->first.text[0])
		error_set(&settings->first, "%s", text);
}

static const struct rc_file *read_file(void *context)
{
	struct settings *settings = context;
	struct error err;

	if (!rc_place_read(&settings->place, &settings->file, &err))
		take_complaint(settings, err.text);
	return &settings->file;
}

void settings_init(struct settings *settings, char *(*getenv)(const char *name),
	void (*complain)(const char *text))
{
	*settings = (struct settings){.rc = {
					      .read = read_file,
					      .complain = take_complaint,
					      .context = settings,
				      }};
	settings->complain = complain;
	rc_place_find(&settings->place, getenv);
	settings->rc.path = settings->place.path;
}

void settings_finish(struct settings *settings)
{
	rc_file_finish(&settings->file);
	rc_place_finish(&settings->place);
}

void settings_for(const struct settings *settings, struct options *options)
{
	options->settings = options->no_rc ? NULL : &settings->place;
	options->notice = settings->first.text[0] ? settings->first.text : NULL;
}
