// Buffers. A buffer is a range of bytes in the host's memory, which the CPU's kernels share, so
// mapping copies nothing and a buffer on a user's pointer is that pointer. Devices with memory of
// their own get copies (residency.h).
//
// Storage is the memory, Buffer a view of a part of it; a sub-buffer is another view of the same
// storage. Small storage is aligned to 128 bytes (the largest OpenCL type), from a page on to a
// page. From huge_page_size on it lies in huge pages, in the first small one of them, each buffer
// at another place there (a multiple of 128 bytes), so that arrays do not meet in the caches.
#pragma once

#include "runtime/graph/callback_thread.h"
#include "runtime/memory/mapped_regions.h"
#include "runtime/memory/memory_account.h"
#include "support/huge_pages.h"
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
  // Contents undefined. ErrorKind::out_of_host_memory: beyond the account's limit, or the system
  // has no more. The account is kept alive by the storage.
  static Result<std::shared_ptr<Storage>> allocate(std::shared_ptr<MemoryAccount> account,
                                                   std::size_t size, std::size_t alignment);
  // The program's memory, which it keeps valid; not counted in an account.
  static Result<std::shared_ptr<Storage>> wrap(void *pointer, std::size_t size);
  // Memory of somebody else's, which is kept as long; counted in the account.
  static Result<std::shared_ptr<Storage>> adopt(std::shared_ptr<MemoryAccount> account,
                                                std::shared_ptr<std::byte> memory,
                                                std::size_t size);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_users() const { return origin_ == Origin::user; }
  // Null until a device with memory of its own uses the storage.
  Residency *residency() const { return residency_.load(std::memory_order_acquire); }
  Residency &make_residency();

private:
  enum class Origin { user, heap, pages, adopted };
  Storage(std::byte *data, std::size_t size, std::size_t reserved, Origin origin,
          std::shared_ptr<MemoryAccount> account);

  std::byte *const data_;
  const std::size_t size_;
  const std::size_t reserved_; // bytes asked of the system
  const Origin origin_;
  const std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<std::byte> adopted_;
  std::atomic<Residency *> residency_{nullptr};
};

class Buffer {
public:
  // `alignment`: a power of two, if it is to be larger than said above.
  static Result<std::shared_ptr<Buffer>> allocate(std::shared_ptr<MemoryAccount> account,
                                                  std::size_t size, std::size_t alignment = 0);
  static Result<std::shared_ptr<Buffer>> adopt(std::shared_ptr<MemoryAccount> account,
                                               std::shared_ptr<std::byte> memory, std::size_t size);
  static Result<std::shared_ptr<Buffer>> wrap(void *pointer,
                                              std::size_t size); // CL_MEM_USE_HOST_PTR
  // A view of bytes offset..offset+size-1 of `parent`, which may be a sub-buffer itself (of SYCL;
  // OpenCL forbids it). ErrorKind::invalid_argument if that is not inside.
  static Result<std::shared_ptr<Buffer>> sub_buffer(std::shared_ptr<Buffer> parent,
                                                    std::size_t offset, std::size_t size);
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  const std::shared_ptr<Buffer> &parent() const { return parent_; }
  // The buffer that was allocated, or this.
  const Buffer &root() const { return parent_ ? parent_->root() : *this; }
  Buffer &root() { return parent_ ? parent_->root() : *this; }
  std::size_t offset_in_parent() const { return parent_ ? std::size_t(data_ - parent_->data_) : 0; }
  // For a device with memory of its own: where it finds its copy, which is made if there is none.
  Result<std::byte *> address_in(const std::shared_ptr<MemorySpace> &space);
  Residency *residency() const { return storage_->residency(); }
  bool uses_host_pointer() const { return storage_->is_users(); }
  // Of this buffer and its sub-buffers. Used in roots only.
  MappedRegions &mapped() { return mapped_; }
  const MappedRegions &mapped() const { return mapped_; }
  // The host may write a root while a kernel runs: it lies in the host's memory, is shared with it
  // (allocations.h), or is mapped.
  bool is_host_visible() const {
    return uses_host_pointer() || is_shared_with_host_ || !mapped_.is_empty();
  }
  void set_shared_with_host() { is_shared_with_host_ = true; } // before anybody uses it

  // Handles of the program that hold a reference each; all others are commands' and sub-buffers'.
  void count_handles(int difference) { handles_.fetch_add(difference, std::memory_order_acq_rel); }
  int handles() const { return handles_.load(std::memory_order_acquire); }

  // Memory objects made on the address of this one, which is an allocation: users of its bytes that
  // do not name it.
  void count_aliases(int difference) { aliases_.fetch_add(difference, std::memory_order_acq_rel); }
  int aliases() const { return aliases_.load(std::memory_order_acquire); }

  // Something of somebody else's that is to live as long.
  void keep_beside(std::shared_ptr<const void> thing) { beside_ = std::move(thing); }

  // For the program to hear of, in the order of the specification: last registered first.
  void add_destructor_callback(std::function<void()> callback);
  // Called after these. Whoever has let go of the buffer may set it.
  void set_end(std::function<void()> end) { end_ = std::move(end); }

private:
  Buffer(std::shared_ptr<Storage> storage, std::shared_ptr<Buffer> parent, std::byte *data,
         std::size_t size);
  // Runs the destructor callbacks, then lets go of storage and parent.
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
  std::unique_ptr<LaterCall> destroys_; // this buffer, if it has some; made with the first one
  std::function<void()> end_;
  MappedRegions mapped_;
  std::shared_ptr<const void> beside_;
  std::atomic<int> handles_{0}, aliases_{0};
  bool is_shared_with_host_ = false;
};

} // namespace lockstep::runtime
