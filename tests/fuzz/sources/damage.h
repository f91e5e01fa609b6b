// Damages sources and build options in the ways that programs, their generators and their users do.
#pragma once

#include "../random.h"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::fuzz {

// The tokens and the text between them, in order; their concatenation is the source.
std::vector<std::string> split(std::string_view source);

// Applies one to a few random damages. `other` is a source from which pieces are taken.
std::string damaged(const std::string &source, const std::string &other, Random &random);

// Random options of the kind that programs pass; some are valid, some are not.
std::string random_options(Random &random, bool may_be_wrong);
std::string random_link_options(Random &random);

} // namespace lockstep::fuzz
