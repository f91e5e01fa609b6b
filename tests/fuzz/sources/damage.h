// Sources and build options that are broken in the ways that programs, their generators and their users break them.
#pragma once

#include "../random.h"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::fuzz {

// The tokens and what is between them, in order; put together they are the source.
std::vector<std::string> split(std::string_view source);

// One to a few damages, by chance. `other` is a source to take pieces of.
std::string damaged(const std::string &source, const std::string &other, Random &random);

// Options as programs give them; some are right, some are not.
std::string random_options(Random &random, bool may_be_wrong);
std::string random_link_options(Random &random);

} // namespace lockstep::fuzz
