/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help, from the tables of options and commands. */
#include "src/run/options/options.h"

#include "src/count/import/import.h"
#include "src/run/options/options-table.h"
#include "src/write/export.h"

#include <string.h>

enum {
	COLUMNS = 79,
	TEXT_COLUMN = 26, /* column where an option's text begins */
	USAGE_COLUMN = 16,
};

/* Print TEXT, the first line from COLUMN on and the others from INDENT on, in lines of at
   most COLUMNS. */
static void print_wrapped(FILE *out, const char *text, int column, int indent)
{
	bool first = true;
	while (*text) {
		int length = (int)strcspn(text, " ");
		if (column + !first + length > COLUMNS) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
			first = true;
		}
		column += fprintf(out, "%s%.*s", first ? "" : " ", length, text);
		first = false;
		text += length;
		text += *text == ' ';
	}
	fputc('\n', out);
}

/* TEXT with NAMES where it has "%s". */
static void fill_in(const char *text, const char *names, char *out, size_t size)
{
	const char *hole = strstr(text, "%s");
	if (hole)
		snprintf(
			out, size, "%.*s%s%s", (int)(hole - text), text, names, hole + 2);
	else
		snprintf(out, size, "%s", text);
}

/* Append NAME to TEXT: 'pprof', 'folded' or 'text'. */
static void list_format(char *text, size_t size, const char *name, bool is_last)
{
	size_t length = strlen(text);
	snprintf(text + length, size - length, "%s'%s'",
		length == 0 ? ""
		: is_last   ? " or "
			    : ", ",
		name);
}

/* The formats that the commands of ROW write. */
static void list_formats(const struct option_row *row, char *text, size_t size)
{
	text[0] = '\0';
	if (row->commands & ON_REPORT)
		for (size_t i = 0; listing_formats[i].name; i++)
			list_format(text, size, listing_formats[i].name,
				!listing_formats[i + 1].name);
	else
		for (size_t i = 0; export_formats[i]; i++)
			list_format(text, size, export_formats[i]->name,
				!export_formats[i + 1]);
}

void options_row_help(const struct option_row *row, char *out, size_t size)
{
	char formats[128];
	list_formats(row, formats, sizeof(formats));
	fill_in(row->help, formats, out, size);
}

static void print_option(FILE *out, const struct option_row *row)
{
	char help[OPTION_HELP_BYTES], letter[8] = "    ";
	options_row_help(row, help, sizeof(help));
	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	int column = fprintf(out, "  %s--%s%s%s", letter, row->name,
		row->value ? " " : "", row->value ? row->value : "");
	int gap = column + 2 <= TEXT_COLUMN ? TEXT_COLUMN - column : 2;
	fprintf(out, "%*s", gap, "");
	print_wrapped(out, help, column + gap, TEXT_COLUMN);
}

static void print_usage(FILE *out, enum command command)
{
	const struct command_row *row = &command_rows[command];
	int column = fprintf(out, "Usage: cproftop %s%s", row->name ? row->name : "",
		row->name ? " " : "");
	print_wrapped(out, row->synopsis, column, USAGE_COLUMN);
}

static void print_first_page(FILE *out)
{
	print_usage(out, COMMAND_TOP);
	fputs("       cproftop COMMAND [OPTION]...\n\n", out);
	print_wrapped(out, command_rows[COMMAND_TOP].what, 0, 0);
	fputs("\nCommands:\n", out);
	for (enum command c = COMMAND_TOP; c < COMMAND_HELP; c++)
		if (command_rows[c].name)
			fprintf(out, "  %-8s %s\n", command_rows[c].name,
				command_rows[c].brief);
	fputs("\nThe options most used, and what the screen has:\n", out);
	for (const struct option_row *option = option_rows; option->name; option++)
		if (option->commands & ON_TOP && option->is_usual)
			print_option(out, option);
	fputs("\n  cproftop -p 4711                       look at it\n"
	      "  cproftop record nginx -d 10 -o n.pb.gz  ten seconds into a file\n"
	      "  cproftop n.pb.gz                       look at the file\n"
	      "\n'cproftop help COMMAND' has the options of a command, 'cproftop --help "
	      "all' all\nof the screen, man cproftop the rest.\n",
		out);
}

void options_print_help(enum command command, FILE *out)
{
	if (command == COMMAND_HELP) {
		print_first_page(out);
		return;
	}
	const struct command_row *row = &command_rows[command];
	print_usage(out, command);
	fputc('\n', out);
	char formats[128], what[512];
	import_format_names(formats, sizeof(formats));
	fill_in(row->what, formats, what, sizeof(what));
	print_wrapped(out, what, 0, 0);
	fputc('\n', out);
	for (const struct option_row *option = option_rows; option->name; option++)
		if (option->commands & 1u << command)
			print_option(out, option);
}
