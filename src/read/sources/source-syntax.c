/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-syntax.h"

#include <stdbool.h>
#include <string.h>

enum inside {
	NOTHING,
	COMMENT,
	RAW_STRING, /* `...` of Go and JS, r#"..."# of Rust */
	TRIPLE_SINGLE,
	TRIPLE_DOUBLE,
};

struct grammar {
	const char *line_comment;
	bool has_block_comments, nests_comments;
	bool has_backquotes, has_triples, has_raw_strings;
	bool has_directives;  /* "#include" is a keyword */
	const char *keywords; /* each between spaces */
};

/* clang-format off */
static const struct grammar grammars[] = {
	[SYNTAX_NONE] = {0},
	[SYNTAX_C] = {.line_comment = "//", .has_block_comments = true,
		.has_directives = true,
		.keywords = " alignas alignof asm auto bool break case catch char class "
			"const constexpr continue decltype default delete do double else "
			"enum explicit extern false final float for friend goto if "
			"implements import inline int interface long mutable namespace new "
			"noexcept nullptr operator override package private protected "
			"public register restrict return short signed sizeof static "
			"static_assert struct super switch synchronized template this "
			"throw throws true try typedef typename union unsigned using "
			"virtual void volatile while _Atomic _Bool _Noreturn "
			"_Static_assert "},
	[SYNTAX_RUST] = {.line_comment = "//", .has_block_comments = true,
		.nests_comments = true, .has_raw_strings = true,
		.keywords = " as async await box break const continue crate dyn else enum "
			"extern false fn for if impl in let loop match mod move mut pub "
			"ref return self Self static struct super trait true type union "
			"unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 "
			"isize str u8 u16 u32 u64 u128 usize "},
	[SYNTAX_GO] = {.line_comment = "//", .has_block_comments = true,
		.has_backquotes = true,
		.keywords = " break case chan const continue default defer else "
			"fallthrough for func go goto if import interface map package "
			"range return select struct switch type var bool byte error false "
			"float32 float64 int int8 int16 int32 int64 iota nil rune string "
			"true uint uint8 uint16 uint32 uint64 uintptr "},
	[SYNTAX_PYTHON] = {.line_comment = "#", .has_triples = true,
		.keywords = " False None True and as assert async await break class "
			"continue def del elif else except finally for from global if "
			"import in is lambda match nonlocal not or pass raise return self "
			"try while with yield "},
	[SYNTAX_JS] = {.line_comment = "//", .has_block_comments = true,
		.has_backquotes = true,
		.keywords = " abstract as async await break case catch class const "
			"continue debugger declare default delete do else enum export "
			"extends false finally for from function get if implements import "
			"in instanceof interface let new null of package private "
			"protected public readonly return set static super switch this "
			"throw true try type typeof undefined var void while with yield "},
};

static const struct {
	const char *suffix;
	enum syntax_language language;
} suffixes[] = {
	{"c", SYNTAX_C}, {"h", SYNTAX_C}, {"cc", SYNTAX_C}, {"cpp", SYNTAX_C},
	{"cxx", SYNTAX_C}, {"C", SYNTAX_C}, {"hh", SYNTAX_C}, {"hpp", SYNTAX_C},
	{"hxx", SYNTAX_C}, {"ipp", SYNTAX_C}, {"inc", SYNTAX_C}, {"tcc", SYNTAX_C},
	{"m", SYNTAX_C}, {"mm", SYNTAX_C}, {"cu", SYNTAX_C}, {"java", SYNTAX_C},
	{"cs", SYNTAX_C}, {"rs", SYNTAX_RUST}, {"go", SYNTAX_GO}, {"py", SYNTAX_PYTHON},
	{"pyx", SYNTAX_PYTHON}, {"js", SYNTAX_JS}, {"mjs", SYNTAX_JS}, {"ts", SYNTAX_JS},
	{"jsx", SYNTAX_JS}, {"tsx", SYNTAX_JS},
};
/* clang-format on */

enum syntax_language syntax_language_of(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *dot = strrchr(name ? name : path, '.');
	if (!dot) /* headers of libstdc++ have none: .../include/c++/12/vector */
		return strstr(path, "/c++/") ? SYNTAX_C : SYNTAX_NONE;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcmp(dot + 1, suffixes[i].suffix) == 0)
			return suffixes[i].language;
	return SYNTAX_NONE;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* --- what may go on over lines --------------------------------------------------------- */

static size_t pass_comment(
	const struct grammar *grammar, struct syntax_state *state, const char *text)
{
	size_t i = 0;
	while (text[i]) {
		if (begins(text + i, "*/")) {
			i += 2;
			if (state->depth-- <= 1) {
				*state = (struct syntax_state){0};
				break;
			}
		} else if (grammar->nests_comments && begins(text + i, "/*")) {
			i += 2;
			state->depth += state->depth < UINT8_MAX;
		} else {
			i++;
		}
	}
	return i;
}

static size_t pass_until(
	struct syntax_state *state, const char *text, const char *end, bool escapes)
{
	size_t i = 0;
	while (text[i] && !begins(text + i, end))
		i += escapes && text[i] == '\\' && text[i + 1] ? 2 : 1;
	if (!text[i])
		return i;
	*state = (struct syntax_state){0};
	return i + strlen(end);
}

/* Up to the quote with as many #s behind it as stood before the first one. */
static size_t pass_raw(struct syntax_state *state, const char *text)
{
	for (size_t i = 0; text[i]; i++) {
		size_t marks = 0;
		while (text[i] == '"' && marks < state->depth &&
			text[i + 1 + marks] == '#')
			marks++;
		if (text[i] == '"' && marks == state->depth) {
			*state = (struct syntax_state){0};
			return i + 1 + marks;
		}
	}
	return strlen(text);
}

static size_t pass_inside(
	enum syntax_language language, struct syntax_state *state, const char *text)
{
	const struct grammar *grammar = &grammars[language];
	switch (state->inside) {
	case COMMENT:
		return pass_comment(grammar, state, text);
	case TRIPLE_SINGLE:
		return pass_until(state, text, "'''", true);
	case TRIPLE_DOUBLE:
		return pass_until(state, text, "\"\"\"", true);
	default:
		if (grammar->has_raw_strings)
			return pass_raw(state, text);
		return pass_until(state, text, "`", language == SYNTAX_JS);
	}
}

/* --- what begins here -------------------------------------------------------------------- */

/* How much of TEXT opens something that may go on over lines; 0: it does not. */
static size_t open_inside(
	const struct grammar *grammar, struct syntax_state *state, const char *text)
{
	if (grammar->has_block_comments && begins(text, "/*")) {
		*state = (struct syntax_state){COMMENT, 1};
		return 2;
	}
	if (grammar->has_triples && (begins(text, "'''") || begins(text, "\"\"\""))) {
		state->inside = *text == '"' ? TRIPLE_DOUBLE : TRIPLE_SINGLE;
		return 3;
	}
	if (grammar->has_backquotes && *text == '`') {
		state->inside = RAW_STRING;
		return 1;
	}
	if (!grammar->has_raw_strings || *text != 'r')
		return 0;
	size_t marks = strspn(text + 1, "#");
	if (marks > UINT8_MAX || text[1 + marks] != '"')
		return 0;
	*state = (struct syntax_state){RAW_STRING, (uint8_t)marks};
	return marks + 2;
}

/* The length of a string or character that ends in this line. A single quote of Rust may
   begin a lifetime instead. */
static size_t quoted(enum syntax_language language, const char *text)
{
	size_t i = 1;
	if (language == SYNTAX_RUST && *text == '\'' && text[1] != '\\' &&
		!(text[1] && text[2] == '\''))
		return 0;
	while (text[i] && text[i] != *text)
		i += text[i] == '\\' && text[i + 1] ? 2 : 1;
	return text[i] ? i + 1 : i;
}

static bool is_keyword(const struct grammar *grammar, const char *word, size_t length)
{
	char between[32];
	if (length + 3 > sizeof(between))
		return false;
	between[0] = ' ';
	memcpy(between + 1, word, length);
	memcpy(between + 1 + length, " ", 2);
	return strstr(grammar->keywords, between) != NULL;
}

static bool is_first(const char *text, size_t at)
{
	return strspn(text, " ") >= at;
}

/* The class of what begins at TEXT[AT], and its length. What is left over of the line as
   plain is taken character by character. */
static enum syntax_class take(enum syntax_language language, struct syntax_state *state,
	const char *text, size_t at, size_t *length)
{
	const struct grammar *grammar = &grammars[language];
	const char *here = text + at;
	bool in_word = at > 0 && is_word(text[at - 1]);
	*length = 1;
	if (begins(here, grammar->line_comment)) {
		*length = strlen(here);
		return SYNTAX_COMMENT;
	}
	size_t opened = in_word ? 0 : open_inside(grammar, state, here);
	if (opened > 0) {
		enum syntax_class class =
			state->inside == COMMENT ? SYNTAX_COMMENT : SYNTAX_STRING;
		*length = opened + pass_inside(language, state, here + opened);
		return class;
	}
	if (*here == '"' || (*here == '\'' && !in_word)) {
		size_t quote = quoted(language, here);
		*length = quote ? quote : 1;
		return quote ? SYNTAX_STRING : SYNTAX_PLAIN;
	}
	if (grammar->has_directives && *here == '#' && is_first(text, at)) {
		size_t word = 1 + strspn(here + 1, " ");
		while (is_word(here[word]))
			word++;
		*length = word;
		return SYNTAX_KEYWORD;
	}
	size_t word = 0;
	while (is_word(here[word]))
		word++;
	if (word == 0)
		return SYNTAX_PLAIN;
	*length = word;
	return is_keyword(grammar, here, word) ? SYNTAX_KEYWORD : SYNTAX_PLAIN;
}

enum syntax_class syntax_next(enum syntax_language language, struct syntax_state *state,
	const char *text, size_t *at)
{
	size_t length = 0;
	if (language == SYNTAX_NONE) {
		*at += strlen(text + *at);
		return SYNTAX_PLAIN;
	}
	if (state->inside != NOTHING) {
		enum syntax_class class =
			state->inside == COMMENT ? SYNTAX_COMMENT : SYNTAX_STRING;
		*at += pass_inside(language, state, text + *at);
		return class;
	}
	enum syntax_class class = take(language, state, text, *at, &length);
	*at += length;
	return class;
}

void syntax_go_on(
	enum syntax_language language, struct syntax_state *state, const char *text)
{
	for (size_t at = 0; text[at];)
		syntax_next(language, state, text, &at);
}
