// JSON that is written by hand: reports, traces.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

std::string json_string(std::string_view text); // quoted

} // namespace lockstep
