// Memory that the program shares with kernels by its address: shared virtual memory of OpenCL,
// unified shared memory of SYCL and of Intel's extension.
//
// Such an allocation is a Buffer whose address the program is given; everything that is true of
// buffers holds for it, so copies, maps and reports need no second way. What is added is the look-up
// from an address, any that lies inside, to the allocation: O(log n), and nothing but one atomic
// load while the process has none.
//
// For a front end (OpenCL, SYCL):
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
// Memory that was freed stays until the commands that name it (Operation::accesses) are done.
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
#include <shared_mutex>

namespace lockstep::runtime {

class Device;

enum class AllocationKind : uint8_t {
  coarse_svm, // OpenCL: the host touches it only while it is mapped
  fine_svm,   // OpenCL: the host and kernels touch it at the same time
  device,     // kernels only, and commands
  host,       // the host and kernels, at the same time
  shared,     // the same
  buffer,     // a memory object whose address the program was told
};
inline constexpr std::size_t allocation_kinds = 6;

// Sets of kinds: what a launch can reach by pointers that are not among its accesses.
using AllocationKinds = uint8_t;
constexpr AllocationKinds set_of(AllocationKind kind) {
  return AllocationKinds(1u << unsigned(kind));
}
inline constexpr AllocationKinds all_allocations = (1u << allocation_kinds) - 1;

// The host may write it while a kernel runs, so that nobody can say that nobody will.
constexpr bool is_hosts_at_any_time(AllocationKind kind) {
  return kind == AllocationKind::fine_svm || kind == AllocationKind::host ||
         kind == AllocationKind::shared;
}

struct AllocationRequest {
  AllocationKind kind = AllocationKind::shared;
  std::size_t size = 0;      // not 0
  std::size_t alignment = 0; // a power of two; 0: that of the largest OpenCL type
  std::shared_ptr<MemoryAccount> account{};
  std::shared_ptr<Device> device{}; // that it belongs to; may be null
  // What it belongs to (a context): kept alive, compared, never looked into.
  std::shared_ptr<const void> owner{};
  uint64_t flags = 0;                 // the front end's own, for its queries
  std::shared_ptr<const void> note{}; // the same, of any size
};

struct Allocation {
  AllocationKind kind;
  std::size_t alignment; // as asked for
  std::shared_ptr<Buffer> memory;
  std::shared_ptr<Device> device;
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

  // ErrorKind::invalid_argument: no size, or an alignment that is no power of two;
  // out_of_host_memory: beyond the account's limit, or the system has no more.
  Result<Known> allocate(const AllocationRequest &request);
  // Makes a buffer known that was made otherwise. False: something is known that begins there.
  bool add(std::shared_ptr<Buffer> buffer);
  // The allocation that the byte at `address` belongs to. Null: none.
  Known find(const void *address) const;
  // The one that begins there, which is known no longer. Null: none does.
  Known remove(const void *begin);
  // Told of what is removed, if anybody wants to know (check/released_memory.h).
  using Removal = void (*)(const Known &);
  void tell_of_removals(Removal told) { told_of_removal_.store(told); }
  bool any() const { return count_.load(std::memory_order_acquire) != 0; }
  // What was found while this was the same is so still. Never 0.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  bool add(Known known);
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Known> by_address_; // by the first byte
  std::atomic<std::size_t> count_{0};
  std::atomic<uint64_t> version_ = 1;
  std::atomic<Removal> told_of_removal_{nullptr};
};

// As a command names them: of the allocation that holds all of them, else memory of the host.
MemoryView view_at(const void *address, std::size_t size);

// Launches that reach allocations without naming them, while they exist.
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
