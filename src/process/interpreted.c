/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/interpreted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_runtime(const char *file)
{
	static const char *const begins[] = {
		"python", "ruby", "perl", "php", "lua", "node"};
	if (strncmp(file, "lib", 3) == 0)
		file += 3;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (strncmp(file, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

bool process_is_interpreted(pid_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0) {
		const char *slash = strrchr(line, '/');
		found = slash && strstr(line, "r-xp ") && is_of_runtime(slash + 1);
	}
	if (maps)
		fclose(maps);
	free(line);
	return found;
}
