// Buffers: memory of the runtime, who uses it, and where its contents go in the end.
#pragma once

#include "api/sycl/native_object.h"
#include "api/sycl/of_process.h"
#include "compiler/image_descriptor.h"
#include "runtime/memory/access_history.h"
#include "runtime/memory/buffer.h"

#include "sycl/detail/library.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace lockstep::runtime {
class LentMemory;
}

namespace lockstep::sycl_api {

class Context;

// What a buffer is beside its bytes if an image is made of it. Order and type are OpenCL's.
struct ShownImage {
  int dimensions = 1;
  uint32_t channel_order = 0, channel_type = 0;
  bool is_constant = false;
  compiler::ImageDescriptor descriptor;
};

class FirstRead;

// What a buffer and its sub-buffers share.
class BufferState {
public:
  explicit BufferState(const sycl::detail::buffer_origin &origin);
  // On memory of another API, kept by `keep`: it is not waited for at the end.
  BufferState(std::shared_ptr<runtime::Buffer> memory, std::shared_ptr<void> keep)
      : memory_(std::move(memory)), keep_(std::move(keep)), host_(nullptr), guard_(nullptr),
        may_write_host_(false), must_use_host_(false) {}

  std::shared_ptr<runtime::Buffer> memory();
  // For those who are about to use the memory: what it was made of is read first.
  runtime::AccessHistory &history();
  void read_origin();                                                   // now, for the host
  const sycl::detail::context_pointer &bound() const { return bound_; } // null: to no context
  void set_final_data(std::function<void(const void *)> target);
  void set_write_back(bool on);
  // Copies the elements to the memory that the buffer was made of; null: it is there, or there is none to write to.
  std::function<void()> host_update(const sycl::detail::memory_box &from);
  bool writes_back(); // what commands write reaches memory of the program at the end
  // While a queue records commands that use it; else 0.
  std::atomic<int> &recordings() { return recordings_; }
  // The last owner lets go: waits for what has to be waited for, and writes back.
  void end();

private:
  void leave_host_memory();

  std::mutex mutex_; // guards the memory until it is used, and the targets
  std::shared_ptr<runtime::Buffer> memory_;
  runtime::AccessHistory history_;
  std::atomic<int> recordings_{0};
  std::shared_ptr<void> keep_;
  std::shared_ptr<runtime::LentMemory> lent_; // that memory, if somebody looks; else null
  void *const host_;
  std::mutex *const guard_;               // of the program, for that; may be null
  std::shared_ptr<FirstRead> first_read_; // null: there is nothing left to read
  std::once_flag begins_reading_;
  std::atomic<bool> has_begun_reading_{false};
  const bool may_write_host_, must_use_host_;
  sycl::detail::context_pointer bound_;
  bool is_used_ = false;
  bool is_host_memory_ = false; // kernels work on the program's memory
  bool write_back_ = true;
  std::function<void(const void *)> target_;
  bool target_is_origin_ = false; // what it was made of: as it was, if nobody has used the buffer
};

class Buffer final : public OfProcess,
                     public sycl::detail::buffer_interface,
                     public std::enable_shared_from_this<Buffer> {
public:
  Buffer(std::shared_ptr<BufferState> state, std::size_t offset, std::size_t bytes)
      : state_(std::move(state)), offset_(offset), bytes_(bytes) {}

  BufferState &state() { return *state_; }
  const std::shared_ptr<BufferState> &shared_state() const { return state_; }
  // As an object of OpenCL, in each context.
  NativeObject &native(const Context &in) {
    std::lock_guard lock(mutex_);
    return natives_[&in];
  }
  void show_as(std::unique_ptr<const ShownImage> image) { image_ = std::move(image); }
  const ShownImage *image() const { return image_.get(); } // null: it is none
  sycl::detail::context_pointer native_context() const { return context_; }
  void set_native_context(sycl::detail::context_pointer context) { context_ = std::move(context); }
  // Counted for itself: what stands for an accessor and not for its buffer can see whether it is still there.
  sycl::detail::buffer_pointer view() override {
    return {make_of_process<sycl::detail::buffer_pointer>(shared_from_this()), this};
  }
  void *data() override {
    check_process("this buffer");
    return state_->memory()->data() + offset_;
  }
  std::size_t bytes() const override { return bytes_; }
  void set_final_data(std::function<void(const void *)> target) override {
    check_process("this buffer");
    state_->set_final_data(std::move(target));
  }
  void set_write_back(bool on) override {
    check_process("this buffer");
    state_->set_write_back(on);
  }
  sycl::detail::buffer_pointer sub_buffer(std::size_t offset, std::size_t bytes) override;
  std::size_t offset_in_root() const override { return offset_; }
  std::shared_ptr<sycl::detail::host_access_interface>
  host_access(sycl::detail::access_kind kind, std::size_t offset, std::size_t bytes) override;

private:
  const std::shared_ptr<BufferState> state_;
  const std::size_t offset_, bytes_;
  std::weak_ptr<void> owner_; // of the root; sub-buffers own it too
  std::mutex mutex_;
  std::map<const Context *, NativeObject> natives_;
  sycl::detail::context_pointer context_; // of another API's memory
  std::unique_ptr<const ShownImage> image_;

  friend sycl::detail::buffer_pointer owned(std::shared_ptr<Buffer>, std::shared_ptr<void>);
};

sycl::detail::buffer_pointer make_buffer(const sycl::detail::buffer_origin &origin);
sycl::detail::buffer_pointer make_buffer_on(std::shared_ptr<runtime::Buffer> memory,
                                            std::shared_ptr<void> keep);
runtime::AccessMode mode_of(sycl::detail::access_kind kind);

} // namespace lockstep::sycl_api
