// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"
#include <regex>

bool is_word(const std::string &text)
{
	static const std::regex rules[] = {
		std::regex("[a-z]+"),
		std::regex("[A-Z][a-z]*"),
		std::regex("[a-z]+-[a-z]+", std::regex::extended),
	};

	for (const auto &rule : rules)
		if (std::regex_match(text, rule))
			return true;
	return false;
}
