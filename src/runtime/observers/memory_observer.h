// What a checker observes of memory: its contents, and which of it the program may access. Without
// a check, memory_observer() does nothing: this class is the null object. src/runtime/check
// implements it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace lockstep::runtime {

class Buffer;
class MemoryView;
struct AllocationRequest;

// While it exists, the program may access a part of a buffer.
class HostRegion {
public:
  virtual ~HostRegion() = default;
};

// Host memory that a SYCL buffer was made of, and that belongs to the buffer until it ends.
class LentHostMemory {
public:
  // Ends the loan, if it has not ended.
  virtual ~LentHostMemory() = default;
  // A command has updated the memory for the program, which may access it from now on.
  virtual void show() = 0;
  // The buffer ends. Reports writes by the program.
  virtual void give_back() = 0;
};

class MemoryObserver {
public:
  virtual ~MemoryObserver() = default;

  // Memory for a buffer without data of the program. Null: the observer wants no special memory.
  virtual std::shared_ptr<std::byte> memory_for_buffer(std::size_t /*size*/) { return nullptr; }
  // The same for an allocation.
  virtual std::shared_ptr<std::byte> memory_for_allocation(const AllocationRequest &) {
    return nullptr;
  }

  // Called once for each new buffer whose contents can be observed. The first `known_bytes` are
  // defined.
  virtual void contents_are_undefined(Buffer &, std::size_t /*known_bytes*/) {}
  virtual void contents_are_defined(Buffer &) {}
  // The program can write the memory at any time.
  virtual void contents_are_hosts(Buffer &) {}
  // The program or a host task may write these bytes from now on.
  virtual void host_may_write(std::span<const std::byte>) {}
  // Whether host_may_write() has an effect.
  virtual bool observes_contents() const { return false; }
  // Whether all bytes are defined. `by_name_alone`: it is not an allocation.
  virtual bool is_defined(const MemoryView &, bool /*by_name_alone*/) { return true; }
  // The whole observed object at an address; empty: there is none.
  virtual std::span<const std::byte> object_at(const void *) const { return {}; }

  // Convert between the addresses for commands and for the program.
  virtual std::byte *as_host_sees(std::byte *memory) const { return memory; }
  virtual const std::byte *as_commands_see(const void *seen) const {
    return static_cast<const std::byte *>(seen);
  }
  // A host_accessor gives the program these bytes, at their address for commands. Null: the
  // accesses of the program are not observed.
  virtual std::unique_ptr<HostRegion> open_for_host(std::span<const std::byte>,
                                                    bool /*for_writing*/) {
    return nullptr;
  }

  // Whether a SYCL buffer made of this host memory must use memory of its own, and lend() it.
  virtual bool wants_to_lend(const void *) const { return false; }
  // Null: another buffer has this memory.
  virtual std::unique_ptr<LentHostMemory> lend(void *, std::size_t /*size*/) { return nullptr; }
};

} // namespace lockstep::runtime
