#include "runtime/launch/cpu/resumable/group_order.h"

#include "platform/linux/leaked.h"
#include "support/environment.h"
#include "support/message.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lockstep::runtime {
namespace {

uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

} // namespace

GroupOrder::GroupOrder(uint64_t groups, uint64_t seed) : groups_(groups), seed_(seed) {
  if (groups > 1)
    half_bits_ = (uint32_t(std::bit_width(groups - 1)) + 1) / 2;
}

uint64_t GroupOrder::permuted(uint64_t position) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  do {
    uint64_t left = position >> half_bits_, right = position & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t next = left ^ (mixed(right + (round << 40) + mixed(seed_)) & mask);
      left = right;
      right = next;
    }
    position = left << half_bits_ | right;
  } while (position >= groups_);
  return position;
}

std::optional<uint64_t> parse_schedule(const char *text) {
  constexpr char prefix[] = "shuffle:";
  if (std::strncmp(text, prefix, sizeof prefix - 1) != 0 || !text[sizeof prefix - 1])
    return std::nullopt;
  char *end = nullptr;
  const uint64_t seed = std::strtoull(text + sizeof prefix - 1, &end, 0);
  return *end ? std::nullopt : std::optional(seed);
}

GroupOrder GroupOrder::from_environment(uint64_t groups) {
  const auto &seed = leaked([]() -> std::optional<uint64_t> {
    auto text = environment("SCHEDULE");
    if (!text)
      return std::nullopt;
    auto parsed = parse_schedule(text->c_str());
    if (!parsed)
      print_message("LOCKSTEP_SCHEDULE is '%s', not 'shuffle:<number>'; it is ignored",
                    text->c_str());
    return parsed;
  });
  return seed ? GroupOrder(groups, *seed) : GroupOrder();
}

} // namespace lockstep::runtime
