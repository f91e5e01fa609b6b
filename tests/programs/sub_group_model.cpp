#include "sub_group_model.h"

#include <bit>
#include <cstdint>

namespace lockstep::test {

namespace {

using Group = Lanes<unsigned>;

uint64_t ballot(const Group &lanes) {
  uint64_t bits = 0;
  for (size_t lane = 0; lane != lanes.values.size(); ++lane)
    if (lanes.active[lane] && lanes.values[lane] & 1)
      bits |= uint64_t{1} << lane;
  return bits;
}

uint64_t active_bits(const Group &lanes) {
  uint64_t bits = 0;
  for (size_t lane = 0; lane != lanes.values.size(); ++lane)
    bits |= uint64_t{lanes.active[lane]} << lane;
  return bits;
}

uint64_t below(unsigned lane) { // bits of the lower lanes
  return (uint64_t{1} << lane) - 1;
}
uint64_t up_to(unsigned lane) {
  return below(lane) | uint64_t{1} << lane;
}
uint64_t whole(const Group &lanes) {
  return ~uint64_t{0} >> (64 - lanes.width);
}
unsigned low(uint64_t bits) {
  return static_cast<unsigned>(bits);
}
unsigned high(uint64_t bits) {
  return static_cast<unsigned>(bits >> 32);
}
unsigned count(uint64_t bits) {
  return static_cast<unsigned>(std::popcount(bits));
}

uint64_t cluster_bits(const Group &lanes, unsigned lane) {
  unsigned size = cluster_of(lanes.width);
  return below(size) << (lane / size * size);
}

template <class Answer> SubGroupFunction<unsigned> function(const char *expression, Answer answer) {
  return {expression, [=](const Group &lanes, unsigned lane) -> std::optional<unsigned> {
            return answer(lanes, lane);
          }};
}

// Adds logical and, or, xor over the predicates of the active lanes in `these`.
void add_logical(std::vector<SubGroupFunction<unsigned>> &list, const std::string &call,
                 const std::string &arguments, uint64_t (*these)(const Group &, unsigned)) {
  auto add = [&](const char *operation, auto answer) {
    list.push_back(
        {"(uint)" + call + "logical_" + operation + "((int)(x & 1) * 8" + arguments + ")",
         [=](const Group &lanes, unsigned lane) -> std::optional<unsigned> {
           uint64_t mask = these(lanes, lane) & active_bits(lanes);
           return answer(ballot(lanes) & mask, mask);
         }});
  };
  add("and", [](uint64_t set, uint64_t mask) -> unsigned { return set == mask; });
  add("or", [](uint64_t set, uint64_t) -> unsigned { return set != 0; });
  add("xor", [](uint64_t set, uint64_t) { return count(set) & 1; });
}

} // namespace

std::vector<SubGroupFunction<unsigned>> predicate_functions() {
  using U = unsigned;
  std::vector<SubGroupFunction<unsigned>> list = {
      function("(uint)sub_group_non_uniform_all(x & 1)",
               [](const Group &l, U) -> U { return ballot(l) == active_bits(l); }),
      function("(uint)sub_group_non_uniform_any(x & 1)",
               [](const Group &l, U) -> U { return ballot(l) != 0; }),
      function("sub_group_ballot(x & 1).x", [](const Group &l, U) { return low(ballot(l)); }),
      function("sub_group_ballot(x & 1).y", [](const Group &l, U) { return high(ballot(l)); }),
      function("sub_group_ballot(x & 1).z + sub_group_ballot(x & 1).w",
               [](const Group &, U) { return 0u; }),
      function("(uint)sub_group_inverse_ballot(sub_group_ballot(x & 1))",
               [](const Group &l, U lane) { return l.values[lane] & 1; }),
      function("(uint)sub_group_ballot_bit_extract(sub_group_ballot(x & 1), lane)",
               [](const Group &l, U lane) { return l.values[lane] & 1; }),
      function("sub_group_ballot_bit_count((uint4)(~0u))",
               [](const Group &l, U) { return l.width; }),
      function("sub_group_ballot_inclusive_scan(sub_group_ballot(x & 1))",
               [](const Group &l, U lane) { return count(ballot(l) & up_to(lane)); }),
      function("sub_group_ballot_exclusive_scan(sub_group_ballot(x & 1))",
               [](const Group &l, U lane) { return count(ballot(l) & below(lane)); }),
      {"sub_group_ballot_find_lsb(sub_group_ballot(x & 1))",
       [](const Group &l, U) {
         return ballot(l) ? std::optional<U>(std::countr_zero(ballot(l))) : std::nullopt;
       }},
      {"sub_group_ballot_find_msb(sub_group_ballot(x & 1))",
       [](const Group &l, U) {
         return ballot(l) ? std::optional<U>(63 - std::countl_zero(ballot(l))) : std::nullopt;
       }},
      function("get_sub_group_eq_mask().x ^ get_sub_group_eq_mask().y",
               [](const Group &, U lane) { return 1u << lane % 32; }),
      function("get_sub_group_ge_mask().x ^ get_sub_group_ge_mask().y * 3",
               [](const Group &l, U lane) {
                 return low(whole(l) & ~below(lane)) ^ high(whole(l) & ~below(lane)) * 3;
               }),
      function("get_sub_group_gt_mask().x ^ get_sub_group_gt_mask().y * 3",
               [](const Group &l, U lane) {
                 return low(whole(l) & ~up_to(lane)) ^ high(whole(l) & ~up_to(lane)) * 3;
               }),
      function("get_sub_group_le_mask().x ^ get_sub_group_le_mask().y * 3",
               [](const Group &, U lane) { return low(up_to(lane)) ^ high(up_to(lane)) * 3; }),
      function("get_sub_group_lt_mask().x ^ get_sub_group_lt_mask().y * 3",
               [](const Group &, U lane) { return low(below(lane)) ^ high(below(lane)) * 3; }),
  };
  add_logical(list, "sub_group_non_uniform_reduce_", "",
              [](const Group &l, U) { return whole(l); });
  add_logical(list, "sub_group_non_uniform_scan_inclusive_", "",
              [](const Group &, U lane) { return up_to(lane); });
  add_logical(list, "sub_group_non_uniform_scan_exclusive_", "",
              [](const Group &, U lane) { return below(lane); });
  add_logical(list, "sub_group_clustered_reduce_", ", CLUSTER", cluster_bits);
  list.push_back({"(uint)sub_group_all(x & 1)",
                  [](const Group &l, U) -> std::optional<U> { return ballot(l) == active_bits(l); },
                  true});
  list.push_back({"(uint)sub_group_any(x & 1)",
                  [](const Group &l, U) -> std::optional<U> { return ballot(l) != 0; }, true});
  return list;
}

} // namespace lockstep::test
