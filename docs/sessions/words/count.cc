// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"

void count(std::istream &input, Counts &counts)
{
	for (std::string word; input >> word;)
		if (is_word(word))
			counts[word]++;
}
