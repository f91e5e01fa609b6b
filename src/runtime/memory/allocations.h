// Memory that the program shares with kernels by its address: OpenCL's shared virtual memory, and
// unified shared memory of SYCL and of Intel's extension.
//
// An allocation is a Buffer whose address the program knows, so copies, maps and reports treat it
// like any buffer. This file adds the lookup from any address inside an allocation to the
// allocation: O(log n), and one atomic load while the process has no allocation.
//
// Use in a front end (OpenCL, SYCL):
//
//   auto made = Allocations::instance().allocate({.kind = AllocationKind::shared, .size = bytes,
//                                                 .account = device->memory(), .device = device,
//                                                 .owner = context});
//   void *pointer = (*made)->begin();
//   auto known = Allocations::instance().find(pointer + 4);    // null: memory of the host
//   Allocations::instance().remove(pointer);                   // free
//   MemoryView view = view_at(pointer, bytes);                 // for Copy, Fill and accesses
//   LaunchArguments{..., .reach = all_allocations};            // pointers hidden in arguments
//
// Freed memory stays allocated until the commands that name it (Operation::accesses) are settled.
#pragma once

#include "runtime/memory/access.h"
#include "runtime/memory/buffer.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace lockstep::runtime {

class Device;

enum class AllocationKind : uint8_t {
  coarse_svm, // OpenCL: the host accesses it only while it is mapped
  fine_svm,   // OpenCL: the host and kernels access it at the same time
  device,     // kernels and commands only
  host,       // the host and kernels, at the same time
  shared,     // like `host`
  buffer,     // a memory object whose address was given to the program
};
inline constexpr std::size_t allocation_kinds = 6;

// Sets of kinds: allocations that a launch can reach by pointers that are not among its accesses.
using AllocationKinds = uint8_t;
constexpr AllocationKinds set_of(AllocationKind kind) {
  return AllocationKinds(1u << unsigned(kind));
}
inline constexpr AllocationKinds all_allocations = (1u << allocation_kinds) - 1;

// The host may write it while a kernel runs, so no command can assume that its contents stay
// unchanged.
constexpr bool is_hosts_at_any_time(AllocationKind kind) {
  return kind == AllocationKind::fine_svm || kind == AllocationKind::host ||
         kind == AllocationKind::shared;
}

struct AllocationRequest {
  AllocationKind kind = AllocationKind::shared;
  std::size_t size = 0;      // not 0
  std::size_t alignment = 0; // a power of two; 0: that of the largest OpenCL type
  std::shared_ptr<MemoryAccount> account{};
  std::shared_ptr<Device> device{}; // the device that it belongs to; may be null
  // Null: memory of the host. Otherwise that of this space for AllocationKind::device, and memory
  // of the host that its devices can access for other kinds.
  std::shared_ptr<MemorySpace> space{};
  // Memory of the host that devices with unified addresses use as well, once one of them has
  // started: no device starts for it (pin_for). `space` is null.
  bool is_for_later_devices = false;
  // The object (a context) that it belongs to: kept alive and compared only.
  std::shared_ptr<const void> owner{};
  uint64_t flags = 0;                 // for the front end's queries
  std::shared_ptr<const void> note{}; // further data for the front end's queries
};

struct Allocation {
  AllocationKind kind;
  std::size_t alignment; // as requested
  std::shared_ptr<Buffer> memory;
  std::shared_ptr<Device> device;
  bool is_for_later_devices;
  std::shared_ptr<const void> owner;
  uint64_t flags;
  std::shared_ptr<const void> note;

  std::byte *begin() const { return memory->data(); }
  std::size_t size() const { return memory->size(); }
  bool holds(const void *address, std::size_t bytes) const {
    const std::size_t offset =
        reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin());
    return offset <= size() && bytes <= size() - offset;
  }
};

class Allocations {
public:
  using Known = std::shared_ptr<const Allocation>;
  static Allocations &instance(); // never destroyed: programs free memory as they end

  // ErrorKind::invalid_argument: the size is 0, or the alignment is not a power of two;
  // out_of_host_memory: beyond the account's limit, or the system has no memory; unsupported: an
  // alignment beyond that of the space's memory; out_of_resources: the space has no memory left.
  Result<Known> allocate(const AllocationRequest &request);
  // Registers an existing buffer. False: a registered allocation begins at the same address.
  bool add(std::shared_ptr<Buffer> buffer);
  // The allocation that contains the byte at `address`. Null: none.
  Known find(const void *address) const;
  // Unregisters and returns the allocation that begins at `begin`. Null: none does.
  Known remove(const void *begin);
  // The function is called with each removed allocation (bounds/released_memory.h).
  using Removal = void (*)(const Known &);
  void on_removal(Removal removed) { on_removal_.store(removed); }
  // A device of this space starts, which has unified addresses. Pins the allocations that are for
  // later devices; from now on, such memory is pinned when it is allocated.
  // ErrorKind::out_of_resources: some are not pinned.
  Result<void> pin_for(const std::shared_ptr<MemorySpace> &space);
  bool any() const { return count_.load(std::memory_order_acquire) != 0; }
  // While the version is unchanged, earlier lookups stay valid. Never 0.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  bool add(Known known);
  std::shared_ptr<MemorySpace> pinning_space() const;
  Result<void> pin(const Allocation &allocation, MemorySpace &space);
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Known> by_address_;      // by the first byte
  std::shared_ptr<MemorySpace> pinning_space_; // null: no device has called pin_for()
  std::mutex pin_mutex_;
  std::atomic<std::size_t> count_{0};
  std::atomic<uint64_t> version_ = 1;
  std::atomic<Removal> on_removal_{nullptr};
};

// ErrorKind::invalid_argument: the range begins in memory of a device, and goes beyond that
// allocation. For host memory nothing is known.
Result<void> check_range(const void *address, std::size_t size);

// A view of the allocation that contains the whole range, else of host memory.
MemoryView view_at(const void *address, std::size_t size);

// Counts launches that reach allocations without naming them, while they exist.
class CountsReach {
public:
  explicit CountsReach(AllocationKinds kinds);
  ~CountsReach();
  CountsReach(const CountsReach &) = delete;
  CountsReach &operator=(const CountsReach &) = delete;
  AllocationKinds kinds() const { return kinds_; }
  static unsigned count(AllocationKind kind) { return counts_[unsigned(kind)].load(); }

private:
  const AllocationKinds kinds_;
  static constinit std::array<std::atomic<unsigned>, allocation_kinds> counts_;
};

} // namespace lockstep::runtime
