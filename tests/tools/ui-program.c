/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live screen on the made-up profile, on the real terminal: what unit-ui-screen looks
 * at through a terminal emulator. Options: --ascii, --no-mouse, and the name of a view.
 */
#include "tests/lib/fake-source.h"
#include "ui/screen/app.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t own_cpu_ns(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	struct term_options term_options = {.mouse = true};
	struct app_options options = {
		.output_fd = -1, .clock_ns = clock_ns, .own_cpu_ns = own_cpu_ns};
	struct fake_source fake;
	struct error err;

	setlocale(LC_CTYPE, "");
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--ascii") == 0)
			term_options.ascii = true;
		else if (strcmp(argv[i], "--no-mouse") == 0)
			term_options.mouse = false;
		else
			options.view = argv[i];
	}
	struct term *term = term_curses_create(&term_options, &err);
	if (!term) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fake_source_init(&fake);
	bool ok = app_run(term, &fake.source, &options, &err);
	term_destroy(term);
	printf("bye: %u holds, %u releases\n", fake.holds, fake.releases);
	fake_source_finish(&fake);
	return ok ? 0 : 1;
}
