// Settings of the compiler that a program is tested with: processor, sub-group size, form, inlining.
// A campaign over all of them gives each run of `seeds_of_setting` seeds one setting, since the
// platform reads its environment once in a process; 128 such runs see every combination.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::fuzz {

inline constexpr uint64_t seeds_of_setting = 8;

// Environment variables, by name and value. The same on every machine, but that a processor which
// this machine cannot run code of is left out.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(uint64_t seed);

// "LOCKSTEP_CPU=x86-64-v2 LOCKSTEP_FORM=resumable"; "no settings"
std::string describe(const Settings &settings);

} // namespace lockstep::fuzz
