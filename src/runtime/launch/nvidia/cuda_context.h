// The context of one card: all memory, code and streams of Lockstep on the card belong to it. It is
// CUDA's primary context, which other libraries of the process use as well.
#pragma once

#include "runtime/launch/nvidia/cuda_driver.h"
#include "runtime/launch/nvidia/graphs_of_card.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

// Kernels that may wait for what the program has yet to do. Some calls of the driver return only
// when all kernels have ended, so none of these may be on the card meanwhile.
class WaitingKernels {
public:
  virtual bool are_on_card() const = 0;
  // Returns when none is on the card, or at once on a thread that is enqueuing one. They come back
  // after as many calls of resume().
  virtual void pause() = 0;
  virtual void resume() = 0;

protected:
  ~WaitingKernels() = default;
};

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

  // May be called once, before the other functions that follow. `kernels` is never destroyed.
  void set_waiting_kernels(WaitingKernels &kernels) { waiting_kernels_ = &kernels; }

  // During its lifetime, no kernel on the card waits.
  class WithoutWaitingKernels {
  public:
    explicit WithoutWaitingKernels(const CudaContext &context);
    ~WithoutWaitingKernels();
    WithoutWaitingKernels(const WithoutWaitingKernels &) = delete;
    WithoutWaitingKernels &operator=(const WithoutWaitingKernels &) = delete;

  private:
    const CudaContext &context_;
  };

  // Calls the function, which frees something: now, or when no kernel on the card waits.
  void free_without_waiting_kernels(std::function<void()> free);
  // Frees what these calls have left, unless a kernel on the card waits. The context is current.
  void free_what_is_left();
  bool has_waiting_kernels() const { return waiting_kernels_ && waiting_kernels_->are_on_card(); }

  GraphsOfCard &graphs() { return graphs_; }

  // Null before start().
  cuda::Context *handle() const { return context_; }
  // Lets the card read the memory of another one directly, if the machine can. The context is
  // current, and both have started.
  void enable_access_to(const CudaContext &peer);

private:
  const std::shared_ptr<const CudaDriver> driver_;
  const CudaCard card_;
  WaitingKernels *waiting_kernels_ = nullptr;
  std::mutex mutex_;
  std::vector<std::function<void()>> left_to_free_;
  GraphsOfCard graphs_;
  std::mutex peers_mutex_;
  std::vector<const CudaContext *> peers_;         // of enable_access_to()
  std::atomic<cuda::Context *> context_ = nullptr; // null: not started
};

} // namespace lockstep::runtime
