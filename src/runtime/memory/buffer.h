// Buffers: ranges of bytes in host memory. The CPU's kernels use the same memory, so mapping copies
// nothing, and a buffer on a user's pointer uses that memory directly. Devices with separate memory
// get copies (residency.h).
//
// Storage is the memory; Buffer is a view of a part of it, and a sub-buffer is another view of the
// same storage. Small storage is aligned to 128 bytes (the largest OpenCL type), storage of at
// least a page to a page. Storage of at least huge_page_size uses huge pages. Each such buffer
// begins at another multiple of 128 bytes in its first 4 KiB, so that arrays do not share cache
// sets.
#pragma once

#include "platform/linux/huge_pages.h"
#include "runtime/memory/mapped_regions.h"
#include "runtime/memory/memory_account.h"
#include "runtime/threads/callback_thread.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep::runtime {

inline constexpr std::size_t buffer_alignment = 128;

class MemorySpace; // memory_space.h
class Residency;   // residency.h

class Storage {
public:
  // Contents are undefined. ErrorKind::out_of_host_memory: beyond the account's limit, or the
  // system has no memory. The storage keeps the account alive.
  static Result<std::shared_ptr<Storage>> allocate(std::shared_ptr<MemoryAccount> account,
                                                   std::size_t size, std::size_t alignment);
  // Uses the program's memory, which the program keeps valid; not counted in an account.
  static Result<std::shared_ptr<Storage>> wrap(void *pointer, std::size_t size);
  // Uses memory of another owner and keeps it alive; counted in the account.
  static Result<std::shared_ptr<Storage>> adopt(std::shared_ptr<MemoryAccount> account,
                                                std::shared_ptr<std::byte> memory,
                                                std::size_t size);
  // Memory of a device, whose addresses the program uses (MemorySpace::has_unified_addresses). The
  // host has no copy. ErrorKind::out_of_resources: the device has no memory left.
  static Result<std::shared_ptr<Storage>> allocate_on(std::shared_ptr<MemorySpace> space,
                                                      std::shared_ptr<MemoryAccount> account,
                                                      std::size_t size);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_users() const { return origin_ == Origin::user; }
  MemorySpace *only_place() const { return only_place_; } // null: the host has a copy
  // Null until a device with separate memory uses the storage.
  Residency *residency() const { return residency_.load(std::memory_order_acquire); }
  Residency &make_residency();

private:
  enum class Origin { user, heap, pages, adopted, device };
  Storage(std::byte *data, std::size_t size, std::size_t reserved, Origin origin,
          std::shared_ptr<MemoryAccount> account);

  std::byte *const data_;
  const std::size_t size_;
  const std::size_t reserved_; // bytes requested from the system
  const Origin origin_;
  const std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<std::byte> adopted_;
  MemorySpace *only_place_ = nullptr; // the residency keeps it
  std::atomic<Residency *> residency_{nullptr};
};

class Buffer {
public:
  // `alignment`: 0 for the default (file head), or a larger power of two.
  static Result<std::shared_ptr<Buffer>> allocate(std::shared_ptr<MemoryAccount> account,
                                                  std::size_t size, std::size_t alignment = 0);
  // The same for a buffer without data of the program. A checker may give it other memory.
  static Result<std::shared_ptr<Buffer>> allocate_observed(std::shared_ptr<MemoryAccount> account,
                                                           std::size_t size);
  static Result<std::shared_ptr<Buffer>> adopt(std::shared_ptr<MemoryAccount> account,
                                               std::shared_ptr<std::byte> memory, std::size_t size);
  // Storage::allocate_on
  static Result<std::shared_ptr<Buffer>> allocate_on(std::shared_ptr<MemorySpace> space,
                                                     std::shared_ptr<MemoryAccount> account,
                                                     std::size_t size);
  static Result<std::shared_ptr<Buffer>> wrap(void *pointer,
                                              std::size_t size); // CL_MEM_USE_HOST_PTR
  // A view of bytes offset..offset+size-1 of `parent`, which may be a sub-buffer itself in SYCL
  // (OpenCL forbids that). ErrorKind::invalid_argument if the range is not inside `parent`.
  static Result<std::shared_ptr<Buffer>> sub_buffer(std::shared_ptr<Buffer> parent,
                                                    std::size_t offset, std::size_t size);
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  const std::shared_ptr<Buffer> &parent() const { return parent_; }
  // The buffer that was allocated: the outermost parent, or this one.
  const Buffer &root() const { return parent_ ? parent_->root() : *this; }
  Buffer &root() { return parent_ ? parent_->root() : *this; }
  std::size_t offset_in_parent() const { return parent_ ? std::size_t(data_ - parent_->data_) : 0; }
  // For a device with separate memory: the address of its copy, which is made if there is none.
  // Pinned memory has no copy, and one address everywhere.
  Result<std::byte *> address_in(const std::shared_ptr<MemorySpace> &space);
  Residency *residency() const { return storage_->residency(); }
  bool uses_host_pointer() const { return storage_->is_users(); }
  // Mapped regions of this buffer and its sub-buffers. Used in roots only.
  MappedRegions &mapped() { return mapped_; }
  const MappedRegions &mapped() const { return mapped_; }
  // True if the host may write this root buffer while a kernel runs: it wraps host memory, is
  // shared with the host (allocations.h), or is mapped.
  bool is_host_visible() const {
    return uses_host_pointer() || is_shared_with_host_ || !mapped_.is_empty();
  }
  void set_shared_with_host() { is_shared_with_host_ = true; } // before any command uses it

  // The device memory of which this is a part. Null: the host has a copy. data() is an address
  // there then, and kernels that run elsewhere cannot access it.
  MemorySpace *only_place() const { return storage_->only_place(); }
  // Kernels of devices with memory of their own can access it by the address that the program
  // knows. Set before any command of such a device uses it.
  void set_pinned() { is_pinned_.store(true, std::memory_order_release); }
  // Pins this root buffer for the devices of the space. One thread at a time may call it.
  Result<void> pin_in(MemorySpace &space);
  bool is_pinned() const { return root().is_pinned_.load(std::memory_order_acquire); }
  bool has_address_in(const MemorySpace *space) const {
    return is_pinned() ? space != nullptr : space && only_place() == space;
  }

  // Number of program handles, which hold one reference each. Commands and sub-buffers hold the
  // others.
  void count_handles(int difference) { handles_.fetch_add(difference, std::memory_order_acq_rel); }
  int handles() const { return handles_.load(std::memory_order_acquire); }

  // Number of memory objects made on the address of this buffer, which is an allocation. They use
  // its bytes without naming it.
  void count_aliases(int difference) { aliases_.fetch_add(difference, std::memory_order_acq_rel); }
  int aliases() const { return aliases_.load(std::memory_order_acquire); }

  // Keeps `thing` alive as long as this buffer.
  void keep_beside(std::shared_ptr<const void> thing) { beside_ = std::move(thing); }

  // Callbacks for the program; the last registered one runs first, as the specification requires.
  void add_destructor_callback(std::function<void()> callback);
  // Called after the destructor callbacks. A caller may set it after releasing its handle.
  void set_end(std::function<void()> end) { end_ = std::move(end); }

private:
  Buffer(std::shared_ptr<Storage> storage, std::shared_ptr<Buffer> parent, std::byte *data,
         std::size_t size);
  // Runs the destructor callbacks, then releases storage and parent.
  ~Buffer();
  static std::shared_ptr<Buffer> make(std::shared_ptr<Storage> storage,
                                      std::shared_ptr<Buffer> parent, std::byte *data,
                                      std::size_t size);

  const std::shared_ptr<Buffer> parent_;
  const std::shared_ptr<Storage> storage_;
  std::byte *const data_;
  const std::size_t size_;
  std::mutex mutex_; // guards the callbacks
  std::vector<std::function<void()>> destructor_callbacks_;
  // destroys this buffer, if it has callbacks; allocated with the first one
  std::unique_ptr<LaterCall> destroys_;
  std::function<void()> end_;
  MappedRegions mapped_;
  std::shared_ptr<const void> beside_, pin_;
  std::atomic<int> handles_{0}, aliases_{0};
  bool is_shared_with_host_ = false;
  std::atomic<bool> is_pinned_ = false; // of a root
};

} // namespace lockstep::runtime
