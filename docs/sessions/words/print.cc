// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"
#include <algorithm>
#include <iostream>
#include <vector>

void print(const Counts &counts, unsigned long least)
{
	std::vector<std::pair<unsigned long, std::string>> rows;

	for (const auto &[word, times] : counts)
		if (times >= least)
			rows.emplace_back(times, word);
	std::sort(rows.rbegin(), rows.rend());
	for (const auto &[times, word] : rows)
		std::cout << times << ' ' << word << '\n';
}
