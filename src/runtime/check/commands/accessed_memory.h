// The footprint of a launch: which bytes it has accessed of its arguments' memory and of
// allocations (SVM, USM). Its code marks them, or reports accesses that are not by an argument
// (CodeOptions::check_commands).
#pragma once

#include "abi/check_abi.h"
#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/assumptions/must_accesses.h"
#include "runtime/graph/node_memory.h"
#include "runtime/memory/access.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <vector>

namespace lockstep::runtime {

class AccessedMemory {
public:
  // `accesses`: memory of the launch; `arguments`: number of the kernel's arguments.
  AccessedMemory(std::span<const Access> accesses, std::size_t arguments);
  ~AccessedMemory();
  AccessedMemory(const AccessedMemory &) = delete;
  AccessedMemory &operator=(const AccessedMemory &) = delete;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // From now on take() returns source places, too.
  void record_sites();
  // By lanes, like CheckHooks::access.
  void record(compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes);
  void record(compiler::CheckSite &site, const void *address, std::size_t size);
  void record(compiler::CheckSite &site, const void *address, const compiler::CopyShape &shape);
  void record(compiler::FootprintKind kind, const AccessedRows &rows); // before the launch runs
  // The address where the launch's code marks accesses by an argument, as CheckHooks::footprint. Throws
  // std::bad_alloc at most once.
  uint64_t map(uint32_t number, compiler::FootprintKind kind, uint32_t unit, const void *origin);
  // Called after the launch has ended. Returns rows of bytes: of many only some exactly, plus the
  // range of the others.
  std::vector<ReachedBytes> reached() const;
  // Returns all rows accessed since the previous call, while the launch runs. Adds the number of
  // bytes examined to `looked_at`.
  std::vector<ReachedBytes> take(uint64_t &looked_at);

private:
  class Object;
  Object *object_at(const void *address);
  void record_rows(Object &object, compiler::FootprintKind kind, const std::byte *first,
                   const compiler::CopyShape &shape);

  static constexpr uint64_t nowhere = ~uint64_t(0);
  const uint64_t number_; // unique in this process
  using Place = std::atomic<uint64_t>;
  std::vector<Place, NodeAllocator<Place>> maps_; // by FootprintMapNumber; 0: not created yet
  bool records_sites_ = false;
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Object>> given_; // memory given to the launch
  std::vector<std::unique_ptr<Object>> found_; // memory found by other addresses
};

} // namespace lockstep::runtime
