// What the program does with memory of buffers that it has not mapped (API 5.5.3), while commands are looked at.
//
// Such a buffer's memory is seen twice: where kernels and commands use it, and where the program is given it by a map. The
// second view is closed but for what is mapped; who touches it is told of, with the place in the program's source where debug
// information says it, and goes on: the page is open then, until the next map or unmap of the buffer. A view of pages keeps
// out all threads alike, whatever has started them, and needs nothing of the CPU.
//
// Shared virtual memory that the program has to map (coarse-grained: API 5.6.1) and memory of a device (USM), which is never the
// program's, have one address for both: they are closed by protection keys (protection_keys.h), where the CPU has them.
//
// The program's own memory (CL_MEM_USE_HOST_PTR) is seen once: what lies beside it on its pages is nobody's business here.
#pragma once

#include "runtime/memory/buffer.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::runtime {

struct AllocationRequest;

class HostViews {
public:
  static void start(); // once, before the first command
  static HostViews &instance();

  // A buffer with two views, or, if the system gives none, with one, as Buffer::allocate.
  static Result<std::shared_ptr<Buffer>> allocate(std::shared_ptr<MemoryAccount> account,
                                                  std::size_t size);
  // The same for an allocation that the program has the address of. Null: there are no keys, or no memory of its own for it.
  static Result<std::shared_ptr<Buffer>> allocate_closed(const AllocationRequest &request);
  // From where commands use memory to where the program sees it, and back; the same where there is one view.
  std::byte *of_host(std::byte *memory) const;
  const std::byte *of_commands(const void *seen) const;
  // What the program sees of a buffer only while it has mapped it, or an accessor gives it; where commands use it.
  struct Shown {
    const std::byte *begin;
    std::size_t size;
    bool by_accessors;
  };
  std::optional<Shown> shown_at(const std::byte *memory) const;
  bool is_open(const std::byte *memory, std::size_t size, bool for_writing) const;

  struct Opened {
    const std::byte *begin;
    std::size_t size;
    bool for_writing;
    bool by_accessor = false; // of SYCL
  };
  void open(const Opened &region);
  void close(const Opened &region);

private:
  class View;
  class Maps;
  const View *find(const std::map<uintptr_t, View *> &by, const void *address) const;

  std::map<uintptr_t, View *> by_memory_,
      by_host_; // by their first bytes; guarded by that of ClosedMemory
};

// A host_accessor has these bytes, where commands use them, while this lives.
class OpenForHost {
public:
  explicit OpenForHost(const HostViews::Opened &region) : region_(region) {
    HostViews::instance().open(region_);
  }
  ~OpenForHost() { HostViews::instance().close(region_); }
  OpenForHost(const OpenForHost &) = delete;
  OpenForHost &operator=(const OpenForHost &) = delete;

private:
  const HostViews::Opened region_;
};

bool commands_are_checked();
// A buffer without data of the program: as HostViews::allocate where that is looked at.
Result<std::shared_ptr<Buffer>> allocate_buffer(std::shared_ptr<MemoryAccount> account,
                                                std::size_t size);
// Memory for an allocation: closed to the program where that is looked at.
Result<std::shared_ptr<Buffer>> allocate_memory(const AllocationRequest &request);
// As HostViews::of_host and of_commands.
std::byte *as_host_sees(std::byte *memory);
const std::byte *as_commands_see(const void *seen);

} // namespace lockstep::runtime
