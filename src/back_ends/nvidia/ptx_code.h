// What the NVIDIA back end makes of one kernel: PTX text, and what a launch must know about it.
// Plain data: the runtime reads it, and the disk cache stores it.
#pragma once

#include "abi/kernel_facts.h"
#include "support/fields.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

// How the kernel is launched. A launch without offset, all of whose work-groups have the same size,
// uses `plain` code. For any other launch the runtime uses `general` code: it may split the launch
// into several CUDA launches with groups of one size each, and says by parameters which part of the
// launch each of them is. `persistent` code is general, and its CUDA blocks run one group after the
// other: any number of groups may wait for each other (make-persistent). Its groups have one size,
// unless it is `persistent_of_sizes`, whose blocks have one dimension.
enum class PtxVariant : uint8_t { plain, general, persistent, persistent_of_sizes };

constexpr bool is_persistent(PtxVariant variant) {
  return variant == PtxVariant::persistent || variant == PtxVariant::persistent_of_sizes;
}

enum class PtxParameterKind : uint8_t {
  value,        // `size` bytes of the argument block, from KernelArg::offset on
  pointer,      // a device address
  image,        // the device address of the descriptors of the image's levels
  image_word,   // `size` bytes of the descriptor of level 0, from `offset` on
  unused,       // the code does not read it
  local_offset, // uint32_t: where the argument's local memory begins in dynamic shared memory
  // Parameters that no argument corresponds to. uint64_t, of dimension `index`; `general` code only.
  global_offset,
  group_base, // the group id of CUDA's block 0
  num_groups, // of the whole launch
  enqueued_local_size,
  global_size,
  work_dim,      // uint32_t
  variables,     // the device address of the program-scope variables (PtxVariables)
  printf_buffer, // the device address of a lockstep_printf_buffer
  part_groups,   // groups of the CUDA launch, of dimension `index`; persistent code only
  group_pool,    // the device address of a lockstep_group_pool; persistent code only
};

struct PtxParameter {
  PtxParameterKind kind = PtxParameterKind::value;
  uint32_t index = 0;  // of the argument, or the dimension
  uint32_t size = 0;   // bytes
  uint32_t offset = 0; // image_word only
};

// What persistent code keeps of a suspended group.
struct GroupFrames {
  uint64_t item_bytes = 0;  // for each work-item
  uint64_t local_bytes = 0; // copies of the kernel's own local variables
};

struct PtxCode {
  std::string text;                     // PTX, one kernel
  std::string entry;                    // its name in the text
  std::vector<PtxParameter> parameters; // in the order of cuLaunchKernel's kernelParams
  uint64_t static_shared = 0;           // bytes of the kernel's own local variables
  // The launch gives dynamic shared memory: the sum of its local arguments.
  bool uses_dynamic_shared = false;
  bool groups_wait = false;                // for each other, or for a lock
  std::array<uint32_t, 3> local_size{};    // the only block size that works; 0,0,0: any
  std::vector<std::string> printf_formats; // by lockstep_printf_record::format
  GroupFrames frames;
  std::vector<SuspensionSite> wait_sites; // persistent code: by lockstep_wait::site
  std::vector<std::string> remarks;
};

// The program-scope variables of a program: one block of device memory for all of its kernels. The
// word at byte `place` of `bytes` is to be increased by the block's device address.
struct PtxVariables {
  std::string bytes;               // empty: the program has none
  std::vector<uint64_t> addresses; // places of words that hold an offset in the block
};

void visit_fields(auto &visit, FieldsOf<PtxParameter> auto &parameter) {
  visit(parameter.kind, parameter.index, parameter.size, parameter.offset);
}
void visit_fields(auto &visit, FieldsOf<GroupFrames> auto &frames) {
  visit(frames.item_bytes, frames.local_bytes);
}
void visit_fields(auto &visit, FieldsOf<PtxCode> auto &code) {
  visit(code.text, code.entry, code.parameters, code.static_shared, code.uses_dynamic_shared,
        code.groups_wait, code.local_size, code.printf_formats, code.frames, code.wait_sites,
        code.remarks);
}

} // namespace lockstep::compiler
