/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The palette: contrast, hues that can be told apart, and which module has which. */
#include "tests/lib/unit.h"

#include "tests/lib/painted.h"
#include "ui/view/hues.h"

#include <stdio.h>

static const struct theme any_dark = {DEPTH_RGB, GROUND_DARK};

/* --- colours ---------------------------------------------------------------------- */

/* Values of Ottosson's own page, and of WCAG's. */
static void colours_are_converted(void **unused)
{
	(void)unused;
	assert_float_equal(oklab_of_rgb(0xffffff).lightness, 1, 0.001);
	assert_float_equal(oklab_of_rgb(0xff0000).lightness, 0.628, 0.001);
	assert_float_equal(oklab_of_rgb(0xff0000).a, 0.225, 0.001);
	assert_float_equal(oklab_of_rgb(0x0000ff).b, -0.312, 0.001);
	assert_int_equal(oklch_rgb((struct oklch){0.62796, 0.25768, 29.2339}), 0xff0000);
	assert_int_equal(oklch_rgb((struct oklch){1, 0.3, 90}), 0xffffff); /* clipped */
	assert_float_equal(rgb_contrast(0x000000, 0xffffff), 21, 0.001);
	assert_float_equal(rgb_contrast(0x767676, 0xffffff), 4.54, 0.01);
	assert_int_equal(rgb_of_256(16), 0x000000);
	assert_int_equal(rgb_of_256(231), 0xffffff);
	assert_int_equal(rgb_of_256(67), 0x5f87af);
	assert_int_equal(rgb_of_256(232), 0x080808);
	for (int index = 16; index < 256; index++)
		assert_int_equal(rgb_of_256(rgb_nearest_256(rgb_of_256(index))),
			rgb_of_256(index));
}

/* Bars are no text: 3 is enough for what is only seen (WCAG 1.4.11). */
static bool is_text(enum role role)
{
	return role != ROLE_BAR && role != ROLE_BAR_TOTAL;
}

static void expect_contrast(const struct theme *theme, bool on_cells, double least)
{
	for (enum role role = 0; role < ROLE_COUNT; role++) {
		char name[THEME_ROLE_NAME_MAX];
		bool is_cell = theme_paint(theme, role).background >= 0;
		double contrast = painted_contrast(theme, role);
		double wanted = is_text(role) ? least : 3;

		if (contrast == 0 || is_cell != on_cells)
			continue;
		theme_role_name(role, name);
		if (contrast < wanted)
			printf("# %s: %.2f at depth %d, ground %d\n", name, contrast,
				(int)theme->depth, (int)theme->ground);
		assert_true(contrast >= wanted);
	}
}

/* The first eight or sixteen on the terminal's own background are a person's choice. */
static void text_has_contrast(void **unused)
{
	(void)unused;
	for (enum theme_ground ground = GROUND_UNKNOWN; ground <= GROUND_LIGHT;
		ground++) {
		for (enum theme_depth depth = DEPTH_16; depth <= DEPTH_RGB; depth++)
			expect_contrast(&(struct theme){depth, ground}, true, 4.5);
		expect_contrast(&(struct theme){DEPTH_RGB, ground}, false, 4.5);
	}
	expect_contrast(&(struct theme){DEPTH_256, GROUND_DARK}, false, 4.5);
	expect_contrast(&(struct theme){DEPTH_256, GROUND_LIGHT}, false, 4.5);
	expect_contrast(&(struct theme){DEPTH_256, GROUND_UNKNOWN}, false, 4.2);
}

static uint32_t cell_colour(const struct theme *theme, enum role role)
{
	return painted_rgb(theme_paint(theme, role).background, theme->depth);
}

static double least_distance(const struct theme *theme, int first)
{
	double least = 1;

	for (int a = 0; a < first; a++)
		for (int b = 0; b < a; b++)
			least = fmin(least, rgb_distance(cell_colour(theme, ROLE_HUE + a),
						    cell_colour(theme, ROLE_HUE + b)));
	return least;
}

static void hues_are_even_and_apart(void **unused)
{
	(void)unused;
	static const struct theme of_256 = {DEPTH_256, GROUND_DARK};

	for (int hue = 0; hue < THEME_HUES; hue++)
		assert_float_equal(
			oklab_of_rgb(cell_colour(&any_dark, ROLE_HUE + hue)).lightness,
			0.82, 0.005);
	assert_true(least_distance(&any_dark, 2) > 0.19);
	assert_true(least_distance(&any_dark, 4) > 0.13);
	assert_true(least_distance(&any_dark, 8) > 0.06);
	assert_true(least_distance(&any_dark, THEME_HUES) > 0.03);
	assert_true(least_distance(&of_256, THEME_HUES) > 0.05);
	for (enum role a = ROLE_HUE; a < ROLE_INK; a++)
		for (enum role b = ROLE_HUE; b < a; b++)
			assert_int_not_equal(
				cell_colour(&of_256, a), cell_colour(&of_256, b));
	/* nor are they what means something else */
	for (enum role role = ROLE_HUE; role < ROLE_INK; role++) {
		assert_true(rgb_distance(cell_colour(&any_dark, role),
				    cell_colour(&any_dark, ROLE_MATCH)) > 0.05);
		assert_true(rgb_distance(cell_colour(&any_dark, role),
				    cell_colour(&any_dark, ROLE_OTHER)) > 0.1);
	}
}

/* --- modules ---------------------------------------------------------------------- */

static unsigned hue_of(const struct module_hues *hues, const char *module)
{
	const struct function function = {.name = "f", .module = module};
	enum role role = hues_cell(hues, &function);

	assert_in_range(role, ROLE_HUE, ROLE_INK - 1);
	assert_int_equal(
		hues_ink(hues, &function), ROLE_INK + (role - ROLE_HUE) % THEME_HUES);
	return (role - ROLE_HUE) % THEME_HUES;
}

/* A report of modules, each with one function. */
struct made {
	struct report report;
	struct report_function functions[64];
};

static void make_report(struct made *made, struct profile *profile,
	const char *const *modules, const uint64_t *weights, size_t n)
{
	*made = (struct made){.report = {.profile = profile,
				      .functions = made->functions,
				      .n_functions = n}};
	for (size_t i = 0; i < n; i++) {
		const struct function function = {.name = "f",
			.system_name = "f",
			.module = modules[i],
			.file = ""};
		made->functions[i] = (struct report_function){
			.function = profile_intern_function(profile, &function),
			.total.samples = weights[i]};
	}
}

/* Of both tones. */
static void pictures_have_the_colours_of_the_screen(void **unused)
{
	(void)unused;
	static const char *const names[] = {"f", "main", "g", "compute", "spin", "h"};
	struct module_hues hues = {0};
	bool met[ROLE_COUNT] = {false};
	char module[] = "a";

	for (int i = 0; i < THEME_HUES; i++, module[0]++) {
		struct function function = {.name = "f", .module = module};
		module_hues_add(&hues, &function, 100 - (uint64_t)i);
		module_hues_settle(&hues);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			function.name = names[k];
			enum role role = hues_cell(&hues, &function);
			assert_int_equal(module_hues_rgb(&hues, &function),
				cell_colour(&any_dark, role));
			met[role] = true;
		}
	}
	for (enum role role = ROLE_HUE; role < ROLE_INK; role++)
		assert_true(met[role]);
	module_hues_finish(&hues);
}

static void a_module_keeps_its_hue(void **unused)
{
	(void)unused;
	static const char *const first[] = {"ld.so", "libc.so.6", "cc1plus"};
	static const char *const later[] = {"libz.so.1", "libc.so.6", "ld.so", "cc1plus"};
	struct profile *profile = profile_create();
	struct module_hues hues = {0};
	struct made made;

	make_report(&made, profile, first, (const uint64_t[]){1, 50, 90}, 3);
	hues_update(&hues, &made.report, METRIC_SAMPLES);
	assert_int_equal(hue_of(&hues, "cc1plus"), 0); /* the most area */
	assert_int_equal(hue_of(&hues, "libc.so.6"), 1);
	assert_int_equal(hue_of(&hues, "ld.so"), 2);
	make_report(&made, profile, later, (const uint64_t[]){900, 80, 70, 1}, 4);
	hues_update(&hues, &made.report, METRIC_SAMPLES);
	assert_int_equal(hue_of(&hues, "cc1plus"), 0);
	assert_int_equal(hue_of(&hues, "libc.so.6"), 1);
	assert_int_equal(hue_of(&hues, "ld.so"), 2);
	assert_int_equal(hue_of(&hues, "libz.so.1"), 3);
	module_hues_finish(&hues);
	profile_unref(profile);
}

static void the_program_has_the_first_hue(void **unused)
{
	(void)unused;
	static const char *const modules[] = {"ld.so", "libc.so.6", "cc1plus"};
	struct profile *profile = profile_create();
	struct module_hues hues = {0};
	struct made made;

	module_hues_begin(&hues, "cc1plus");
	make_report(&made, profile, modules, (const uint64_t[]){10, 50, 1}, 2);
	hues_update(&hues, &made.report, METRIC_SAMPLES); /* it is not seen yet */
	make_report(&made, profile, modules, (const uint64_t[]){10, 50, 1}, 3);
	hues_update(&hues, &made.report, METRIC_SAMPLES);
	assert_int_equal(hue_of(&hues, "cc1plus"), 0);
	assert_int_equal(hue_of(&hues, "libc.so.6"), 1);
	assert_int_equal(hue_of(&hues, "ld.so"), 2);
	module_hues_finish(&hues);
	profile_unref(profile);
}

/* The thirteenth shares the hue of the one that is least seen, and so on. */
static void more_modules_than_hues(void **unused)
{
	(void)unused;
	struct profile *profile = profile_create();
	struct module_hues hues = {0};
	char names[20][16];
	const char *modules[20];
	uint64_t weights[20];
	struct made made;

	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "m%d", i);
		modules[i] = names[i];
		weights[i] = 1000 - 40 * (uint64_t)i;
	}
	make_report(&made, profile, modules, weights, 20);
	hues_update(&hues, &made.report, METRIC_SAMPLES);
	for (unsigned i = 0; i < THEME_HUES; i++)
		assert_int_equal(hue_of(&hues, names[i]), i);
	assert_int_equal(hue_of(&hues, "m12"), 11);
	assert_int_equal(hue_of(&hues, "m13"), 10);
	assert_int_equal(hue_of(&hues, "m14"), 9);
	module_hues_finish(&hues);
	profile_unref(profile);
}

static void what_is_no_module_has_no_hue(void **unused)
{
	(void)unused;
	const struct function waiting = {
		.name = "[poll]", .module = "libc.so.6", .is_synthetic = true};
	const struct function process = {.name = "cc1plus",
		.module = "",
		.is_synthetic = true,
		.is_process = true};
	static const char *const modules[] = {"libc.so.6", "cc1plus"};
	struct profile *profile = profile_create();
	struct module_hues hues = {0};
	struct made made;

	assert_int_equal(hues_cell(&hues, &process), ROLE_NO_CODE);
	make_report(&made, profile, modules, (const uint64_t[]){2, 1}, 2);
	hues_update(&hues, &made.report, METRIC_SAMPLES);
	assert_int_equal(hues_cell(&hues, &waiting), ROLE_NO_CODE);
	assert_int_equal(hues_ink(&hues, &waiting), ROLE_DIM);
	assert_int_equal(hues_ink(&hues, &process), ROLE_INK + 1);
	module_hues_finish(&hues);
	profile_unref(profile);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_converted),
		cmocka_unit_test(text_has_contrast),
		cmocka_unit_test(hues_are_even_and_apart),
		cmocka_unit_test(pictures_have_the_colours_of_the_screen),
		cmocka_unit_test(a_module_keeps_its_hue),
		cmocka_unit_test(the_program_has_the_first_hue),
		cmocka_unit_test(more_modules_than_hues),
		cmocka_unit_test(what_is_no_module_has_no_hue),
	};

	return unit_run(tests);
}
