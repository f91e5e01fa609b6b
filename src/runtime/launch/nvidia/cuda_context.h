// The context of one card: all memory, code and streams of Lockstep on the card belong to it. It is
// CUDA's primary context, which other libraries of the process use as well.
#pragma once

#include "runtime/launch/nvidia/cuda_driver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

namespace lockstep::runtime {

class CudaContext {
public:
  CudaContext(std::shared_ptr<const CudaDriver> driver, CudaCard card)
      : driver_(std::move(driver)), card_(std::move(card)) {}
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const CudaDriver &cuda() const { return *driver_; }
  const CudaCard &card() const { return card_; }

  // Must succeed before Use. ErrorKind::out_of_resources: a forked child, or the card has no memory
  // for a context.
  Result<void> start();

  // As CudaDriver::checked. After a fault all calls fail; then the message says what the program
  // can do.
  Result<void> checked(cuda::Status status, std::string_view call) const;

  // Makes the context current for this thread during its lifetime. The program may have another
  // context of its own.
  class Use {
  public:
    explicit Use(const CudaContext &context);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    const CudaContext &context_;
  };

private:
  const std::shared_ptr<const CudaDriver> driver_;
  const CudaCard card_;
  std::mutex mutex_;
  std::atomic<cuda::Context *> context_ = nullptr; // null: not started
};

} // namespace lockstep::runtime
