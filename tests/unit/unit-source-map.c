/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source maps: where what was bundled was written, in which paths, and what is refused; and which files are opened
   for that. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/runtimes/v8/v8-map-file.h"
#include "src/read/runtimes/v8/v8-map-json.h"
#include "src/read/runtimes/v8/v8-maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of `function s(a){...` in the first line: line 11 of shop.ts, there `checkout`; from the brace on line 3
   of price.ts; then nothing. In the third line: line 2 of shop.ts. */
#define MAPPINGS "AAUA,SAASA,KCRA,E;;EDAA"
#define MAP(mappings)                                                      \
	"{\"version\":3,\"sources\":[\"../src/shop.ts\",\"price.ts\"],"    \
	"\"sourcesContent\":[\"a\\u0000\",null],\"names\":[\"checkout\"]," \
	"\"mappings\":\"" mappings "\"}"

struct reading {
	struct v8_source_map map;
	struct strpool texts;
	struct error err;
};

static bool read_text(struct reading *reading, const char *text)
{
	*reading = (struct reading){.err = {""}};
	return v8_map_json_read(&reading->map, text, strlen(text), "/app/dist",
		&reading->texts, &reading->err);
}

static void finish(struct reading *reading)
{
	v8_source_map_finish(&reading->map);
	strpool_finish(&reading->texts);
}

/* "SOURCE:LINE NAME"; "-": nothing is known of that place. */
static void assert_at(const struct v8_source_map *map, uint32_t line, uint32_t column,
	const char *expected)
{
	char text[256] = "-";
	const struct v8_segment *segment =
		v8_source_map_find(map, (struct v8_place_in_text){line, column});
	if (segment && segment->source != UINT32_MAX)
		snprintf(text, sizeof(text), "%s:%u%s%s",
			map->sources.data[segment->source], segment->line,
			segment->name == UINT32_MAX ? "" : " ",
			segment->name == UINT32_MAX ? ""
						    : map->names.data[segment->name]);
	assert_string_equal(text, expected);
}

static void test_places(void **state)
{
	(void)state;
	struct reading reading;
	assert_true(read_text(&reading, MAP(MAPPINGS)));
	assert_at(&reading.map, 0, 0, "/app/src/shop.ts:11");
	assert_at(&reading.map, 0, 8, "/app/src/shop.ts:11");
	assert_at(&reading.map, 0, 9, "/app/src/shop.ts:11 checkout");
	assert_at(&reading.map, 0, 14, "/app/dist/price.ts:3");
	assert_at(&reading.map, 0, 16, "-");
	assert_at(&reading.map, 0, 4000000000u, "-");
	assert_at(&reading.map, 1, 0, "-"); /* a line has nothing of the line before */
	assert_at(&reading.map, 2, 1, "-");
	assert_at(&reading.map, 2, 2, "/app/src/shop.ts:3");
	assert_at(&reading.map, 3, 0, "-");
	finish(&reading);
	/* Not in order. */
	assert_true(read_text(&reading, MAP("UAUA,RCRA")));
	assert_at(&reading.map, 0, 2, "/app/dist/price.ts:3");
	assert_at(&reading.map, 0, 10, "/app/src/shop.ts:11");
	finish(&reading);
	/* What has a source or a name that is not there is known to have none. */
	assert_true(read_text(&reading, MAP("AEAAC")));
	assert_int_equal(reading.map.segments.data[0].source, UINT32_MAX);
	assert_int_equal(reading.map.segments.data[0].name, UINT32_MAX);
	finish(&reading);
}

/* Maps of parts, each with sources and names of its own. */
static void test_sections(void **state)
{
	(void)state;
	struct reading reading;
	assert_true(read_text(&reading,
		"{\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"map\":" MAP(
			"AAUA,SAASA") "},{\"offset\":{\"line\":0,\"column\":100},\"map\":"
				      "{\"sources\":[\"/b.ts\"],\"names\":[\"other\"],"
				      "\"mappings\":\"AAAA,CAAAA;EAAC\"}}]}"));
	assert_at(&reading.map, 0, 99, "/app/src/shop.ts:11 checkout");
	assert_at(&reading.map, 0, 100, "/b.ts:1");
	assert_at(&reading.map, 0, 101, "/b.ts:1 other");
	assert_at(&reading.map, 1, 1, "-"); /* only the first line is moved */
	finish(&reading);
}

static void test_damaged(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} maps[] = {{"", "line 1: is no JSON"}, {"[]", "has no text 'mappings'"},
		{"{\"mappings\":1}", "has no text 'mappings'"},
		{MAP("AA"), "its mappings are damaged"},
		{MAP("AAAAAA"), "its mappings are damaged"},
		{MAP("AAA!"), "its mappings are damaged"},
		{MAP("g"), "its mappings are damaged"}, /* cut off in a number */
		{MAP("D"), "its mappings are damaged"}, /* column -1 */
		{MAP("ggggggggggggggB"), "its mappings are damaged"},
		{"{\"sections\":[{\"map\":{}}]}", "has a section without a place"},
		{"{\"sections\":[{\"offset\":{\"line\":0,\"column\":0}}]}",
			"has no text 'mappings'"}};
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		struct reading reading;
		assert_false(read_text(&reading, maps[i].text));
		assert_non_null(strstr(reading.err.text, maps[i].why));
		finish(&reading);
	}
}

static void test_paths(void **state)
{
	(void)state;
	static const char *const paths[][4] = {
		{"/app/dist", "", "../src/./a.ts", "/app/src/a.ts"},
		{"/app/dist", "..", "src//a.ts", "/app/src/a.ts"},
		{"/app", "/src/", "a.ts", "/src/a.ts"},
		{"/app", "root", "/src/a.ts", "/src/a.ts"},
		{"/app", "", "../../../a.ts", "/a.ts"},
		{"/", "", "a.ts", "/a.ts"},
		{"/app", "", "file:///src/a.ts", "/src/a.ts"},
		{"/app", "", "webpack://shop/./src/a.ts", "src/a.ts"},
		{"/app", "", "webpack:///../src/x/../../a.ts", "../a.ts"},
		{"/app", "webpack://shop/", "./a.ts", "a.ts"},
		{"", "", "./a.ts", "a.ts"},
		{"/app", "", "..", "/"},
		{"", "", ".", ""},
	};
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *path = v8_source_map_path(paths[i][0], paths[i][1], paths[i][2]);
		assert_string_equal(path, paths[i][3]);
		free(path);
	}
	/* A module that a bundler has made up, and what would control a terminal. */
	struct reading reading;
	assert_true(read_text(&reading, "{\"sources\":[\"\\u0000helpers\",\"\\u001b[2J\","
					"null],\"mappings\":\"\"}"));
	assert_string_equal(reading.map.sources.data[0], "/app/dist/helpers");
	assert_string_equal(reading.map.sources.data[1], "/app/dist/\\x1b[2J");
	assert_string_equal(reading.map.sources.data[2], "");
	finish(&reading);
}

/* A short text that stands for very much: a root that is repeated for each source. */
static void test_bombs(void **state)
{
	(void)state;
	enum {
		ROOT = 1 << 20,
		SOURCES = 1000,
	};
	struct reading reading;
	char *text = mem_alloc(ROOT + 3 * SOURCES + 100), *end = text;
	end += sprintf(end, "{\"mappings\":\"\",\"sourceRoot\":\"");
	memset(end, 'a', ROOT);
	end += ROOT;
	end += sprintf(end, "\",\"sources\":[\"\"");
	for (int i = 0; i < SOURCES; i++)
		end += sprintf(end, ",\"\"");
	sprintf(end, "]}");
	assert_false(read_text(&reading, text));
	assert_non_null(strstr(reading.err.text, "it has more than 16 MiB of names"));
	finish(&reading);
	free(text);

	text = mem_alloc(V8_SEGMENTS_MAX * 2 + 100);
	end = text + sprintf(text, "{\"mappings\":\"");
	for (int i = 0; i <= V8_SEGMENTS_MAX; i++) {
		*end++ = 'A';
		*end++ = ',';
	}
	sprintf(end, "\"}");
	assert_false(read_text(&reading, text));
	assert_non_null(strstr(reading.err.text, "mappings"));
	finish(&reading);
	free(text);
}

/* --- files ------------------------------------------------------------------------------ */

/* A folder that looks like one of /proc, of a process of USER. */
struct place {
	char folder[64];
	struct proc_dir dir;
};

static void write_file(
	struct place *place, const char *name, const char *text, mode_t mode)
{
	int fd = openat(
		place->dir.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void describe(struct place *place, unsigned user, unsigned group)
{
	char text[128];
	snprintf(text, sizeof(text), "Name:\tx\nUid:\t7\t%u\t7\t7\nGid:\t7\t%u\t7\t7\n",
		user, group);
	write_file(place, "status", text, 0600);
}

static struct place place_begin(void)
{
	struct place place = {.folder = "/tmp/cproftop-map-XXXXXX"};
	assert_non_null(mkdtemp(place.folder));
	proc_dir_init(&place.dir, open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	assert_int_equal(mkdirat(place.dir.fd, "root", 0700), 0);
	assert_int_equal(mkdirat(place.dir.fd, "root/app", 0700), 0);
	write_file(&place, "outside.map", "secret", 0644);
	write_file(&place, "root/app/a.js.map", MAP(MAPPINGS), 0640);
	describe(&place, geteuid(), getegid());
	return place;
}

static void place_end(struct place *place)
{
	char command[128];
	proc_dir_finish(&place->dir);
	snprintf(command, sizeof(command), "rm -r '%s'", place->folder);
	assert_int_equal(system(command), 0);
}

static int why_not(const struct place *place, const char *path)
{
	errno = 0;
	int fd = v8_map_file_open(&place->dir, path);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : errno;
}

static void test_which_files(void **state)
{
	(void)state;
	struct place place = place_begin();
	int root_fd =
		openat(place.dir.fd, "root/app", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(symlinkat("a.js.map", root_fd, "link.map"), 0);
	assert_int_equal(symlinkat("../../outside.map", root_fd, "out.map"), 0);
	assert_int_equal(symlinkat(".", root_fd, "folder"), 0);
	assert_int_equal(mkfifoat(root_fd, "fifo.map", 0600), 0);
	assert_int_equal(mkdirat(root_fd, "dir.map", 0700), 0);
	write_file(&place, "root/app/shadow", "secret", 0644);
	assert_int_equal(why_not(&place, "/app/a.js.map"), 0);
	assert_int_equal(why_not(&place, "/app/none.map"), ENOENT);
	assert_int_equal(why_not(&place, "/app/link.map"), ELOOP);
	assert_int_equal(why_not(&place, "/app/out.map"), ELOOP);
	assert_int_equal(why_not(&place, "/app/folder/a.js.map"), ELOOP);
	assert_int_equal(why_not(&place, "/app/fifo.map"), EINVAL);
	assert_int_equal(why_not(&place, "/app/dir.map"), EINVAL);
	assert_int_equal(why_not(&place, "/app/shadow"), EACCES);
	assert_int_equal(why_not(&place, "/../outside.map"), EACCES);
	assert_int_equal(why_not(&place, "app/a.js.map"), EACCES);
	assert_int_equal(why_not(&place, ""), EACCES);
	close(root_fd);
	place_end(&place);
}

/* Only what the process may read itself. */
static void test_whose_files(void **state)
{
	(void)state;
	enum {
		STRANGER = 54321,
	};
	struct place place = place_begin();
	describe(&place, STRANGER, STRANGER);
	assert_int_equal(why_not(&place, "/app/a.js.map"), EACCES);
	describe(&place, STRANGER, getegid());
	assert_int_equal(why_not(&place, "/app/a.js.map"), 0);
	write_file(&place, "root/app/a.js.map", "", 0600);
	assert_int_equal(why_not(&place, "/app/a.js.map"), EACCES);
	write_file(&place, "root/app/a.js.map", "", 0604);
	describe(&place, STRANGER, STRANGER);
	assert_int_equal(why_not(&place, "/app/a.js.map"), 0);
	write_file(&place, "status", "", 0600); /* nobody's */
	assert_int_equal(why_not(&place, "/app/a.js.map"), EACCES);
	place_end(&place);
}

/* --- the map of a script ---------------------------------------------------------------- */

static void test_maps_of_scripts(void **state)
{
	(void)state;
	struct place place = place_begin();
	struct v8_maps maps = {.dir = &place.dir};
	struct v8_source_map map = {0};
	struct strpool texts = {0};
	v8_maps_read(&maps, &map, &texts, "/app/a.js", 3, "a.js.map");
	assert_at(&map, 0, 0, "/src/shop.ts:11");
	assert_string_equal(maps.refusal.text, "");
	assert_true(maps.kept_bytes > 0 && maps.read_bytes == strlen(MAP(MAPPINGS)));
	v8_source_map_finish(&map);

	/* {"sources":["a.ts"],"mappings":"AACA"} */
	v8_maps_read(&maps, &map, &texts, "/app/dist/a.js", 1,
		"data:application/json;charset=utf-8;base64,"
		"eyJzb3VyY2VzIjpbImEudHMiXSwibWFwcGluZ3MiOiJBQUNBIn0=");
	assert_at(&map, 0, 0, "/app/dist/a.ts:2");
	v8_source_map_finish(&map);
	v8_maps_read(&maps, &map, &texts, "app", 1,
		"data:application/json;base64,"
		"eyJzb3VyY2VzIjpbImEudHMiXSwibWFwcGluZ3MiOiJBQUNBIn0=");
	assert_at(&map, 0, 0, "a.ts:2");
	assert_string_equal(maps.refusal.text, "");
	v8_source_map_finish(&map);

	/* The first that is not used is told. */
	v8_maps_read(&maps, &map, &texts, "/app/a.js", 2, "a.js.map");
	assert_int_equal(map.segments.len, 0);
	assert_string_equal(maps.refusal.text,
		"no source map: /app/a.js: its map is of another, which has more lines");
	v8_maps_read(&maps, &map, &texts, "/app/a.js", 3, "\x1b.map");
	assert_non_null(strstr(maps.refusal.text, "more lines"));
	static const char *const others[][2] = {
		{"\x1b.map", "/app/\\x1b.map: No such file"},
		{"data:,{}", "/app/a.js: the map in it is not in base64"},
		{"data:;base64,!", "/app/a.js: the map in it is not in base64"},
		{"http://host/a.js.map", "a.js.map: Permission denied"},
		{"../app/a.js", "/app/a.js: Permission denied"}};
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		maps.refusal.text[0] = '\0';
		v8_maps_read(&maps, &map, &texts, "/app/a.js", 3, others[i][0]);
		assert_int_equal(map.segments.len, 0);
		assert_non_null(strstr(maps.refusal.text, others[i][1]));
	}
	maps.refusal.text[0] = '\0';
	maps.read_bytes = V8_MAPS_READ_MAX;
	v8_maps_read(&maps, &map, &texts, "/app/a.js", 3, "a.js.map");
	assert_string_equal(
		maps.refusal.text, "no source map: /app/a.js: there is no room for more");
	strpool_finish(&texts);
	place_end(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_which_files),
		cmocka_unit_test(test_whose_files),
		cmocka_unit_test(test_maps_of_scripts),
	};
	return unit_run(tests);
}
