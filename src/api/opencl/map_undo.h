// Reverts the change that a map or unmap request made to the record of mapped regions
// (mapped_regions.h). enqueue() calls it if there is no memory for the command or its event: then
// the call must not have mapped or unmapped anything.
#pragma once

#include "runtime/memory/buffer.h"

#include <memory>
#include <new>
#include <utility>

namespace lockstep::opencl {

class MapUndo {
public:
  void has_added(std::shared_ptr<runtime::Buffer> to, const runtime::MappedRegion &region) {
    *this = MapUndo(std::move(to), region, true);
  }
  void has_removed(std::shared_ptr<runtime::Buffer> from, const runtime::MappedRegion &region) {
    *this = MapUndo(std::move(from), region, false);
  }
  void operator()() const noexcept {
    if (!buffer_)
      return;
    if (was_added_) {
      buffer_->mapped().remove(region_.memory, region_.begin);
      return;
    }
    try {
      (void)buffer_->mapped().add(region_); // the record usually still has capacity for it
    } catch (const std::bad_alloc &) {      // another thread used that capacity
    }
  }
  MapUndo() = default;

private:
  MapUndo(std::shared_ptr<runtime::Buffer> buffer, const runtime::MappedRegion &region,
          bool was_added)
      : buffer_(std::move(buffer)), region_(region), was_added_(was_added) {}

  std::shared_ptr<runtime::Buffer> buffer_; // null: nothing to revert
  runtime::MappedRegion region_{};
  bool was_added_ = false;
};

} // namespace lockstep::opencl
