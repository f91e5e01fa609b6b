// Which bits of memory objects are defined, while undefined values are looked for: of buffers that began without data.
// All other memory counts as defined.
//
// Beside such a buffer lies a plane of its size, with a 1 for each bit that was written; the system gives pages of it when
// they are used. Kernels read and write it themselves (compiler/memory_check_abi.h); what other commands write, and what
// the program maps for writing, counts as defined from then on.
#pragma once

#include "runtime/memory/buffer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

namespace lockstep::runtime {

class UndefinedMemory {
public:
  static void start(); // once, before the first command
  static UndefinedMemory &instance();

  void add(Buffer &buffer);
  // From an address to where its plane has it; 0: it has none.
  uint64_t distance(const void *address) const;
  void define(const std::byte *begin, std::size_t size);

private:
  class WrittenByCommands;
  class Plane;
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, const Plane *> planes_; // by the first byte of what they are of
};

// A buffer has been made without data.
void contents_are_undefined(Buffer &buffer);

} // namespace lockstep::runtime
