#include "runtime/launch/nvidia/cuda_context.h"

#include <algorithm>

namespace lockstep::runtime {

Result<void> CudaContext::start() {
  LOCKSTEP_TRY(driver_->check_process());
  if (context_)
    return {};
  const std::lock_guard lock(mutex_);
  if (context_)
    return {};
  cuda::Context *made = nullptr;
  LOCKSTEP_TRY(driver_->checked(driver_->retain_primary_context(&made, card_.device),
                                "making a context of " + card_.name));
  context_ = made;
  return {};
}

Result<void> CudaContext::checked(cuda::Status status, std::string_view call) const {
  auto result = driver_->checked(status, call);
  if (result || !CudaDriver::loses_context(status))
    return result;
  Error error = result.take_error();
  error.message += "; " + card_.name + " cannot be used in this process any more";
  return error;
}

CudaContext::WithoutWaitingKernels::WithoutWaitingKernels(const CudaContext &context)
    : context_(context) {
  if (context_.waiting_kernels_)
    context_.waiting_kernels_->pause();
}

CudaContext::WithoutWaitingKernels::~WithoutWaitingKernels() {
  if (context_.waiting_kernels_)
    context_.waiting_kernels_->resume();
}

void CudaContext::free_without_waiting_kernels(std::function<void()> free) {
  if (has_waiting_kernels()) {
    const std::lock_guard lock(mutex_);
    left_to_free_.push_back(std::move(free));
    return;
  }
  const Use use(*this);
  free();
}

void CudaContext::free_what_is_left() {
  if (has_waiting_kernels())
    return;
  std::vector<std::function<void()>> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(left_to_free_);
  }
  for (const std::function<void()> &free : left)
    free();
}

void CudaContext::enable_access_to(const CudaContext &peer) {
  const std::lock_guard lock(peers_mutex_);
  if (std::ranges::find(peers_, &peer) != peers_.end())
    return;
  int can_access = 0;
  if (cuda().can_access_peer(&can_access, card_.device, peer.card_.device) == cuda::success &&
      can_access) {
    const WithoutWaitingKernels alone(*this), peer_alone(peer); // the call may wait for kernels
    cuda().enable_peer_access(peer.context_, 0); // else the driver copies through the host's memory
  }
  peers_.push_back(&peer);
}

CudaContext::Use::Use(const CudaContext &context) : context_(context) {
  context_.cuda().push_context(context_.context_);
}

CudaContext::Use::~Use() {
  cuda::Context *popped = nullptr;
  context_.cuda().pop_context(&popped);
}

} // namespace lockstep::runtime
