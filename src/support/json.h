// Helper for writing JSON: reports, traces.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// The text as a quoted string. Invalid UTF-8, which a source line or a file name may contain,
// becomes U+FFFD: JSON parsers may otherwise reject the whole document.
std::string json_string(std::string_view text);

} // namespace lockstep
