// Definedness of memory objects, while undefined values are checked: of buffers in our memory, and
// of allocations. All other memory counts as defined.
//
// Each object has shadow memory of its size, with a 1 for each bit that was written; the system
// allocates its pages on use. Kernels read and write the shadow memory themselves
// (abi/memory_check_abi.h), and copy commands copy it. Memory that other commands write, or that
// the program maps for writing, counts as defined from then on. In allocations that the program can
// write at any time, a read of undefined bits looks for the program's writes (written_by_host.h).
//
// Without memory for it, launches that access the object fail, because they cannot be checked.
#pragma once

#include "runtime/memory/access.h"
#include "runtime/memory/buffer.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>

namespace lockstep::runtime {

class UndefinedMemory {
public:
  static void start(); // once, before the first command
  static UndefinedMemory &instance();

  // `is_hosts`: the program can write it at any time.
  void add(Buffer &buffer, bool is_hosts = false);
  // The distance from an address to its shadow bits; 0: no shadow memory.
  uint64_t distance(const void *address) const;
  // Looks for the program's writes in memory that it can write at any time. Has no effect on other
  // memory.
  void look_for_writes(const std::byte *begin, std::size_t size);
  // Size of the object at an address, if there was no memory for its shadow; otherwise 0.
  std::size_t size_without_shadow(const void *address) const;
  // The error of a launch that accesses it; also reported as a finding.
  static Error no_memory(const std::string &kernel, std::size_t size);
  // The whole object at an address, if it has shadow memory.
  std::span<const std::byte> object_at(const void *address) const;
  // Whether all bytes are defined. The result for a whole object is cached until launches or copy
  // commands may write there. `by_name_alone`: not an allocation, so that pointers from elsewhere
  // cannot reach it.
  bool is_defined(const MemoryView &memory, bool by_name_alone);
  void may_be_written(const void *address);
  void any_may_be_written(); // by pointers from elsewhere
  void define(const std::byte *begin, std::size_t size);
  void copy(const std::byte *to, const std::byte *from, std::size_t size);

private:
  class WrittenByCommands;
  class ObjectShadow;
  // A range of addresses with the same properties.
  struct Stretch {
    uintptr_t begin = 0, end = 0;
    uint64_t distance = 0;
    ObjectShadow *shadow = nullptr;
    std::size_t size_without_shadow = 0;
    bool is_hosts = false;
  };
  Stretch stretch_of(const void *address) const; // checks this thread's cache first
  Stretch look_up(uintptr_t address) const;      // requires the lock
  mutable std::shared_mutex mutex_;
  std::atomic<uint64_t> changes_ = 1; // changes of planes_
  std::atomic<uint64_t> writes_anywhere_ = 1;
  std::map<uintptr_t, ObjectShadow *> shadows_; // by the first byte of the object
};

} // namespace lockstep::runtime
