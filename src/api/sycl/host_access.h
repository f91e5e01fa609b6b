// Host accessors, and detection of waits that they block forever.
//
// A host accessor owns its memory as long as it lives: commands that need the memory wait. A thread
// that has an accessor and waits for such a command waits for itself. Such a wait is detected after
// some time and reported. If no other thread of the program can destroy the accessor, the wait ends
// with an exception.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/graph/command_queue.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include "sycl/detail/library.hpp"

#include <memory>
#include <vector>

namespace lockstep::sycl_api {

// The host has exclusive use of a buffer's memory until this object is destroyed, which settles the
// command `until`.
class HostAccess final : public sycl::detail::host_access_interface {
public:
  explicit HostAccess(runtime::CommandRef until);
  ~HostAccess() override;
  void open(std::unique_ptr<runtime::HostRegion> seen) { seen_ = std::move(seen); }
  void *as_host_sees(void *memory) override {
    return runtime::memory_observer().as_host_sees(static_cast<std::byte *>(memory));
  }

private:
  const runtime::CommandRef until_;
  std::unique_ptr<runtime::HostRegion> seen_; // null: not checked
};

// Wait until the commands are settled. Throw errc::invalid if that is impossible.
void wait_on_host(const std::vector<runtime::CommandRef> &commands);
void wait_on_host(const runtime::CommandRef &command);
// Waits for all enqueued commands.
void finish_on_host(runtime::CommandQueue &queue);

} // namespace lockstep::sycl_api
