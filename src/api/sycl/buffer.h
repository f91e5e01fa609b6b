// Buffers: their memory in the runtime, the commands that access it, and where the contents are
// written back at the end.
#pragma once

#include "abi/image_descriptor.h"
#include "api/sycl/native_object.h"
#include "api/sycl/of_process.h"
#include "runtime/memory/access_history.h"
#include "runtime/memory/buffer.h"

#include "sycl/detail/library.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace lockstep::runtime {
class LentHostMemory;
}

namespace lockstep::sycl_api {

class Context;

// The image properties of a buffer that an image is made of. Order and type are those of OpenCL.
struct ShownImage {
  int dimensions = 1;
  uint32_t channel_order = 0, channel_type = 0;
  bool is_constant = false;
  compiler::ImageDescriptor descriptor;
};

class FirstRead;

// State shared by a buffer and its sub-buffers.
class BufferState {
public:
  explicit BufferState(const sycl::detail::buffer_origin &origin);
  // On memory of another API, which `keep` keeps alive. end() does not wait for commands.
  BufferState(std::shared_ptr<runtime::Buffer> memory, std::shared_ptr<void> keep)
      : memory_(std::move(memory)), keep_(std::move(keep)), host_(nullptr), guard_(nullptr),
        may_write_host_(false), must_use_host_(false) {}

  std::shared_ptr<runtime::Buffer> memory();
  // Call before using the memory: starts reading the memory that the buffer was made of.
  runtime::AccessHistory &history();
  void read_origin(); // reads at once, for the host
  // the context that the buffer is bound to; null: none
  const sycl::detail::context_pointer &bound() const { return bound_; }
  void set_final_data(std::function<void(const void *)> target);
  void set_write_back(bool on);
  // Returns a function that copies the elements to the memory that the buffer was made of. Null:
  // kernels work on that memory directly, or there is no memory to write to.
  std::function<void()> host_update(const sycl::detail::memory_box &from);
  // Commands of another API may write the buffer from now on.
  void may_be_written_elsewhere();
  bool writes_back(); // whether results of commands reach the program's memory at the end
  // Nonzero while a queue records commands that use the buffer.
  std::atomic<int> &recordings() { return recordings_; }
  // Called when the last owner releases the buffer: waits where necessary and writes back.
  void end();

private:
  void leave_host_memory();
  bool has_new_contents();

  std::mutex mutex_; // guards the memory until it is used, and the targets
  std::shared_ptr<runtime::Buffer> memory_;
  runtime::AccessHistory history_;
  std::atomic<int> recordings_{0};
  std::shared_ptr<void> keep_;
  // the memory lent by the program, if it is checked; else null
  std::shared_ptr<runtime::LentHostMemory> lent_;
  void *const host_;
  std::mutex *const guard_;               // the program's mutex for that memory; may be null
  std::shared_ptr<FirstRead> first_read_; // null: nothing is left to read
  std::once_flag begins_reading_;
  std::atomic<bool> has_begun_reading_{false};
  const bool may_write_host_, must_use_host_;
  sycl::detail::context_pointer bound_;
  bool is_used_ = false, is_written_elsewhere_ = false;
  bool is_host_memory_ = false; // kernels work on the program's memory
  bool write_back_ = true;
  std::function<void(const void *)> target_;
  // the target is the memory that the buffer was made of: not written if the buffer was not written
  bool target_is_origin_ = false;
};

class Buffer final : public OfProcess,
                     public sycl::detail::buffer_interface,
                     public std::enable_shared_from_this<Buffer> {
public:
  Buffer(std::shared_ptr<BufferState> state, std::size_t offset, std::size_t bytes)
      : state_(std::move(state)), offset_(offset), bytes_(bytes) {}

  BufferState &state() { return *state_; }
  const std::shared_ptr<BufferState> &shared_state() const { return state_; }
  // The OpenCL object of the buffer, one per context.
  NativeObject &native(const Context &in) {
    std::lock_guard lock(mutex_);
    return natives_[&in];
  }
  void show_as(std::unique_ptr<const ShownImage> image) { image_ = std::move(image); }
  const ShownImage *image() const { return image_.get(); } // null: not an image
  sycl::detail::context_pointer native_context() const { return context_; }
  void set_native_context(sycl::detail::context_pointer context) { context_ = std::move(context); }
  // Has a reference count of its own, so that an accessor can see whether its buffer still exists.
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
  std::weak_ptr<void> owner_; // owner of the root buffer; sub-buffers share it
  std::mutex mutex_;
  std::map<const Context *, NativeObject> natives_;
  sycl::detail::context_pointer context_; // if the memory belongs to another API
  std::unique_ptr<const ShownImage> image_;

  friend sycl::detail::buffer_pointer owned(std::shared_ptr<Buffer>, std::shared_ptr<void>);
};

sycl::detail::buffer_pointer make_buffer(const sycl::detail::buffer_origin &origin);
sycl::detail::buffer_pointer make_buffer_on(std::shared_ptr<runtime::Buffer> memory,
                                            std::shared_ptr<void> keep);
runtime::AccessMode mode_of(sycl::detail::access_kind kind);

} // namespace lockstep::sycl_api
