/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of the screen, from the rows of VIEWS. Here and not beside them, because it needs
   all of them. */
#include "ui/view/view.h"

#include <stddef.h>

#define VIEW_ROW(view) &view,
const struct view_ops *const view_list[] = {VIEWS(VIEW_ROW) NULL};
