// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef WORDS_H
#define WORDS_H

#include <istream>
#include <map>
#include <string>

using Counts = std::map<std::string, unsigned long>;

bool is_word(const std::string &text);		    // rules.cc
void count(std::istream &input, Counts &counts);    // count.cc
void print(const Counts &counts, unsigned long least); // print.cc

#endif
