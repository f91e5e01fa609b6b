// Host accessors, and waits that cannot end because of them.
//
// A host accessor has its memory as long as it lives: commands that need it wait. A thread that has one and waits for such
// a command waits for itself. That is seen when the wait has lasted a while: it is told, and where no other thread of the
// program could destroy the accessor, the wait ends with an exception.
#pragma once

#include "runtime/check/host_views.h"
#include "runtime/graph/command.h"
#include "runtime/graph/command_queue.h"

#include "sycl/detail/library.hpp"

#include <memory>
#include <vector>

namespace lockstep::sycl_api {

// The host has the memory of a buffer until this ends, which settles a command.
class HostAccess final : public sycl::detail::host_access_interface {
public:
  explicit HostAccess(runtime::CommandRef until);
  ~HostAccess() override;
  void open(std::unique_ptr<runtime::OpenForHost> seen) { seen_ = std::move(seen); }
  void *as_host_sees(void *memory) override {
    return runtime::as_host_sees(static_cast<std::byte *>(memory));
  }

private:
  const runtime::CommandRef until_;
  std::unique_ptr<runtime::OpenForHost> seen_; // null: nobody looks
};

// Waits until they are settled. Throws errc::invalid if that cannot be.
void wait_on_host(const std::vector<runtime::CommandRef> &commands);
void wait_on_host(const runtime::CommandRef &command);
// For all that were enqueued.
void finish_on_host(runtime::CommandQueue &queue);

} // namespace lockstep::sycl_api
