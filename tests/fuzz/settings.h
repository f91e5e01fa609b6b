// Compiler settings for the tested programs: processor, sub-group size, form, inlining. A campaign
// over all settings gives each run of `seeds_of_setting` seeds one setting, because the platform
// reads its environment once per process. 128 such runs cover every combination.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::fuzz {

inline constexpr uint64_t seeds_of_setting = 2;

// Environment variables, by name and value. They are the same on every machine, except that
// processors whose code this machine cannot run are left out.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(uint64_t seed);

// "LOCKSTEP_CPU=x86-64-v2 LOCKSTEP_FORM=resumable"; "no settings"
std::string describe(const Settings &settings);

} // namespace lockstep::fuzz
