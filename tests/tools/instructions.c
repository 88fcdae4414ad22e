/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instructions FILE
 *
 * Reads addresses in FILE, in hex, a line each, and prints the function at each of them as
 * cproftop shows it, with a tab between the fields:
 *
 *	function  START  LIMIT  NAME  PROBLEM  REMARK
 *	ADDRESS  LENGTH  KIND  TARGET  NAME-OF-TARGET  AT&T  INTEL
 *
 * KIND is of enum instruction_kind; TARGET is "-" if there is none.
 */

#include "src/read/assembly/assembly-make.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print(const struct assembly *assembly)
{
	printf("function\t%" PRIx64 "\t%" PRIx64 "\t%s\t%s\t%s\n", assembly->start,
		assembly->limit, assembly->name, assembly->problem, assembly->remark);
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		const struct instruction *insn = &assembly->instructions[i];
		printf("%" PRIx64 "\t%u\t%u\t", insn->address, insn->length, insn->kind);
		if (insn->has_target)
			printf("%" PRIx64, insn->target);
		else
			printf("-");
		printf("\t%s\t%s\t%s\n", insn->target_name, insn->texts[ASSEMBLY_ATT],
			insn->texts[ASSEMBLY_INTEL]);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	struct decoder *decoder = decoder_create();
	struct profile *profile = profile_create(); /* without any mapping */
	struct assembly_request request = {.profile = profile, .mapping = PROFILE_NONE};
	struct error err;
	struct elf_image *image =
		elf_image_open(open(argv[1], O_RDONLY | O_CLOEXEC), &err);
	if (!image) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	struct code_source source = {
		.image = image,
		.names = code_names_create(image, argv[1], ""),
		.is_owned = true,
	};
	while (scanf("%" SCNx64, &request.address) == 1) {
		struct assembly *assembly = assembly_make(decoder, &source, &request);
		print(assembly);
		assembly_destroy(assembly);
	}
	code_source_finish(&source);
	profile_unref(profile);
	decoder_destroy(decoder);
	return 0;
}
