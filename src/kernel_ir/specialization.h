// The launch parameters for which one work-group function is compiled.
#pragma once

#include "support/fields.h"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

inline constexpr std::array<uint32_t, 3> single_group = {1, 1, 1};

// Local memory that a launch gives to a kernel whose argument 0 is a function object (SYCL's local
// accessors). At byte `position` of the object, the kernel finds the address of one of its local
// variables. Arguments with the same `variable` share it. If `bytes` is 0, the pointer stays as it
// is (the descriptor of an image accessor) and only `words` are used.
struct LocalArgument {
  uint32_t position = 0;
  uint32_t variable = 0;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  // The words behind the address, identical in every launch of this code: the size of each
  // dimension, without which the row pitch would not be known, or the format and sampler of an
  // image.
  std::vector<uint64_t> words{};
  std::string name{}; // for reports; empty: no reports
  auto operator<=>(const LocalArgument &) const = default;
};

struct Specialization {
  std::array<uint32_t, 3> local_size{}; // 0,0,0: any local size (read from GroupInfo); slower
  // How many consecutive work-groups one call may run, by dimension, if the compiler finds that
  // profitable: powers of two. The launch runs groups that fill no call by other code.
  std::array<uint32_t, 3> neighbors = single_group;
  std::vector<LocalArgument> local_arguments{};
  // By argument: the format of an image, or a sampler as a number (image_descriptor.h); 0 for
  // others. Empty: not known, so code for images reads them at run time; slower.
  std::vector<uint32_t> images{};
  // For checked code. Bit i: assumption i of the code (abi/assumptions.h) does not hold for the
  // launch, so the compiler does not rely on it.
  uint64_t failed_assumptions = 0;
  // Bit i: the launch will not privatize pointers with this bit (PrivatizedReduction::bit()), so
  // KernelCode::privatized_reductions must not name them.
  uint64_t unprivatized_arguments = 0;
  // For code that tracks undefined values. Bit i: all bytes of argument i are defined while the
  // launch runs. Set only for arguments that are only read.
  uint64_t defined_arguments = 0;
  // The same for pointers that a function object has captured (PointerMembers::only_read).
  uint64_t defined_members = 0;
  // The launch numbers the groups of dimension 0 in rows (KernelFacts::row_of_groups) of dimension
  // 1. Its global ids have at most 31 bits.
  bool groups_in_rows = false;
  // The global offset of the launch is 0. Ids are then multiples of the local size and local ids.
  bool has_no_offset = false;
  // The launch has so many work-groups that it makes their additions to one counter in batches
  // (KernelFacts::adds_to_counter), for which the kernel gets the coroutine form.
  bool batched_updates = false;
  auto operator<=>(const Specialization &) const = default;
};

void visit_fields(auto &visit, FieldsOf<LocalArgument> auto &argument) {
  visit(argument.position, argument.variable, argument.bytes, argument.alignment, argument.words,
        argument.name);
}
// With bindings, so that a new field does not compile until it is named here.
void visit_fields(auto &visit, FieldsOf<Specialization> auto &specialization) {
  auto &[local_size, neighbors, local_arguments, images, failed_assumptions, unprivatized_arguments,
         defined_arguments, defined_members, groups_in_rows, has_no_offset, batched_updates] =
      specialization;
  visit(local_size, neighbors, local_arguments, images, failed_assumptions, unprivatized_arguments,
        defined_arguments, defined_members, groups_in_rows, has_no_offset, batched_updates);
}

} // namespace lockstep::compiler
