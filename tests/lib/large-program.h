/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * large-program: a program of many functions that inline each other, five deep, in
 * several units that share a header.
 *
 * It is made for the test, because the programs of the build depend on the options of
 * configure: sanitizers add functions without DWARF. DWARF 4, because addr2line of
 * binutils 2.40 takes the wrong file where a sequence of a DWARF 5 line table begins
 * without naming one (gdb and llvm-symbolizer agree with us there).
 */
#ifndef CPROFTOP_TESTS_LARGE_PROGRAM_H
#define CPROFTOP_TESTS_LARGE_PROGRAM_H

#include "tests/lib/compiled.h"

enum {
	LARGE_PROGRAM_UNITS = 4,
	LARGE_PROGRAM_INLINES = 16, /* in the header that all units share */
	LARGE_PROGRAM_FUNCTIONS = 16,
};

static inline void large_program_header(FILE *out)
{
	fprintf(out, "extern volatile unsigned sink;\n");
	for (int i = 0; i < LARGE_PROGRAM_INLINES; i++) {
		fprintf(out,
			"static inline %s\nunsigned inline_%d(unsigned x)\n{\n"
			"\tfor (unsigned i = 0; i < x %% %d; i++)\n"
			"\t\tsink += x * %d + i;\n",
			i % 3 ? "__attribute__((always_inline))" : "", i, i + 2,
			2 * i + 3);
		if (i >= 2)
			fprintf(out, "\tif (x & %d)\n\t\tx ^= inline_%d(x + 1);\n",
				1 << i % 9, i / 2);
		fprintf(out, "\treturn x + sink;\n}\n");
	}
}

static inline void large_program_unit(FILE *out, int unit)
{
	fprintf(out, "#include \"shared.h\"\n");
	for (int i = 0; i < LARGE_PROGRAM_FUNCTIONS; i++) {
		int callee = (unit * 7 + i) % LARGE_PROGRAM_INLINES;
		fprintf(out,
			"unsigned f%d_%d(unsigned x)\n{\n"
			"\tif (__builtin_expect(x == %d, 0)) {\n"
			"\t\tsink = inline_%d(x);\n\t\t__builtin_trap();\n\t}\n"
			"\tswitch (x %% 3) {\n"
			"\tcase 0:\n\t\tx += inline_%d(x);\n\t\tbreak;\n"
			"\tcase 1: {\n\t\tunsigned y = inline_%d(sink);\n"
			"\t\tx = y * x;\n\t}\n\t}\n",
			unit, i, i, (i + 5) % LARGE_PROGRAM_INLINES, callee,
			(callee + 1) % LARGE_PROGRAM_INLINES);
		if (i > 0)
			fprintf(out, "\tx += f%d_%d(x / 2);\n", unit, i - 1);
		fprintf(out, "\treturn x;\n}\n");
	}
	if (unit > 0)
		return;
	fprintf(out, "volatile unsigned sink;\nint main(int argc, char **argv)\n{\n"
		     "\t(void)argv;\n\tunsigned x = argc;\n");
	for (int i = 0; i < LARGE_PROGRAM_UNITS; i++)
		fprintf(out, "\textern unsigned f%d_%d(unsigned);\n\tx += f%d_%d(x);\n",
			i, LARGE_PROGRAM_FUNCTIONS - 1, i, LARGE_PROGRAM_FUNCTIONS - 1);
	fprintf(out, "\treturn x & 1;\n}\n");
}

/* "large" in the folder; false if there is no compiler. */
static inline bool large_program_make(const struct compiled *compiled)
{
	for (int unit = -1; unit < LARGE_PROGRAM_UNITS; unit++) {
		char path[128];
		snprintf(path, sizeof(path), "%s/unit%d.c", compiled->dir, unit);
		if (unit < 0)
			snprintf(path, sizeof(path), "%s/shared.h", compiled->dir);
		FILE *out = fopen(path, "w");
		assert_non_null(out);
		if (unit < 0)
			large_program_header(out);
		else
			large_program_unit(out, unit);
		fclose(out);
	}
	return compiled_run(compiled, "$CC -O2 -gdwarf-4 -o large unit?.c");
}

#endif
