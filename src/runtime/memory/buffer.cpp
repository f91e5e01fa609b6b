#include "runtime/memory/buffer.h"

#include "platform/linux/leaked.h"
#include "runtime/memory/residency.h"
#include "runtime/memory/retained_pages.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"
#include "runtime/threads/callback_thread.h"
#include "support/environment.h"
#include "support/message.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace lockstep::runtime {
namespace {

constexpr std::size_t page_size = 4096;

std::size_t round_up(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

// Offset of the next large buffer in its first page. A CPU first compares twelve address bits of a
// load and of preceding stores. If all offsets were equal, each load in `to[i] = from[i + 1]` would
// match the preceding stores and wait for them (4K aliasing). Also, all arrays of a kernel would
// share the same cache sets.
std::size_t next_offset_in_page() {
  static constinit std::atomic<unsigned> count = 0;
  // 32 offsets of 128 bytes; consecutive buffers are far apart
  constexpr std::size_t step = 5 * 128;
  return count.fetch_add(1, std::memory_order_relaxed) * step % page_size;
}

// LOCKSTEP_FILL_MEMORY: the byte that new memory is filled with; -1: not filled.
int fill_byte() {
  return leaked([] {
    const long long number = environment_number("FILL_MEMORY").value_or(-1);
    if (number >= -1 && number <= 255)
      return int(number);
    print_message("LOCKSTEP_FILL_MEMORY is %lld, which is not a byte (0 to 255); it is "
                  "ignored",
                  number);
    return -1;
  });
}

Error out_of_memory(std::size_t size) {
  return {ErrorKind::out_of_host_memory,
          "no memory for a buffer of " + std::to_string(size) + " bytes"};
}

} // namespace

// ---- Storage

Storage::Storage(std::byte *data, std::size_t size, std::size_t reserved, Origin origin,
                 std::shared_ptr<MemoryAccount> account)
    : data_(data), size_(size), reserved_(reserved), origin_(origin), account_(std::move(account)) {
}

// Alignments larger than a huge page are rare and do not get huge pages: they would map twice the
// size.
Result<std::shared_ptr<Storage>> Storage::allocate(std::shared_ptr<MemoryAccount> account,
                                                   std::size_t size, std::size_t wanted_alignment) {
  if (!account->reserve(size))
    return out_of_memory(size);
  const bool large = size >= huge_page_size && wanted_alignment <= huge_page_size;
  std::size_t alignment =
      std::max(wanted_alignment, size >= page_size ? page_size : buffer_alignment);
  std::size_t reserved = round_up(std::max<std::size_t>(size, 1), large ? page_size : alignment);
  const PageBlock pages = large ? take_pages(reserved + page_size) : PageBlock{};
  auto *data =
      large ? pages.data : static_cast<std::byte *>(std::aligned_alloc(alignment, reserved));
  if (!data) {
    account->release(size);
    return out_of_memory(size);
  }
  if (large)
    reserved = pages.size - page_size;
  if (large && wanted_alignment <= buffer_alignment)
    data += next_offset_in_page();
  if (const int byte = fill_byte(); byte > 0 || (byte == 0 && !pages.is_zero))
    std::memset(data, byte, size);
  return std::shared_ptr<Storage>(
      new Storage(data, size, reserved, large ? Origin::pages : Origin::heap, std::move(account)));
}

Result<std::shared_ptr<Storage>> Storage::wrap(void *pointer, std::size_t size) {
  if (!pointer)
    return Error{ErrorKind::invalid_argument, "the host pointer of a buffer is null"};
  return std::shared_ptr<Storage>(
      new Storage(static_cast<std::byte *>(pointer), size, 0, Origin::user, nullptr));
}

Result<std::shared_ptr<Storage>> Storage::adopt(std::shared_ptr<MemoryAccount> account,
                                                std::shared_ptr<std::byte> memory,
                                                std::size_t size) {
  if (!account->reserve(size))
    return out_of_memory(size);
  std::shared_ptr<Storage> storage(
      new Storage(memory.get(), size, 0, Origin::adopted, std::move(account)));
  storage->adopted_ = std::move(memory);
  return storage;
}

Result<std::shared_ptr<Storage>> Storage::allocate_on(std::shared_ptr<MemorySpace> space,
                                                      std::shared_ptr<MemoryAccount> account,
                                                      std::size_t size) {
  if (!account->reserve(size))
    return out_of_memory(size);
  auto data = space->allocate(size);
  if (!data) {
    account->release(size);
    return data.take_error();
  }
  std::shared_ptr<Storage> storage(new Storage(*data, size, 0, Origin::device, std::move(account)));
  storage->only_place_ = space.get();
  storage->residency_ = new Residency(std::move(space), *data, size);
  return storage;
}

Residency &Storage::make_residency() {
  if (Residency *known = residency())
    return *known;
  auto made = std::make_unique<Residency>(nullptr, data_, size_);
  Residency *other = nullptr;
  return residency_.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)
             ? *made.release()
             : *other;
}

Storage::~Storage() {
  delete residency();
  switch (origin_) {
  case Origin::user:
    return;
  case Origin::adopted:
  case Origin::device:
    break;
  case Origin::heap:
    std::free(data_);
    break;
  case Origin::pages:
    release_pages({data_ - reinterpret_cast<uintptr_t>(data_) % page_size, reserved_ + page_size});
    break;
  }
  account_->release(size_);
}

// ---- Buffer

Buffer::Buffer(std::shared_ptr<Storage> storage, std::shared_ptr<Buffer> parent, std::byte *data,
               std::size_t size)
    : parent_(std::move(parent)), storage_(std::move(storage)), data_(data), size_(size) {}

std::shared_ptr<Buffer> Buffer::make(std::shared_ptr<Storage> storage,
                                     std::shared_ptr<Buffer> parent, std::byte *data,
                                     std::size_t size) {
  // A command may hold the last reference, and must not wait for callbacks.
  auto end = [](Buffer *buffer) {
    if (auto destroys = std::move(buffer->destroys_))
      call_when_settled(std::move(destroys));
    else
      delete buffer;
  };
  return {new Buffer(std::move(storage), std::move(parent), data, size), end};
}

Result<std::shared_ptr<Buffer>> Buffer::allocate(std::shared_ptr<MemoryAccount> account,
                                                 std::size_t size, std::size_t alignment) {
  auto storage = Storage::allocate(std::move(account), size, alignment);
  if (!storage)
    return storage.take_error();
  std::byte *data = (*storage)->data();
  return make(std::move(*storage), nullptr, data, size);
}

Result<std::shared_ptr<Buffer>> Buffer::allocate_observed(std::shared_ptr<MemoryAccount> account,
                                                          std::size_t size) {
  if (auto memory = memory_observer().memory_for_buffer(size))
    return adopt(std::move(account), std::move(memory), size);
  return allocate(std::move(account), size);
}

Result<std::shared_ptr<Buffer>> Buffer::adopt(std::shared_ptr<MemoryAccount> account,
                                              std::shared_ptr<std::byte> memory, std::size_t size) {
  auto storage = Storage::adopt(std::move(account), std::move(memory), size);
  if (!storage)
    return storage.take_error();
  std::byte *data = (*storage)->data();
  return make(std::move(*storage), nullptr, data, size);
}

Result<std::shared_ptr<Buffer>> Buffer::allocate_on(std::shared_ptr<MemorySpace> space,
                                                    std::shared_ptr<MemoryAccount> account,
                                                    std::size_t size) {
  auto storage = Storage::allocate_on(std::move(space), std::move(account), size);
  if (!storage)
    return storage.take_error();
  std::byte *data = (*storage)->data();
  return make(std::move(*storage), nullptr, data, size);
}

Result<std::shared_ptr<Buffer>> Buffer::wrap(void *pointer, std::size_t size) {
  auto storage = Storage::wrap(pointer, size);
  if (!storage)
    return storage.take_error();
  std::byte *data = (*storage)->data();
  return make(std::move(*storage), nullptr, data, size);
}

Result<std::shared_ptr<Buffer>> Buffer::sub_buffer(std::shared_ptr<Buffer> parent,
                                                   std::size_t offset, std::size_t size) {
  if (size == 0 || offset > parent->size_ || size > parent->size_ - offset)
    return Error{ErrorKind::invalid_argument, "a sub-buffer of " + std::to_string(size) +
                                                  " bytes at offset " + std::to_string(offset) +
                                                  " is not inside its parent of " +
                                                  std::to_string(parent->size_) + " bytes"};
  auto storage = parent->storage_;
  std::byte *data = parent->data_ + offset;
  return make(std::move(storage), std::move(parent), data, size);
}

Result<void> Buffer::pin_in(MemorySpace &space) {
  auto pin = space.pin(data_, size_, storage_);
  LOCKSTEP_TRY(pin);
  pin_ = std::move(*pin);
  set_pinned();
  return {};
}

Buffer::~Buffer() {
  while (!destructor_callbacks_.empty()) {
    auto callback = std::move(destructor_callbacks_.back());
    destructor_callbacks_.pop_back();
    callback();
  }
  if (end_)
    end_();
}

Result<std::byte *> Buffer::address_in(const std::shared_ptr<MemorySpace> &space) {
  if (space && is_pinned())
    return data_;
  auto begin = storage_->make_residency().address_in(space);
  if (!begin)
    return begin.take_error();
  return *begin + (data_ - storage_->data());
}

void Buffer::add_destructor_callback(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  if (!destroys_)
    destroys_ = make_later_call([this] { delete this; });
  destructor_callbacks_.push_back(std::move(callback));
}

} // namespace lockstep::runtime
