/* What things are called: the keys that change it, and places that move along (screen.h).
 */
#include "ui/screen.h"

static void change_style(struct screen *screen)
{
	static const char *const words[DEMANGLE_STYLES] = {
		[DEMANGLE_FULL] = "in full",
		[DEMANGLE_NO_PARAMS] = "without parameters",
		[DEMANGLE_NO_TEMPLATES] = "without parameters and template arguments",
		[DEMANGLE_NONE] = "as symbols, not demangled",
	};
	struct naming_rules *naming = &screen->state.request.naming;

	naming->style = (naming->style + 1) % DEMANGLE_STYLES;
	screen_say(screen, ROLE_STATUS, "names %s", words[naming->style]);
}

/* Zooms go: a path of functions is none of lines. */
static void change_granularity(struct screen *screen)
{
	struct naming_rules *naming = &screen->state.request.naming;

	naming->granularity = (naming->granularity + 1) % NAMING_GRANULARITIES;
	while (view_zoom_pop(&screen->state))
		;
	screen_say(screen, ROLE_STATUS, "by %s",
		naming_granularity_name(naming->granularity));
}

static void toggle_inlines(struct screen *screen)
{
	struct naming_rules *naming = &screen->state.request.naming;

	naming->fold_inlines = !naming->fold_inlines;
	screen_say(screen, ROLE_STATUS,
		naming->fold_inlines ? "inlined functions folded into their caller"
				     : "inlined functions shown");
}

void screen_change_names(struct screen *screen, enum action action)
{
	if (action == ACTION_DEMANGLE)
		change_style(screen);
	else if (action == ACTION_GRANULARITY)
		change_granularity(screen);
	else
		toggle_inlines(screen);
}

/* Under other rules the functions have other ids: places move along, as far as that can
 * be.
 */
void screen_follow_names(struct screen *screen, const struct report *report)
{
	struct renamed renamed;

	if (!screen->report || naming_rules_same(&screen->report->request.naming,
				       &report->request.naming))
		return;
	renamed_init(&renamed, screen->report, report);
	vec_each (&screen->state.zooms, zoom)
		renamed_path(&renamed, zoom->path, zoom->length);
	screen->state.function = renamed_function(&renamed, screen->state.function);
	for (size_t i = 0; view_list[i]; i++)
		if (view_list[i]->rename)
			view_list[i]->rename(screen->own[i], &renamed);
	renamed_finish(&renamed);
}
