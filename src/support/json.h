// JSON that is written by hand: reports, traces.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Quoted. What is no UTF-8, as a line of a source may have, or a name of a file, is U+FFFD there: whoever reads JSON may
// refuse all of it otherwise.
std::string json_string(std::string_view text);

} // namespace lockstep
