#include "api/sycl/buffer.h"

#include "api/sycl/device.h"
#include "api/sycl/error.h"

#include <cstring>

namespace lockstep::sycl_api {
namespace {

std::shared_ptr<runtime::Buffer> own_memory(std::size_t bytes) {
  const auto &account = root_devices().front()->runtime().memory();
  return value_or_raise(runtime::Buffer::allocate(account, std::max<std::size_t>(bytes, 1)));
}

// The host accesses the memory from the moment it may until this goes: a command that the host settles.
class HostAccess final : public sycl::detail::host_access_interface {
public:
  explicit HostAccess(runtime::CommandRef until) : until_(std::move(until)) {}
  ~HostAccess() override { until_->set_user_status(runtime::status::complete); }

private:
  const runtime::CommandRef until_;
};

// Owns a buffer for the program: when the last one goes, the buffer ends.
struct Owner {
  explicit Owner(std::shared_ptr<BufferState> owned) : state(std::move(owned)) {}
  ~Owner() { state->end(); }
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
  const std::shared_ptr<BufferState> state;
};

} // namespace

runtime::AccessMode mode_of(sycl::detail::access_kind kind) {
  switch (kind) {
  case sycl::detail::access_kind::read:
    return runtime::AccessMode::read;
  case sycl::detail::access_kind::write:
    return runtime::AccessMode::write;
  case sycl::detail::access_kind::overwrite:
    return runtime::AccessMode::overwrite;
  case sycl::detail::access_kind::read_write:
    break;
  }
  return runtime::AccessMode::read_write;
}

BufferState::BufferState(const sycl::detail::buffer_origin &origin)
    : keep_(origin.keep), host_(origin.host), must_use_host_(origin.must_use_host) {
  if (host_ && origin.bytes && (!origin.is_constant || must_use_host_)) {
    memory_ = value_or_raise(runtime::Buffer::wrap(host_, origin.bytes));
    is_host_memory_ = true;
    write_back_ = !origin.is_constant;
    return;
  }
  memory_ = own_memory(origin.bytes);
  if (host_)
    std::memcpy(memory_->data(), host_, origin.bytes);
}

std::shared_ptr<runtime::Buffer> BufferState::memory() {
  std::lock_guard lock(mutex_);
  is_used_ = true;
  return memory_;
}

// The program's memory is to stay as it is. Once commands know its address it is too late: what they write is there.
void BufferState::leave_host_memory() {
  if (!is_host_memory_ || is_used_ || must_use_host_)
    return;
  auto own = own_memory(memory_->size());
  std::memcpy(own->data(), memory_->data(), memory_->size());
  target_ = [host = host_, bytes = memory_->size()](const void *data) {
    std::memcpy(host, data, bytes);
  };
  memory_ = std::move(own);
  is_host_memory_ = false;
}

void BufferState::set_final_data(std::function<void(const void *)> target) {
  std::lock_guard lock(mutex_);
  leave_host_memory();
  target_ = std::move(target);
}

void BufferState::set_write_back(bool on) {
  std::lock_guard lock(mutex_);
  if (!on)
    leave_host_memory();
  write_back_ = on;
}

void BufferState::end() {
  const bool writes_back = write_back_ && target_;
  if (!is_host_memory_ && !writes_back)
    return;
  runtime::wait_for(history_.unsettled());
  if (writes_back)
    target_(memory_->data());
}

sycl::detail::buffer_pointer owned(std::shared_ptr<Buffer> buffer, std::shared_ptr<void> owner) {
  buffer->owner_ = owner;
  struct Both {
    std::shared_ptr<Buffer> buffer;
    std::shared_ptr<void> owner;
  };
  auto both = std::make_shared<Both>(Both{std::move(buffer), std::move(owner)});
  Buffer *pointer = both->buffer.get();
  return {std::move(both), pointer};
}

sycl::detail::buffer_pointer make_buffer(const sycl::detail::buffer_origin &origin) {
  auto state = std::make_shared<BufferState>(origin);
  return owned(std::make_shared<Buffer>(state, 0, origin.bytes), std::make_shared<Owner>(state));
}

sycl::detail::buffer_pointer Buffer::sub_buffer(std::size_t offset, std::size_t bytes) {
  return owned(std::make_shared<Buffer>(state_, offset_ + offset, bytes), owner_.lock());
}

std::shared_ptr<sycl::detail::host_access_interface>
Buffer::host_access(sycl::detail::access_kind kind, std::size_t offset, std::size_t bytes) {
  runtime::CommandRef until = runtime::Command::create_user_event();
  std::vector<runtime::CommandRef> before;
  {
    std::lock_guard lock(state_->history().mutex());
    state_->history().add(offset_ + offset, offset_ + offset + bytes, mode_of(kind), *until,
                          before);
  }
  auto access = std::make_shared<HostAccess>(until);
  runtime::wait_for(before);
  return access;
}

} // namespace lockstep::sycl_api
