/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where, and the file behind it, while both change: /proc/PID of a process that
 * may say anything (tests/fuzz/fake-process.h). Each byte is a step: another text of maps, other
 * things behind the names, or a question. Nothing but a regular file that is the mapped one may
 * be opened, so a FIFO, a device and a folder lie in wait. */

#include "tests/fuzz/fake-process.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include "src/facts/profile.h"
#include "src/facts/renewal.h"
#include "src/read/space/address-space.h"
#include "src/read/space/mapped-file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	STEPS_MAX = 64,
	PLACES = 6,
	PLACE_BYTES = 0x1000,
	FIRST_PLACE = 0x10000000,
	MAPS_MAX = 4096,
};

static int program_fd = -1;
static struct stat program;

/* What a name in the folder may lead to. */
static const char *const traps[] = {"/proc/self/exe", "/dev/null", "/tmp", "fifo",
	"nowhere", "maps", "", "map_files"};

static void begin(void)
{
	if (program_fd >= 0)
		return;
	int folder = fake_process_folder();
	FUZZ_CHECK(mkfifoat(folder, "fifo", 0600) == 0);
	program_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	FUZZ_CHECK(program_fd >= 0 && fstat(program_fd, &program) == 0);
}

static uint64_t place(struct input *input)
{
	return FIRST_PLACE + input_number(input, 1) % PLACES * PLACE_BYTES;
}

/* A text of maps: lines that fit, with what INPUT says, and at the end what it says itself. */
static size_t make_maps(struct input *input, char *text)
{
	static const char *const paths[] = {"/proc/self/exe", "/usr/lib/libjvm.so",
		"[vdso]", "[heap]", "", "/memfd:jit (deleted)", "/tmp/new\\012line",
		"//anon"};
	size_t length = 0;
	unsigned lines = (unsigned)input_number(input, 1) % 8;
	for (unsigned i = 0; i < lines; i++) {
		unsigned how = (unsigned)input_number(input, 1);
		uint64_t start = place(input);
		bool is_program = how & 8;
		length += (size_t)snprintf(text + length, MAPS_MAX - length,
			"%" PRIx64 "-%" PRIx64 " %s %08x %02x:%02x %" PRIu64 " %s\n",
			start, start + PLACE_BYTES * (1 + how / 16 % 2),
			how & 1 ? "r-xp" : "rw-p", how & 2 ? 0x1000 : 0,
			is_program ? major(program.st_dev) : 0,
			is_program ? minor(program.st_dev) : 0,
			is_program ? (uint64_t)program.st_ino
			: how & 4  ? 77
				   : 0,
			paths[input_number(input, 1) % 8]);
	}
	length += input_bytes(input, text + length, input_number(input, 1));
	return length;
}

static void set_trap(struct input *input)
{
	char name[64];
	uint64_t start = place(input);
	unsigned how = (unsigned)input_number(input, 1);
	const char *trap = traps[how / 4 % 8];
	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, start,
		start + PLACE_BYTES * (1 + how / 32 % 2));
	const char *const names[] = {name, "exe", name, "stat"};
	if (how % 4 == 3) {
		char stat[64];
		int length = snprintf(stat, sizeof(stat), "7 (a) S 1 1 1 0 -1 0 %u 0 0 0",
			(unsigned)input_number(input, 1));
		fake_process_remove("stat");
		fake_process_write("stat", stat, (size_t)length);
	} else if (trap[0]) {
		fake_process_link(names[how % 4], trap);
	} else {
		fake_process_remove(names[how % 4]);
	}
}

static void ask(struct address_space *space, struct input *input)
{
	uint64_t address = place(input) + input_number(input, 1), bias;
	const struct region *region = address_space_find(space, address);
	FUZZ_CHECK(!region || (region->start <= address && address < region->limit));
	if (!region)
		return;
	FUZZ_CHECK(strlen(region->path) < SIZE_MAX);
	struct code_names *names = address_space_names(space, region, &bias);
	if (names)
		code_names_symbol(names, address - bias);
	address_space_region(space, address);
	code_watch_is_unsure(address_space_watch(space), address);
}

static void ask_about_all(struct address_space *space)
{
	struct stack_link link = {0};
	uint64_t bias, changes = 0;
	uint32_t mapping;
	char word[8];
	address_space_anonymous(space, &link, &changes);
	FUZZ_CHECK(link.n_areas <= STACK_LINK_AREAS);
	address_space_image_named(space, "libjvm.so", &bias);
	address_space_main(space);
	address_space_read(space, FIRST_PLACE, word, sizeof(word));
	while (address_space_take_doubtful(space, &mapping))
		;
}

/* All the idle checks of a second at once. */
static void wait_idle(struct address_space *space)
{
	for (int i = 0; i < 45; i++)
		address_space_check(space);
}

static void step(struct address_space *space, struct input *input, uint64_t *now_ns)
{
	static char maps[MAPS_MAX];
	size_t length;
	*now_ns += UINT64_C(1) << 30;
	switch (input_number(input, 1) % 10) {
	case 0:
		length = make_maps(input, maps);
		fake_process_write("maps", maps, length);
		break;
	case 1:
		address_space_refresh(space);
		break;
	case 2:
		set_trap(input);
		break;
	case 3:
		address_space_check(space);
		break;
	case 4:
		length = make_maps(input, maps);
		address_space_tell(space, maps, length);
		break;
	case 5:
		ask_about_all(space);
		break;
	case 6:
		address_space_refresh_if_due(space, *now_ns, true);
		break;
	case 7:
		if (input_number(input, 1) % 8 == 0)
			wait_idle(space);
		else if (input_number(input, 1) % 8 == 1)
			address_space_exec(space, NULL);
		break;
	default:
		ask(space, input);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char maps[MAPS_MAX];
	struct input input = {bytes, bytes + size};
	uint64_t now_ns = 1;
	begin();
	for (unsigned i = 0; i < PLACES; i++)
		for (unsigned pages = 1; pages <= 2; pages++) {
			char name[64];
			uint64_t start = FIRST_PLACE + (uint64_t)i * PLACE_BYTES;
			snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64,
				start, start + pages * (uint64_t)PLACE_BYTES);
			fake_process_remove(name);
		}
	fake_process_link("exe", "/proc/self/exe");
	size_t length = make_maps(&input, maps);
	fake_process_write("maps", maps, length);
	struct profile *profile = profile_create();
	struct address_space *space =
		address_space_create(fake_process_open(), profile, NULL, NULL, NULL);
	for (int i = 0; space && i < STEPS_MAX && input_left(&input) > 0; i++)
		step(space, &input, &now_ns);
	address_space_destroy(space);
	profile_unref(profile);
	return 0;
}
