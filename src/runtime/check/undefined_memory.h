// Which bits of memory objects are defined, while undefined values are looked for: of buffers whose memory is ours, and of
// allocations. All other memory counts as defined.
//
// Beside such a buffer lies a plane of its size, with a 1 for each bit that was written; the system gives pages of it when
// they are used. Kernels read and write it themselves (compiler/memory_check_abi.h), and commands that copy copy it too;
// what others write, and what the program maps for writing, counts as defined from then on. Of allocations that the program can
// write at any time it is found out when somebody reads what is not known to be defined (written_by_host.h).
//
// Where there is no memory for a plane, launches that touch what it is of fail: they cannot be checked.
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

  void add(Buffer &buffer, bool is_hosts = false);
  // From an address to where its plane has it; 0: it has none.
  uint64_t distance(const void *address) const;
  // Of memory that the program can write at any time: looks for what it has written there. Others read it.
  void look_for_writes(const std::byte *begin, std::size_t size);
  // Bytes of the object at an address, if there was no memory for its plane; else 0.
  std::size_t size_without_plane(const void *address) const;
  // Of a launch that touches it, which is told as a finding, too.
  static Error no_memory(const std::string &kernel, std::size_t size);
  // All of what lies at an address, if it has a plane.
  std::span<const std::byte> object_at(const void *address) const;
  // Are all bytes of it defined? Of what was looked through as a whole it is known until launches may write there, or
  // commands that copy. `by_name_alone`: it is no allocation, which pointers from elsewhere may reach.
  bool is_defined(const MemoryView &memory, bool by_name_alone);
  void may_be_written(const void *address);
  void any_may_be_written(); // by pointers from elsewhere
  void define(const std::byte *begin, std::size_t size);
  void copy(const std::byte *to, const std::byte *from, std::size_t size);

private:
  class WrittenByCommands;
  class Plane;
  // Addresses of which the same is known.
  struct Stretch {
    uintptr_t begin = 0, end = 0;
    uint64_t distance = 0;
    Plane *plane = nullptr;
    std::size_t size_without_plane = 0;
    bool is_hosts = false;
  };
  Stretch stretch_of(const void *address) const; // looks first at what this thread has found before
  Stretch look_up(uintptr_t address) const;      // with the lock
  mutable std::shared_mutex mutex_;
  std::atomic<uint64_t> changes_ = 1; // of planes_
  std::atomic<uint64_t> writes_anywhere_ = 1;
  std::map<uintptr_t, Plane *> planes_; // by the first byte of what they are of
};

// A buffer has been made without data, or with so many bytes of it; with data.
void contents_are_undefined(Buffer &buffer, std::size_t known_bytes = 0);
void contents_are_defined(Buffer &buffer);
// An allocation that the program can write at any time has been made.
void contents_are_hosts(Buffer &buffer);
// The program has been given bytes of a buffer to write by a host accessor of SYCL: as if it had mapped them.
void host_may_write(std::span<const std::byte> memory);

} // namespace lockstep::runtime
