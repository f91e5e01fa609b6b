// What the NVIDIA back end makes of one kernel: PTX text, and what a launch must know about it.
// Plain data: the runtime reads it, and the disk cache stores it.
#pragma once

#include "support/fields.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

// How the kernel is launched. A launch without offset, all of whose work-groups have the same size,
// uses `plain` code. For any other launch the runtime uses `general` code: it may split the launch
// into several CUDA launches with groups of one size each, and says by parameters which part of the
// launch each of them is. In the numbered variants, the groups of a CUDA launch get their ids in the
// order in which they begin: a group may wait for those with lower numbers.
enum class PtxVariant : uint8_t { plain, general, numbered, numbered_general };

constexpr bool is_general(PtxVariant variant) {
  return variant == PtxVariant::general || variant == PtxVariant::numbered_general;
}
constexpr bool is_numbered(PtxVariant variant) {
  return variant == PtxVariant::numbered || variant == PtxVariant::numbered_general;
}
constexpr PtxVariant numbered(PtxVariant variant) {
  return is_general(variant) ? PtxVariant::numbered_general : PtxVariant::numbered;
}

enum class PtxParameterKind : uint8_t {
  value,        // `size` bytes of the argument block, from KernelArg::offset on
  pointer,      // a device address
  local_offset, // uint32_t: where the argument's local memory begins in dynamic shared memory
  // Parameters that no argument corresponds to. uint64_t, of dimension `index`; `general` code only.
  global_offset,
  group_base, // the group id of CUDA's block 0
  num_groups, // of the whole launch
  enqueued_local_size,
  global_size,
  work_dim,      // uint32_t
  variables,     // the device address of the program-scope variables (PtxVariables)
  printf_buffer, // the device address of a PrintfBufferHeader
  group_counter, // the device address of a uint32_t that is 0; numbered code only
};

struct PtxParameter {
  PtxParameterKind kind = PtxParameterKind::value;
  uint32_t index = 0; // of the argument, or the dimension
  uint32_t size = 0;  // bytes
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
  std::vector<std::string> printf_formats; // by PrintfRecordHeader::format
  std::vector<std::string> remarks;
};

// The program-scope variables of a program: one block of device memory for all of its kernels. The
// word at byte `place` of `bytes` is to be increased by the block's device address.
struct PtxVariables {
  std::string bytes;               // empty: the program has none
  std::vector<uint64_t> addresses; // places of words that hold an offset in the block
};

// The printf buffer: this header, then records. A kernel reserves a record by an atomic addition to
// `used`. Where a record would end after `capacity`, it is not written, and printf returns -1.
// `used` may exceed `capacity` then.
struct PrintfBufferHeader {
  uint32_t capacity = 0; // bytes of records
  uint32_t used = 0;
};
struct PrintfRecordHeader {
  uint32_t size = 0;   // bytes with this header, a multiple of 8
  uint32_t format = 0; // index of PtxCode::printf_formats
  // The packed arguments follow, as __lockstep_printf takes them (docs/kernel_ir.md).
};

void visit_fields(auto &visit, FieldsOf<PtxParameter> auto &parameter) {
  visit(parameter.kind, parameter.index, parameter.size);
}
void visit_fields(auto &visit, FieldsOf<PtxCode> auto &code) {
  visit(code.text, code.entry, code.parameters, code.static_shared, code.uses_dynamic_shared,
        code.groups_wait, code.local_size, code.printf_formats, code.remarks);
}

} // namespace lockstep::compiler
