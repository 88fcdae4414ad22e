// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"
#include <iostream>

int main()
{
	Counts counts;

	count(std::cin, counts);
	print(counts, 2);
	return 0;
}
