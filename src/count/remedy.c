/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/remedy.h"

#include "src/base/error.h"
#include "src/read/elf/elf-image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PACKAGE_MAX = 128, /* bytes of a name, with NUL */
	LINE_BYTES = 4096,
};

/* --- generated code ----------------------------------------------------------------- */

/* How to make a runtime write /tmp/perf-PID.map, from its documentation. MODULE is how
   the module's name begins. */
static const struct {
	const char *module, *remedy;
	bool is_snapshot; /* the map lists only what was compiled when it was written */
} runtimes[] = {
	{"node", "code of V8 itself; or start it with --perf-basic-prof", false},
	{"libnode.so", "code of V8 itself; or start it with --perf-basic-prof", false},
	{"libjvm.so", "--perf-map, or jcmd PID Compiler.perfmap (JDK 17)", true},
	{"java", "--perf-map, or jcmd PID Compiler.perfmap (JDK 17)", true},
	{"libcoreclr.so", "start it with DOTNET_PerfMapEnabled=1 in its environment",
		false},
	{"beam.", "start it with ERL_FLAGS=\"+JPperf true\" in its environment", false},
	{"libmonosgen", "start it with --jitmap", false},
	{"mono", "start it with --jitmap", false},
};

static const char *remedy_for_generated(const struct nameless_row *row)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		size_t length = strlen(runtimes[i].module);
		const char *name = row->runtime;
		if (strncmp(name, runtimes[i].module, length) != 0)
			name = row->module;
		if (strncmp(name, runtimes[i].module, length) != 0)
			continue;
		return row->has_names && !runtimes[i].is_snapshot
			       ? "its perf map does not have it"
			       : runtimes[i].remedy;
	}
	if (row->has_names)
		return "its perf map does not have it";
	return "generated code: only what makes it can name it, in /tmp/perf-PID.map";
}

/* --- packages ----------------------------------------------------------------------- */

/* The file at the row's path on this machine, if it is the same file that the target has
   mapped; else NULL. */
static struct elf_image *open_ours(const struct nameless_row *row)
{
	struct stat status;
	int fd = open(row->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return NULL;
	}
	struct elf_image *image = elf_image_open(fd, NULL);
	if (image && strcmp(elf_image_build_id(image), row->build_id) == 0)
		return image;
	elf_image_destroy(image);
	return NULL;
}

/* Does the dpkg list in file NAME have PATH as a line? The list may name a file below
   /usr by its path from before /bin and /lib became links. */
static bool lists(int dir_fd, const char *name, const char *path)
{
	static const char merged[] = "/usr";
	const char *old =
		strncmp(path, merged, strlen(merged)) == 0 ? path + strlen(merged) : path;
	char line[LINE_BYTES];
	bool found = false;
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	while (in && !found && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		found = strcmp(line, path) == 0 || strcmp(line, old) == 0;
	}
	if (in)
		fclose(in);
	else if (fd >= 0)
		close(fd);
	return found;
}

/* The package that installed PATH, by the lists in /var/lib/dpkg/info. */
static bool find_package(const char *root, const char *path, char package[PACKAGE_MAX])
{
	char folder[LINE_BYTES];
	snprintf(folder, sizeof(folder), "%s/var/lib/dpkg/info", root);
	DIR *dir = opendir(folder);
	if (!dir)
		return false;
	bool found = false;
	const struct dirent *entry;
	while (!found && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		if (length < 6 || strcmp(entry->d_name + length - 5, ".list") != 0 ||
			!lists(dirfd(dir), entry->d_name, path))
			continue;
		found = true;
		/* "libc6:amd64.list" */
		snprintf(package, PACKAGE_MAX, "%.*s",
			(int)strcspn(entry->d_name, ":") < (int)length - 5
				? (int)strcspn(entry->d_name, ":")
				: (int)length - 5,
			entry->d_name);
	}
	closedir(dir);
	return found;
}

/* The package with the symbols of PACKAGE: PACKAGE-dbgsym, except for a few packages with
   an older name for it. */
static void symbols_package(const char *package, char *out, size_t size)
{
	size_t length = strlen(package);
	bool is_python = strncmp(package, "python3.", 8) == 0 ||
			 strncmp(package, "libpython3.", 11) == 0;
	if (strcmp(package, "libc6") == 0) {
		snprintf(out, size, "libc6-dbg");
	} else if (is_python) {
		const char *name =
			strncmp(package, "lib", 3) == 0 ? package + 3 : package;
		length = strcspn(name, "-");
		snprintf(out, size, "%.*s-dbg", (int)length, name);
	} else {
		snprintf(out, size, "%s-dbgsym", package);
	}
}

/* --- distributions ------------------------------------------------------------------ */

static const struct distribution {
	const char *id, *server;
	/* Where packages called "-dbgsym" are: an archive that apt is not set up with at
	   first. The files of its lists have MARK in their names. */
	const char *archive, *mark;
} distributions[] = {
	{"debian", "https://debuginfod.debian.net", "debian-debug", "_debian-debug_"},
	{"ubuntu", "https://debuginfod.ubuntu.com", "ddebs.ubuntu.com", "ddebs.ubuntu"},
	{"fedora", "https://debuginfod.fedoraproject.org", NULL, NULL},
	{"centos", "https://debuginfod.centos.org", NULL, NULL},
	{"arch", "https://debuginfod.archlinux.org", NULL, NULL},
	{"opensuse", "https://debuginfod.opensuse.org", NULL, NULL},
	/* which forwards requests to the others */
	{"", "https://debuginfod.elfutils.org", NULL, NULL},
};

/* The distribution that os-release(5) names. */
static const struct distribution *distribution_of(const char *root)
{
	char path[LINE_BYTES], line[LINE_BYTES], id[64] = "";
	snprintf(path, sizeof(path), "%s/etc/os-release", root);
	FILE *in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "ID=%63[^\n]", id) == 1)
			break;
	if (in)
		fclose(in);
	const char *plain = id + strspn(id, "\"'");
	size_t i = 0;
	while (strncmp(plain, distributions[i].id, strlen(distributions[i].id)) != 0)
		i++;
	return &distributions[i];
}

/* Has apt lists of the archive with packages called "-dbgsym"? */
static bool has_archive(const struct distribution *distribution, const char *root)
{
	char folder[LINE_BYTES];
	snprintf(folder, sizeof(folder), "%s/var/lib/apt/lists", root);
	DIR *dir = opendir(folder);
	bool found = false;
	const struct dirent *entry;
	while (dir && !found && (entry = readdir(dir)))
		found = strstr(entry->d_name, distribution->mark) != NULL;
	if (dir)
		closedir(dir);
	return found;
}

/* --- all ---------------------------------------------------------------------------- */

static void remedy_for_file(
	const struct nameless_row *row, const char *root, char *out, size_t size)
{
	char package[PACKAGE_MAX], symbols[PACKAGE_MAX + 8] = "";
	const struct distribution *distribution = distribution_of(root);
	struct elf_image *image = open_ours(row);
	bool is_ours = image != NULL;
	bool is_whole = is_ours && elf_image_has_section(image, ".symtab");
	elf_image_destroy(image);
	if (is_whole) {
		snprintf(out, size, "none: its symbols are there, and none covers this");
		return;
	}
	if (!row->build_id[0]) {
		snprintf(out, size,
			"it was stripped: build it without -s, keep its symbols");
		return;
	}
	if (is_ours && find_package(root, row->path, package))
		symbols_package(package, symbols, sizeof(symbols));
	bool is_apart = strstr(symbols, "-dbgsym") && distribution->archive &&
			!has_archive(distribution, root);
	snprintf(out, size, "%s%s%s%s%s%s--debuginfod with DEBUGINFOD_URLS=%s",
		symbols[0] ? "apt install " : "", symbols,
		is_apart ? " (add the archive " : "",
		is_apart ? distribution->archive : "", is_apart ? ")" : "",
		symbols[0] ? ", or " : "", distribution->server);
}

void remedy_for(const struct nameless_row *row, const char *root, char *out, size_t size)
{
	if (nameless_is_generated(row))
		snprintf(out, size, "%s", remedy_for_generated(row));
	else if (row->path[0] != '/')
		snprintf(out, size, "none: the kernel's own code");
	else if (strstr(row->path, " (deleted)"))
		snprintf(out, size, "deleted or replaced: restart the program");
	else
		remedy_for_file(row, root, out, size);
}
