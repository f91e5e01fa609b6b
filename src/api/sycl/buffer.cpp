#include "api/sycl/buffer.h"

#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "api/sycl/host_access.h"
#include "api/sycl/host_tasks.h"
#include "api/sycl/of_process.h"
#include "runtime/graph/before_wait.h"
#include "runtime/memory/transfers.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"
#include "support/message.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lockstep::sycl_api {
namespace {

std::shared_ptr<runtime::Buffer> own_memory(std::size_t bytes) {
  const auto &account = first_device()->runtime().memory();
  return value_or_raise(
      runtime::Buffer::allocate_observed(account, std::max<std::size_t>(bytes, 1)));
}

// Owns a buffer for the program. Destroying the last owner ends the buffer.
struct Owner {
  explicit Owner(std::shared_ptr<BufferState> owned) : state(std::move(owned)) {}
  ~Owner() { state->end(); }
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
  const std::shared_ptr<BufferState> state;
};

// True if the calling thread has locked the mutex. The program may do so while it destroys a buffer
// or makes a host accessor.
bool is_held_by_this_thread(std::mutex &mutex) {
  return __atomic_load_n(&mutex.native_handle()->__data.__owner, __ATOMIC_RELAXED) == ::gettid();
}

// Locks the program's mutex unless this thread has locked it.
std::unique_lock<std::mutex> lock_of_program(std::mutex &mutex) {
  if (is_held_by_this_thread(mutex))
    return std::unique_lock(mutex, std::defer_lock);
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) {
    runtime::BeforeWait::call(); // the owner of the mutex may wait for this thread
    lock.lock();
  }
  return lock;
}

// Fetches bytes that a device with its own memory has written, and records that the host writes
// them, if it does. No command may access them meanwhile.
void bring_to_host(const std::shared_ptr<runtime::Buffer> &memory, std::size_t begin,
                   std::size_t end, runtime::AccessMode mode) {
  if (!memory->residency() || begin == end)
    return;
  runtime::Accesses accesses;
  accesses.push_back({runtime::MemoryView(memory, begin, end - begin), mode});
  const runtime::CommandRef command =
      runtime::Command::create(std::make_unique<runtime::NoWork>(std::move(accesses)));
  command->bind(runtime::first_root_device().get());
  command->start();
  wait_on_host(command);
  if (const Error *error = command->error())
    raise(sycl::errc::runtime, "the contents of a buffer cannot be read: " + error->message);
}

} // namespace

// The first read of a buffer with use_mutex. Its contents are read at its first use, by a host
// task: until then the program may change them, and the thread that makes the buffer may hold the
// mutex.
class FirstRead {
public:
  FirstRead(std::shared_ptr<runtime::Buffer> to, const void *from, std::mutex &guard)
      : to_(std::move(to)), from_(from), guard_(guard) {}

  const runtime::CommandRef &until() const { return until_; }

  // Called on a thread of the program. It may hold the mutex, and may destroy the mutex afterwards.
  void run() {
    {
      std::lock_guard state(state_);
      if (is_done_)
        return;
      const auto lock = lock_of_program(guard_);
      read();
    }
    until_->set_user_status(runtime::status::complete);
  }

  // Called by a host task. Accesses the program's mutex only until the contents are read, and never
  // waits for it with `state_` locked, since the owner of the mutex may call run().
  void run_as_task() {
    for (auto pause = std::chrono::microseconds(50); !try_to_run();
         pause = std::min(2 * pause, longest_pause))
      std::this_thread::sleep_for(pause);
  }

private:
  static constexpr std::chrono::microseconds longest_pause{5000};

  bool try_to_run() {
    {
      std::lock_guard state(state_);
      if (is_done_)
        return true;
      const std::unique_lock lock(guard_, std::try_to_lock);
      if (!lock)
        return false;
      read();
    }
    until_->set_user_status(runtime::status::complete);
    return true;
  }
  void read() {
    std::memcpy(to_->data(), from_, to_->size());
    is_done_ = true;
  }

  const std::shared_ptr<runtime::Buffer> to_;
  const void *const from_;
  std::mutex &guard_; // the program's mutex
  std::mutex state_;
  bool is_done_ = false; // guarded by state_
  const runtime::CommandRef until_ = runtime::Command::create_user_event();
};

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
    : keep_(origin.keep), host_(origin.host), guard_(origin.guard),
      may_write_host_(origin.host && !origin.is_constant), must_use_host_(origin.must_use_host) {
  bound_ = origin.bound;
  if (host_ && origin.bytes && origin.guard && !(origin.is_constant && must_use_host_)) {
    // The program's memory is accessed only with its mutex: at the first use, and at the end.
    memory_ = own_memory(origin.bytes);
    runtime::memory_observer().contents_are_defined(*memory_);
    first_read_ = std::make_shared<FirstRead>(memory_, host_, *origin.guard);
    if (may_write_host_)
      target_ = [host = host_, bytes = origin.bytes, guard = origin.guard](const void *data) {
        const auto lock = lock_of_program(*guard);
        std::memcpy(host, data, bytes);
      };
    target_is_origin_ = true;
    return;
  }
  if (host_ && origin.bytes && may_write_host_ && !must_use_host_ &&
      runtime::memory_observer().wants_to_lend(host_)) {
    memory_ = own_memory(origin.bytes);
    std::memcpy(memory_->data(), host_, origin.bytes);
    runtime::memory_observer().contents_are_defined(*memory_);
    target_ = [host = host_, bytes = origin.bytes](const void *data) {
      std::memcpy(host, data, bytes);
    };
    lent_ = runtime::memory_observer().lend(host_, origin.bytes);
    return;
  }
  if (host_ && origin.bytes && may_write_host_ && !must_use_host_ && origin.may_be_left) {
    memory_ = own_memory(origin.bytes);
    std::memcpy(memory_->data(), host_, origin.bytes);
    runtime::memory_observer().contents_are_defined(*memory_);
    target_ = [host = host_, bytes = origin.bytes](const void *data) {
      std::memcpy(host, data, bytes);
    };
    target_is_origin_ = true;
    return;
  }
  if (host_ && origin.bytes && (!origin.is_constant || must_use_host_)) {
    memory_ = value_or_raise(runtime::Buffer::wrap(host_, origin.bytes));
    is_host_memory_ = true;
    write_back_ = !origin.is_constant;
    return;
  }
  memory_ = own_memory(origin.bytes);
  if (host_) {
    std::memcpy(memory_->data(), host_, origin.bytes);
    runtime::memory_observer().contents_are_defined(*memory_);
  } else {
    runtime::memory_observer().contents_are_undefined(*memory_, 0);
  }
}

std::shared_ptr<runtime::Buffer> BufferState::memory() {
  std::lock_guard lock(mutex_);
  is_used_ = true;
  return memory_;
}

runtime::AccessHistory &BufferState::history() {
  if (first_read_)
    std::call_once(begins_reading_, [this] {
      if (auto started = start_host_tasks(); !started)
        raise(started.error());
      auto reads = std::make_unique<HostTask>([read = first_read_] { read->run_as_task(); });
      std::vector<runtime::CommandRef> before;
      {
        std::lock_guard lock(history_.mutex());
        history_.add(0, memory_->size(), runtime::AccessMode::overwrite, *first_read_->until(),
                     before);
        history_.forget_writes(); // the program's memory has these contents
      }
      has_begun_reading_ = true;
      // this thread may wait for the command with the mutex held
      if (is_held_by_this_thread(*guard_))
        first_read_->run();
      else
        run_as_host_task(std::move(reads));
    });
  return history_;
}

void BufferState::read_origin() {
  history();
  if (first_read_)
    first_read_->run();
}

// Moves the buffer to memory of its own, so that the program's memory stays unchanged. Does nothing
// once commands know the address of the program's memory, since they write to it.
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
  target_.swap(target); // the old one is the program's: the caller destroys it after unlocking
  target_is_origin_ = false;
}

void BufferState::set_write_back(bool on) {
  std::lock_guard lock(mutex_);
  if (!on)
    leave_host_memory();
  write_back_ = on;
}

void BufferState::may_be_written_elsewhere() {
  std::lock_guard lock(mutex_);
  is_written_elsewhere_ = true;
}

// The program may have freed the memory that the buffer was made of if nothing has written to the
// buffer: LULESH does, and DPC++ does not write it either.
bool BufferState::has_new_contents() {
  std::scoped_lock lock(mutex_, history_.mutex());
  return is_written_elsewhere_ || history_.was_written();
}

bool BufferState::writes_back() {
  std::lock_guard lock(mutex_);
  return write_back_ && (target_ || is_host_memory_);
}

std::function<void()> BufferState::host_update(const sycl::detail::memory_box &from) {
  std::lock_guard lock(mutex_);
  if (!may_write_host_ || is_host_memory_)
    return nullptr;
  return [from, memory = memory_, keep = keep_, host = static_cast<std::byte *>(host_),
          guard = guard_, lent = lent_] {
    if (lent)
      lent->show();
    std::unique_lock<std::mutex> held;
    if (guard)
      held = std::unique_lock(*guard);
    const auto *first = static_cast<const std::byte *>(from.data);
    const std::size_t begin = std::size_t(first - memory->data()); // offset of a sub-buffer
    for (std::size_t i = 0; i < from.range[0]; ++i)
      for (std::size_t j = 0; j < from.range[1]; ++j) {
        const std::size_t row =
            ((from.offset[0] + i) * from.memory[1] + from.offset[1] + j) * from.memory[2];
        const std::size_t at = (row + from.offset[2]) * from.element;
        std::memcpy(host + begin + at, first + at, from.range[2] * from.element);
      }
  };
}

void BufferState::end() {
  try {
    if (lent_)
      lent_->give_back();
  } catch (const std::bad_alloc &) {
    std::fputs("lockstep check: no memory to report that lent memory was written\n", stderr);
  }
  if (has_begun_reading_)
    first_read_->run(); // before the program's memory and mutex are destroyed
  const bool writes_back = write_back_ && target_ && (has_new_contents() || !target_is_origin_);
  if (!is_host_memory_ && !writes_back)
    return;
  try {
    wait_on_host(history_.unsettled());
  } catch (const sycl::exception &thrown) {
    // The wait would never end, and a destructor must not throw.
    print_message("a buffer ends: %s", thrown.what());
    std::terminate();
  } catch (const std::bad_alloc &) { // no memory for the list
    while (const runtime::CommandRef one = history_.any_unsettled())
      one->wait();
  }
  try {
    if (writes_back || write_back_)
      bring_to_host(memory_, 0, memory_->size(), runtime::AccessMode::read);
  } catch (const std::exception &thrown) { // a destructor must not throw
    print_message("a buffer ends: %s", thrown.what());
  }
  if (writes_back)
    target_(memory_->data());
}

sycl::detail::buffer_pointer owned(std::shared_ptr<Buffer> buffer, std::shared_ptr<void> owner) {
  buffer->owner_ = owner;
  struct Both {
    std::shared_ptr<Buffer> buffer;
    std::shared_ptr<void> owner;
  };
  auto both = make_of_process<Both>(Both{std::move(buffer), std::move(owner)});
  Buffer *pointer = both->buffer.get();
  return {std::move(both), pointer};
}

sycl::detail::buffer_pointer make_buffer(const sycl::detail::buffer_origin &origin) {
  auto state = std::make_shared<BufferState>(origin);
  return owned(std::make_shared<Buffer>(state, 0, origin.bytes), std::make_shared<Owner>(state));
}

sycl::detail::buffer_pointer make_buffer_on(std::shared_ptr<runtime::Buffer> memory,
                                            std::shared_ptr<void> keep) {
  const std::size_t bytes = memory->size();
  auto state = std::make_shared<BufferState>(std::move(memory), std::move(keep));
  return owned(std::make_shared<Buffer>(state, 0, bytes), std::make_shared<Owner>(state));
}

sycl::detail::buffer_pointer Buffer::sub_buffer(std::size_t offset, std::size_t bytes) {
  check_process("this buffer");
  return owned(std::make_shared<Buffer>(state_, offset_ + offset, bytes), owner_.lock());
}

std::shared_ptr<sycl::detail::host_access_interface>
Buffer::host_access(sycl::detail::access_kind kind, std::size_t offset, std::size_t bytes) {
  check_process("this buffer");
  if (state_->recordings() > 0)
    raise(sycl::errc::invalid,
          "a host accessor is made of a buffer that commands use which a queue "
          "records (sycl_ext_oneapi_graph, buffer limitations)");
  state_->read_origin();
  runtime::CommandRef until = runtime::Command::create_user_event();
  std::vector<runtime::CommandRef> before;
  {
    std::lock_guard lock(state_->history().mutex());
    state_->history().add(offset_ + offset, offset_ + offset + bytes, mode_of(kind), *until,
                          before);
  }
  auto access = make_of_process<HostAccess>(until);
  wait_on_host(before);
  bring_to_host(state_->memory(), offset_ + offset, offset_ + offset + bytes, mode_of(kind));
  // the buffer's memory is final only now
  const std::span bytes_of_host(state_->memory()->data() + offset_ + offset, bytes);
  const bool is_for_writing = kind != sycl::detail::access_kind::read;
  if (is_for_writing)
    runtime::memory_observer().host_may_write(bytes_of_host);
  access->open(runtime::memory_observer().open_for_host(bytes_of_host, is_for_writing));
  return access;
}

} // namespace lockstep::sycl_api
