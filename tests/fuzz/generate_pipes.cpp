// Generates tickets that are packets of pipes: see Pipes in program.h.
#include "generator.h"

#include <algorithm>

namespace lockstep::fuzz {

// Uses a random generator of its own, like other later additions.
void Generator::make_pipes() {
  Random own(program_.seed ^ 0x1d5f83b7);
  if (!own.chance(20) || !can_.pipes || !program_.opencl_3 || rows_)
    return;
  auto add = [&](Space space, std::string name, uint32_t slots) {
    Array array{space, type_uint, slots};
    array.name = name + std::to_string(program_.arrays.size());
    if (space != Space::packets)
      array.initial.assign(slots, 0);
    program_.arrays.push_back(std::move(array));
  };
  auto find = [&](Space space) {
    return std::ranges::find(program_.arrays, space, &Array::space) != program_.arrays.end();
  };
  if (!find(Space::global_counter))
    add(Space::global_counter, "count_all", own.between(1, 4)); // of additions
  if (!find(Space::tickets))
    add(Space::tickets, "tickets", own.between(1, 4));
  // Whole reservations of two packets and of groups. Sub-group sizes divide those, or sub-groups
  // are not used.
  const uint32_t least = 2 * program_.launch.group_items(),
                 usual = own.between(1, 2 * program_.launch.items());
  program_.pipes = {(usual + least - 1) / least * least,
                    int(own.below(uint32_t(pipe_packet_count())))};
  const Array &tickets = *std::ranges::find(program_.arrays, Space::tickets, &Array::space);
  add(Space::packets, "packets", tickets.slots * program_.pipes.packets);
}

PipeWay Generator::pipe_way(const Flow &flow) {
  Random own(program_.seed ^ 0x6b32e8c1 ^ tickets_);
  const Launch &launch = program_.launch;
  bool whole_groups = launch.local_given;
  for (int d = 0; d < 3; ++d)
    whole_groups &= launch.global[d] % launch.local[d] == 0;
  const bool together = flow.barriers && !flow.tangled && whole_groups;
  if (together && own.chance(60)) {
    const bool sub_groups = in_kernel_ && program_.sub_group_size &&
                            launch.group_items() % program_.sub_group_size == 0;
    return sub_groups && own.chance(50) ? PipeWay::sub_group : PipeWay::group;
  }
  static const std::vector<PipeWay> ways = {PipeWay::plain, PipeWay::reserved, PipeWay::two};
  return own.pick(ways);
}

} // namespace lockstep::fuzz
