/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-machine.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void hotspot_machine_finish(struct hotspot_machine *machine)
{
	free(machine->build_id);
	machine->build_id = NULL;
}

bool hotspot_machine_is_there(const struct hotspot_machine *machine)
{
	return machine->build_id != NULL;
}

static bool find_variables(
	struct hotspot_machine *machine, const struct elf_image *image, uint64_t bias)
{
	struct elf_variable variables[HOTSPOT_VARIABLES];
	for (int i = 0; i < HOTSPOT_VARIABLES; i++)
		variables[i].name = hotspot_variables[i];
	elf_image_find_variables(image, variables, HOTSPOT_VARIABLES);
	for (int i = 0; i < HOTSPOT_VARIABLES; i++) {
		if (!variables[i].vaddr)
			return false;
		machine->addresses[i] = variables[i].vaddr + bias;
	}
	return true;
}

bool hotspot_machine_look(struct hotspot_machine *machine)
{
	uint64_t bias = 0, generation = address_space_generation(machine->space);
	if (generation == machine->generation)
		return false;
	machine->generation = generation;
	const struct elf_image *image =
		address_space_image_named(machine->space, "libjvm.so", &bias);
	const char *build_id = image ? elf_image_build_id(image) : "";
	bool was_there = hotspot_machine_is_there(machine);
	if (image && was_there && bias == machine->bias &&
		strcmp(build_id, machine->build_id) == 0)
		return false;
	hotspot_machine_finish(machine);
	if (!image || !find_variables(machine, image, bias))
		return was_there;
	machine->build_id = mem_strdup(build_id);
	machine->bias = bias;
	return true;
}
