// Which bytes a launch has touched, of what it was given and of allocations (SVM, USM): its code tells of each access
// (CodeOptions::check_commands).
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/suppositions.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <vector>

namespace lockstep::runtime {

class TouchedMemory {
public:
  explicit TouchedMemory(std::span<const Access> accesses); // of the launch
  ~TouchedMemory();
  TouchedMemory(const TouchedMemory &) = delete;
  TouchedMemory &operator=(const TouchedMemory &) = delete;

  // By lanes, as CheckHooks::access.
  void touch(const compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes);
  void touch(const compiler::CheckSite &site, const void *address, std::size_t size);
  // When the launch has ended. Rows of bytes; of many only some, and beside them what lies between the first and the last.
  std::vector<ReachedBytes> reached() const;

private:
  class Object;
  Object *object_at(const void *address);

  const uint64_t number_; // of all in this process
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Object>> given_; // what the launch was given
  std::vector<std::unique_ptr<Object>> found_; // by addresses from anywhere
};

} // namespace lockstep::runtime
