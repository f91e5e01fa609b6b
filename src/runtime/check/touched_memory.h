// Which bytes of allocations (SVM, USM) a launch has touched by addresses that its code has from anywhere, such as the
// function object of a SYCL kernel. What follows from its arguments the code says itself (suppositions.h).
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/suppositions.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace lockstep::runtime {

class TouchedMemory {
public:
  TouchedMemory();
  ~TouchedMemory();
  TouchedMemory(const TouchedMemory &) = delete;
  TouchedMemory &operator=(const TouchedMemory &) = delete;

  // By lanes, as CheckHooks::access.
  void touch(const compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes);
  void touch(const compiler::CheckSite &site, const void *address, std::size_t size);
  // When the launch has ended. Few long rows of bytes; where there are many, all that lies between the first and the last.
  std::vector<ReachedBytes> reached() const;

private:
  class Object;
  Object *object_at(const void *address);

  const uint64_t number_; // of all in this process
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Object>> objects_;
};

} // namespace lockstep::runtime
