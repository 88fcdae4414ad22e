/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/page/page.h"

#include "src/base/gzip.h"
#include "src/facts/text/base64.h"
#include "src/write/page/page-data.h"
#include "src/write/page/page-tree.h"

#include <errno.h>
#include <stdlib.h>

/* Made from page.html and the scripts (Makefile.inc). */
#include "src/write/page/page.inc"

static bool put_data(const struct page_tree *tree, const struct page_facts *facts,
	FILE *page, struct error *err)
{
	char *bytes = NULL, *packed = NULL;
	size_t size = 0, packed_size = 0;
	FILE *plain = open_memstream(&bytes, &size);
	FILE *pack = open_memstream(&packed, &packed_size);
	bool done = plain && pack;
	if (done)
		page_data_write(tree, facts, plain);
	done = plain && fclose(plain) == 0 && done && gzip_write(bytes, size, pack, err);
	if (pack && fclose(pack) == 0 && done)
		base64_put(packed, packed_size, page);
	else if (done || !pack || !plain)
		done = error_errno(err, errno, "the page's data");
	free(bytes);
	free(packed);
	return done;
}

bool page_write(const struct report *report,
	uint64_t (*value)(const struct weight *weight), const struct page_facts *facts,
	FILE *out, struct error *err)
{
	struct page_tree tree;

	page_tree_init(&tree, report, value);
	fputs(text_of_page, out);
	fputs("<script type=\"text/plain\" id=\"data\">", out);
	bool done = put_data(&tree, facts, out, err);
	fprintf(out, "</script>\n<script>\n%s%s%s</script>\n</body></html>\n",
		text_of_data, text_of_model, text_of_screen);
	page_tree_finish(&tree);
	return done;
}
