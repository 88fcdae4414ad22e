/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one running screen, for the files that change and draw it (screen.h). */
#include "ui/screen/screen.h"

#include "src/base/clock.h"

#include <stdarg.h>
#include <stdio.h>

#define STATUS_NS (8 * NS_PER_SEC)

const struct view_ops *screen_view(const struct screen *screen)
{
	return view_list[screen->shown];
}

const struct function *screen_selected(const struct screen *screen)
{
	if (!screen->report || screen->state.function == PROFILE_NONE)
		return NULL;
	return profile_function(screen->report->profile, screen->state.function);
}

bool screen_has_view(const struct screen *screen, size_t index)
{
	const struct view_ops *view = view_list[index];

	return !view->available || view->available(&screen->state);
}

void screen_say(struct screen *screen, enum role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(screen->status, sizeof(screen->status), format, args);
	va_end(args);
	screen->status_role = role;
	screen->status_until_ns = screen->state.now_ns + STATUS_NS;
}

const struct meter *screen_meter(const struct screen *screen)
{
	return screen->source->meter(screen->source->context);
}
