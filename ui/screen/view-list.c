/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all views, from the rows of VIEWS. It lies in this room because it needs
   the rooms of all views. */
#include "ui/view/view.h"

#include <stddef.h>

#define VIEW_ROW(view) &view,
const struct view_ops *const view_list[] = {VIEWS(VIEW_ROW) NULL};
