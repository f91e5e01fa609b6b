// The order in which the work-groups of a launch are started: ascending, or random to find programs
// that rely on the order (LOCKSTEP_SCHEDULE=shuffle:<seed>).
//
// The random order is a computed permutation: a Feistel network on the bits of the number, repeated
// until the result is a valid group number.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::runtime {

class GroupOrder {
public:
  GroupOrder() = default; // ascending
  GroupOrder(uint64_t groups, uint64_t seed);
  static GroupOrder from_environment(uint64_t groups);

  bool is_ascending() const { return half_bits_ == 0; }
  uint64_t group(uint64_t position) const { return is_ascending() ? position : permuted(position); }

private:
  uint64_t permuted(uint64_t position) const;

  uint64_t groups_ = 0, seed_ = 0;
  uint32_t half_bits_ = 0;
};

// The seed of `shuffle:<seed>`; nothing for any other text.
std::optional<uint64_t> parse_schedule(const char *text);

} // namespace lockstep::runtime
