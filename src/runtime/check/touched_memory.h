// Which bytes a launch has touched, of what it was given and of allocations (SVM, USM): its code marks them, or tells of
// accesses that are not by an argument (CodeOptions::check_commands).
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/certain_touches.h"
#include "runtime/check/suppositions.h"
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

class TouchedMemory {
public:
  // Of the launch, and how many arguments its kernel has.
  TouchedMemory(std::span<const Access> accesses, std::size_t arguments);
  ~TouchedMemory();
  TouchedMemory(const TouchedMemory &) = delete;
  TouchedMemory &operator=(const TouchedMemory &) = delete;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // From now on take() tells the places of what the code tells of.
  void name_places();
  // By lanes, as CheckHooks::access.
  void touch(compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes);
  void touch(compiler::CheckSite &site, const void *address, std::size_t size);
  void touch(compiler::CheckSite &site, const void *address, const compiler::CopyShape &shape);
  void touch(compiler::TouchWay way, const TouchedRows &rows); // before it runs
  // Where the launch's code marks what it touches by an argument, as CheckHooks::plane. Throws std::bad_alloc, once.
  uint64_t plane(uint32_t number, compiler::TouchWay way, uint32_t unit, const void *origin);
  // When the launch has ended. Rows of bytes; of many only some, and beside them what lies between the first and the last.
  std::vector<ReachedBytes> reached() const;
  // All rows that were touched since the last time, while it runs; and of how many bytes it was looked whether they were.
  std::vector<ReachedBytes> take(uint64_t &looked_at);

private:
  class Object;
  Object *object_at(const void *address);
  void touch_rows(Object &object, compiler::TouchWay way, const std::byte *first,
                  const compiler::CopyShape &shape);

  static constexpr uint64_t nowhere = ~uint64_t(0);
  const uint64_t number_; // of all in this process
  using Place = std::atomic<uint64_t>;
  std::vector<Place, NodeAllocator<Place>> planes_; // by TouchPlaneNumber; 0: not asked for yet
  bool names_places_ = false;
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Object>> given_; // what the launch was given
  std::vector<std::unique_ptr<Object>> found_; // by addresses from anywhere
};

} // namespace lockstep::runtime
