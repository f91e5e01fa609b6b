// Messages to the user on stderr. They begin with "lockstep: ", and with the host and the rank if a
// launcher has started the process (support/ranks.h): of a thousand ranks, the user wants to know
// which.
#pragma once

#include <string>

namespace lockstep {

// Prints one message and the end of its line. Needs no memory if the message is short.
[[gnu::format(printf, 1, 2)]] void print_message(const char *format, ...) noexcept;

// The same text with host and rank before each line that begins with "lockstep".
std::string with_rank(std::string text);

} // namespace lockstep
