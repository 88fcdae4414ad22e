/* The views, in the order of their tabs: a new view is one row (view.h). */
#include "ui/view/view.h"

const struct view_ops *const view_list[] = {
	&view_table,
	&view_flame,
	&view_threads,
	&view_output,
	NULL,
};
