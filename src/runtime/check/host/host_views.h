// Detects accesses by the program to buffer memory that it has not mapped (API 5.5.3), while
// commands are checked.
//
// Such a buffer's memory has two views: one for kernels and commands, and one that maps give to the
// program. The second view is closed except for mapped parts. An access is reported with its source
// place, if there is debug information. The program continues: the page is open until the next map
// or unmap of the buffer. Page protection applies to all threads, and works on every CPU.
//
// Shared virtual memory that the program has to map (coarse-grained: API 5.6.1) and device USM,
// which the program must not access, have one address for both. They are closed by protection keys
// (protection_keys.h), if the CPU has them.
//
// The program's own memory (CL_MEM_USE_HOST_PTR) has one view: other objects may share its pages.
#pragma once

#include "runtime/observers/memory_observer.h"

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

  // Memory with two views, for a buffer. Null: the system refuses.
  static std::shared_ptr<std::byte> allocate(std::size_t size);
  // The same for an allocation whose address the program knows. Null: no protection keys, or the
  // system gives no more mappings.
  static std::shared_ptr<std::byte> allocate_closed(const AllocationRequest &request);
  // Convert between the addresses for commands and for the program; identity if there is one view.
  std::byte *of_host(std::byte *memory) const;
  const std::byte *of_commands(const void *seen) const;
  // Memory that the program may access only while it has mapped it, or has an accessor; at its
  // address for commands.
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

  // By first byte; guarded by the mutex of ClosedMemory.
  std::map<uintptr_t, View *> by_memory_, by_host_;
};

// While it exists, a host_accessor may access these bytes; at their address for commands.
class OpenForHost final : public HostRegion {
public:
  explicit OpenForHost(const HostViews::Opened &region) : region_(region) {
    HostViews::instance().open(region_);
  }
  ~OpenForHost() override { HostViews::instance().close(region_); }
  OpenForHost(const OpenForHost &) = delete;
  OpenForHost &operator=(const OpenForHost &) = delete;

private:
  const HostViews::Opened region_;
};

} // namespace lockstep::runtime
