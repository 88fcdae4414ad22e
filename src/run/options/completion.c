/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/completion.h"

#include "src/run/options/completion-scripts.inc"
#include "src/run/options/options-table.h"

#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz-"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const struct {
	const char *shell, *script;
} scripts[] = {
	{"bash", completion_bash},
	{"zsh", completion_zsh},
	{"fish", completion_fish},
};

static const char *script_of(const char *shell)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (strcmp(scripts[i].shell, shell) == 0)
			return scripts[i].script;
	return NULL;
}

bool completion_knows(const char *shell, struct error *err)
{
	return script_of(shell) || error_set(err,
					   "--completion: '%s' is not one of bash, zsh "
					   "and fish",
					   shell);
}

/* Print TEXT inside single quotes: the three shells agree about how one of these is put
   there. */
static void print_quoted(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
}

/* The words in 'quotes' of an option's HELP, which are possible values. */
static void print_quoted_words(FILE *out, const char *help)
{
	const char *before = "";
	for (const char *at = strchr(help, '\''); at; at = strchr(at, '\'')) {
		at++;
		int length = (int)strspn(at, LOWER);
		if (length > 0 && at[length] == '\'') {
			fprintf(out, "%s%.*s", before, length, at);
			before = " ";
			at += length + 1;
		}
	}
}

static void print_option_row(
	FILE *out, enum command command, const struct option_row *row)
{
	char help[OPTION_HELP_BYTES];
	options_row_help(row, help, sizeof(help));
	const char *name = command_rows[command].name;
	fprintf(out, "\t'%s\t", name ? name : "top");
	if (row->letter)
		fprintf(out, "-%c ", row->letter);
	fprintf(out, "--%s\t", row->name);
	if (row->value)
		fprintf(out, "%.*s", (int)strspn(row->value, UPPER), row->value);
	fputc('\t', out);
	if (row->value)
		print_quoted_words(out, help);
	fputc('\t', out);
	print_quoted(out, help);
	fputs("' \\\n", out);
}

/* The words of SYNOPSIS that have only the letters of ALPHABET. */
static void print_operands(FILE *out, const char *synopsis, const char *alphabet)
{
	static const char between[] = " ()[]|.,";
	const char *before = "";
	while (*(synopsis += strspn(synopsis, between))) {
		size_t length = strcspn(synopsis, between);
		if (strspn(synopsis, alphabet) == length && synopsis[0] != '-') {
			fprintf(out, "%s%.*s", before, (int)length, synopsis);
			before = " ";
		}
		synopsis += length;
	}
}

static void print_command_row(FILE *out, enum command command)
{
	const struct command_row *row = &command_rows[command];
	fprintf(out, "\t'%s\t\t", row->name ? row->name : "top");
	print_operands(out, row->synopsis, UPPER);
	fputc('\t', out);
	print_operands(out, row->synopsis, LOWER);
	fputc('\t', out);
	char what[256];
	snprintf(what, sizeof(what), "%.*s", (int)strcspn(row->what, ".:"), row->what);
	print_quoted(out, what);
	fputs("' \\\n", out);
}

static void print_rows(FILE *out)
{
	for (enum command command = COMMAND_TOP; command < COMMAND_HELP; command++) {
		print_command_row(out, command);
		for (const struct option_row *row = option_rows; row->name; row++)
			if (row->commands & 1u << command)
				print_option_row(out, command, row);
	}
}

void completion_print(const char *shell, FILE *out)
{
	static const char hole[] = "@ROWS@\n";
	const char *script = script_of(shell);
	const char *at = strstr(script, hole);
	fwrite(script, 1, (size_t)(at - script), out);
	print_rows(out);
	fputs(at + sizeof(hole) - 1, out);
}
