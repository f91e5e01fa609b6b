// What reports of SYCL programs say otherwise than those of OpenCL: they name barriers, orders and scopes as SYCL does, memory
// by the captured variable that leads there, and ids with the dimension first that SYCL has first.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lockstep::runtime {

struct Access;

// Kernels of SYCL alone have titles.
inline bool is_sycl(const compiler::KernelInfo &kernel) {
  return !kernel.title.empty();
}
inline const std::string &shown_name(const compiler::KernelInfo &kernel) {
  return is_sycl(kernel) ? kernel.title : kernel.name;
}

// A sentence that has OpenCL's words: "memory_scope_device would do" is "memory_scope::device would do".
std::string in_words_of_sycl(std::string text);

// An allocation, or a buffer that the launch has accessors of.
struct SharedMemory {
  uintptr_t begin = 0;
  std::size_t size = 0;
  std::string text; // "an allocation of 1024 bytes (malloc_device)"
};
std::optional<SharedMemory> shared_memory_at(uintptr_t address, std::span<const Access> accesses);

// What the function object of a launch has captured.
class Captured {
public:
  // `block`: the launch's arguments.
  Captured(const compiler::KernelInfo &kernel, const void *block, std::span<const Access> accesses)
      : kernel_(kernel), block_(static_cast<const std::byte *>(block)), accesses_(accesses) {}

  // By the number of a site (CheckSite::member); null: the program has no name for it.
  const compiler::FunctionMember *at(uint32_t site_member) const;
  // The pointer that stands there.
  uintptr_t pointer_at(uint32_t site_member) const;
  // The only one that leads to this memory; null: there are several, or none.
  const compiler::FunctionMember *leading_to(const SharedMemory &memory) const;
  // "accessor 'out'", "'values'".
  static std::string text_of(const compiler::FunctionMember &member);
  // With names instead of "#16".
  std::string with_names(std::string text) const;

private:
  uintptr_t word_at(std::size_t byte) const;
  const compiler::KernelInfo &kernel_;
  const std::byte *block_;
  std::span<const Access> accesses_;
};

} // namespace lockstep::runtime
