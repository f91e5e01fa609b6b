// Names in messages about a launch, of OpenCL's and of SYCL's kernels: the kernel, the memory at an
// address, and the variable of a SYCL function object that leads to it.
#pragma once

#include "kernel_ir/kernel_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lockstep::runtime {

class Launch;
struct Access;

// Only SYCL kernels have titles.
inline bool is_sycl(const compiler::KernelInfo &kernel) {
  return !kernel.title.empty();
}
inline const std::string &shown_name(const compiler::KernelInfo &kernel) {
  return is_sycl(kernel) ? kernel.title : kernel.name;
}

// An allocation, or a buffer for which the launch has accessors.
struct SharedMemory {
  uintptr_t begin = 0;
  std::size_t size = 0;
  std::string text; // "an allocation of 1024 bytes (malloc_device)"
};
std::optional<SharedMemory> shared_memory_at(uintptr_t address, std::span<const Access> accesses);

// The argument, or the captured variable, by which a launch reaches the memory of one of its
// accesses: "'out'", "accessor 'in'"; empty: not known.
std::string name_of_access(const Launch &launch, const Access &access);

// The variables that a launch's function object has captured.
class Captured {
public:
  // `block`: the launch's arguments.
  Captured(const compiler::KernelInfo &kernel, const void *block, std::span<const Access> accesses)
      : kernel_(kernel), block_(static_cast<const std::byte *>(block)), accesses_(accesses) {}

  // By the number in a site (CheckSite::member); null: the program has no name for it.
  const compiler::FunctionMember *at(uint32_t site_member) const;
  // The value of that pointer.
  uintptr_t pointer_at(uint32_t site_member) const;
  // The only variable that leads to this memory; null: several, or none.
  const compiler::FunctionMember *leading_to(const SharedMemory &memory) const;
  // "accessor 'out'", "'values'".
  static std::string text_of(const compiler::FunctionMember &member);
  // Replaces "#16" by the variable's name.
  std::string with_names(std::string text) const;

private:
  uintptr_t word_at(std::size_t byte) const;
  const compiler::KernelInfo &kernel_;
  const std::byte *block_;
  std::span<const Access> accesses_;
};

} // namespace lockstep::runtime
