#include "runtime/launch/nvidia/nvidia_memory.h"

#include "platform/linux/leaked.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <shared_mutex>
#include <string>

namespace lockstep::runtime {
namespace {

// Memory of allocate_on_host() that exists.
class PinnedMemory {
public:
  static PinnedMemory &of_process() {
    return leaked<AfterFork::make_again>([] { return new PinnedMemory; });
  }
  void add(const std::byte *begin, std::size_t size) {
    const std::lock_guard lock(mutex_);
    all_[begin] = size;
  }
  void remove(const std::byte *begin) {
    const std::lock_guard lock(mutex_);
    all_.erase(begin);
  }
  bool contains(const std::byte *begin, std::size_t size) const {
    const std::shared_lock lock(mutex_);
    const auto after = all_.upper_bound(begin);
    if (after == all_.begin())
      return false;
    const auto &[first, bytes] = *std::prev(after);
    const auto offset = std::size_t(begin - first);
    return offset <= bytes && size <= bytes - offset;
  }

private:
  mutable std::shared_mutex mutex_;
  std::map<const std::byte *, std::size_t> all_; // first byte, size
};

// Pages that pin() has pinned. The driver refuses to pin a page twice, and small allocations share
// pages. So pages are pinned in runs that do not overlap, each as long as some call uses it.
class PinnedPages {
public:
  static PinnedPages &of_process() {
    return leaked<AfterFork::make_again>([] { return new PinnedPages; });
  }
  // Afterwards all pages from `begin` to `end`, which are addresses of pages, are pinned. The
  // context is current.
  Result<void> add(const CudaContext &context, uintptr_t begin, uintptr_t end);
  // Ends one such use.
  void remove(const CudaDriver &cuda, uintptr_t begin, uintptr_t end);
  // Whether one run contains the range: the driver refuses copies across two.
  bool contains(const std::byte *begin, std::size_t size) const {
    const std::shared_lock lock(mutex_);
    const auto first = reinterpret_cast<uintptr_t>(begin);
    const auto after = runs_.upper_bound(first);
    return after != runs_.begin() && size <= std::prev(after)->second.end - first &&
           first < std::prev(after)->second.end;
  }

  static constexpr uintptr_t page_bytes = 4096;

private:
  struct Run {
    uintptr_t end;
    unsigned uses;
    bool is_programs; // which has pinned it itself
  };
  using Runs = std::map<uintptr_t, Run>; // by the first byte
  // The first run that ends behind `begin`.
  Runs::iterator first_behind(uintptr_t begin) {
    const auto after = runs_.upper_bound(begin);
    return after != runs_.begin() && std::prev(after)->second.end > begin ? std::prev(after)
                                                                          : after;
  }
  void end_uses(const CudaDriver &cuda, uintptr_t begin, uintptr_t end);

  mutable std::shared_mutex mutex_;
  Runs runs_;
};

Result<void> PinnedPages::add(const CudaContext &context, uintptr_t begin, uintptr_t end) {
  const std::lock_guard lock(mutex_);
  auto next = first_behind(begin);
  for (uintptr_t at = begin; at < end;) {
    if (next == runs_.end() || next->first > at) { // not pinned up to the next run
      const uintptr_t to = next == runs_.end() ? end : std::min(end, next->first);
      const cuda::Status status = context.cuda().pin_pages(
          reinterpret_cast<void *>(at), to - at, cuda::for_all_contexts | cuda::for_kernels);
      const bool is_programs = status == cuda::already_pinned;
      if (auto pinned =
              context.checked(is_programs ? cuda::success : status,
                              "pinning " + std::to_string(to - at) + " bytes by cuMemHostRegister");
          !pinned) {
        end_uses(context.cuda(), begin, at);
        return pinned;
      }
      next = runs_.emplace_hint(next, at, Run{to, 0, is_programs});
    }
    ++next->second.uses;
    at = next->second.end;
    ++next;
  }
  return {};
}

void PinnedPages::remove(const CudaDriver &cuda, uintptr_t begin, uintptr_t end) {
  const std::lock_guard lock(mutex_);
  end_uses(cuda, begin, end);
}

void PinnedPages::end_uses(const CudaDriver &cuda, uintptr_t begin, uintptr_t end) {
  for (auto run = first_behind(begin); run != runs_.end() && run->first < end;) {
    if (--run->second.uses > 0) {
      ++run;
      continue;
    }
    if (!run->second.is_programs)
      cuda.unpin_pages(reinterpret_cast<void *>(run->first)); // fails only after a fault
    run = runs_.erase(run);
  }
}

} // namespace

static cuda::Address address_of(const std::byte *address) {
  return reinterpret_cast<cuda::Address>(address);
}

Result<std::byte *> NvidiaMemory::allocate(std::size_t size) {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  cuda::Address address = 0;
  cuda::Status status = context_->cuda().allocate(&address, size);
  if (status == cuda::out_of_memory) {
    const bool some_wait = context_->has_waiting_kernels();
    const CudaContext::WithoutWaitingKernels alone(*context_); // the calls below wait for kernels
    context_->free_what_is_left();
    if (group_pools_.free_unused() || some_wait)
      status = context_->cuda().allocate(&address, size);
  }
  LOCKSTEP_TRY(context_->checked(status, "cuMemAlloc of " + std::to_string(size) + " bytes"));
  return reinterpret_cast<std::byte *>(address);
}

void NvidiaMemory::free(std::byte *address, std::size_t) {
  if (!context_->cuda().check_process())
    return; // the memory belongs to the parent
  context_->free_without_waiting_kernels([context = context_.get(), address] {
    context->cuda().free(address_of(address)); // fails only after a fault
  });
}

// With unified addressing, which all cards that Lockstep uses have, pinned memory has one address.
Result<std::shared_ptr<std::byte>> NvidiaMemory::allocate_on_host(std::size_t size) {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  void *pinned = nullptr;
  LOCKSTEP_TRY(
      context_->checked(context_->cuda().allocate_pinned(&pinned, size, cuda::for_all_contexts),
                        "cuMemHostAlloc of " + std::to_string(size) + " bytes"));
  std::shared_ptr<std::byte> memory(
      static_cast<std::byte *>(pinned), [context = context_](std::byte *begin) {
        if (!context->cuda().check_process())
          return; // it belongs to the parent
        PinnedMemory::of_process().remove(begin);
        context->free_without_waiting_kernels(
            [cuda = &context->cuda(), begin] { cuda->free_pinned(begin); });
      });
  PinnedMemory::of_process().add(memory.get(), size);
  return memory;
}

bool NvidiaMemory::is_pinned(const std::byte *begin, std::size_t size) const {
  return PinnedMemory::of_process().contains(begin, size) ||
         PinnedPages::of_process().contains(begin, size);
}

Result<std::shared_ptr<const void>> NvidiaMemory::pin(std::byte *begin, std::size_t size,
                                                      std::shared_ptr<const void> owner) {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  int keeps_address = 0;
  LOCKSTEP_TRY(context_->checked(
      context_->cuda().device_attribute(&keeps_address, cuda::pinned_pages_keep_their_address,
                                        context_->card().device),
      "cuDeviceGetAttribute"));
  if (!keeps_address)
    return Error{ErrorKind::unsupported,
                 context_->card().name +
                     " cannot access memory that was allocated before its first queue was made"};
  const auto first = reinterpret_cast<uintptr_t>(begin) / PinnedPages::page_bytes,
             last = (reinterpret_cast<uintptr_t>(begin) + size - 1) / PinnedPages::page_bytes;
  const uintptr_t from = first * PinnedPages::page_bytes, to = (last + 1) * PinnedPages::page_bytes;
  LOCKSTEP_TRY(PinnedPages::of_process().add(*context_, from, to));
  const void *memory = owner.get();
  // The pages must not get other contents before the driver forgets them.
  return std::shared_ptr<const void>(
      memory, [context = context_, owner = std::move(owner), from, to](const void *) {
        if (context->cuda().check_process())
          context->free_without_waiting_kernels([cuda = &context->cuda(), owner, from, to] {
            PinnedPages::of_process().remove(*cuda, from, to);
          });
      });
}

Result<void> NvidiaMemory::start(Ring &ring) {
  const CudaDriver &cuda = context_->cuda();
  if (!ring.stream)
    LOCKSTEP_TRY(context_->checked(cuda.create_stream(&ring.stream, cuda::non_blocking_stream),
                                   "cuStreamCreate"));
  for (Block &block : ring.blocks) {
    void *pinned = block.pinned;
    if (!pinned)
      LOCKSTEP_TRY(
          context_->checked(cuda.allocate_pinned(&pinned, block_bytes, 0),
                            "cuMemHostAlloc of " + std::to_string(block_bytes) + " bytes"));
    block.pinned = static_cast<std::byte *>(pinned);
    if (!block.is_copied)
      LOCKSTEP_TRY(context_->checked(
          cuda.create_event(&block.is_copied, cuda::event_without_timing), "cuEventCreate"));
  }
  return {};
}

NvidiaMemory::TakenRing::TakenRing(Rings &from) : from_(from) {
  std::unique_lock lock(from_.mutex);
  from_.changed.wait(lock, [this] {
    const auto free = std::ranges::find(from_.all, false, &Ring::is_used);
    ring_ = free == from_.all.end() ? nullptr : &*free;
    return ring_ != nullptr;
  });
  ring_->is_used = true;
}

NvidiaMemory::TakenRing::~TakenRing() {
  const std::lock_guard lock(from_.mutex);
  ring_->is_used = false;
  from_.changed.notify_one();
}

Result<void> NvidiaMemory::write_pinned(Ring &ring, std::byte *to, const std::byte *from,
                                        std::size_t size) {
  return context_->checked(context_->cuda().copy_to_device(address_of(to), from, size, ring.stream),
                           "cuMemcpyHtoD");
}

Result<void> NvidiaMemory::read_pinned(Ring &ring, std::byte *to, const std::byte *from,
                                       std::size_t size) {
  LOCKSTEP_TRY(context_->checked(
      context_->cuda().copy_to_host(to, address_of(from), size, ring.stream), "cuMemcpyDtoH"));
  return context_->checked(context_->cuda().synchronize_stream(ring.stream), "copying to the host");
}

Result<void> NvidiaMemory::write_blocks(Ring &ring, std::byte *to, const std::byte *from,
                                        std::size_t size) {
  const CudaDriver &cuda = context_->cuda();
  std::size_t next = 0;
  for (std::size_t done = 0; done < size; ++next) {
    Block &block = ring.blocks[next % 2];
    if (next >= 2)
      LOCKSTEP_TRY(context_->checked(cuda.synchronize_event(block.is_copied), "a copy"));
    const std::size_t bytes = std::min(block_bytes, size - done);
    std::memcpy(block.pinned, from + done, bytes);
    LOCKSTEP_TRY(context_->checked(
        cuda.copy_to_device(address_of(to + done), block.pinned, bytes, ring.stream),
        "cuMemcpyHtoD"));
    LOCKSTEP_TRY(
        context_->checked(cuda.record_event(block.is_copied, ring.stream), "cuEventRecord"));
    done += bytes;
  }
  return {};
}

Result<void> NvidiaMemory::write(std::byte *to, const std::byte *from_host, std::size_t size) {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const TakenRing ring(to_device_);
  LOCKSTEP_TRY(start(*ring));
  auto result = is_pinned(from_host, size) ? write_pinned(*ring, to, from_host, size)
                                           : write_blocks(*ring, to, from_host, size);
  // Also after an error: the next transfer uses the same blocks.
  auto end =
      context_->checked(context_->cuda().synchronize_stream(ring->stream), "copying to the device");
  return result ? std::move(end) : std::move(result);
}

Result<void> NvidiaMemory::read_blocks(Ring &ring, std::byte *to, const std::byte *from,
                                       std::size_t size) {
  const CudaDriver &cuda = context_->cuda();
  std::size_t asked = 0, done = 0;
  for (std::size_t next = 0; done < size; ++next) {
    if (asked < size) {
      Block &block = ring.blocks[next % 2];
      const std::size_t bytes = std::min(block_bytes, size - asked);
      LOCKSTEP_TRY(context_->checked(
          cuda.copy_to_host(block.pinned, address_of(from + asked), bytes, ring.stream),
          "cuMemcpyDtoH"));
      LOCKSTEP_TRY(
          context_->checked(cuda.record_event(block.is_copied, ring.stream), "cuEventRecord"));
      asked += bytes;
    }
    if (next == 0)
      continue; // the card copies two blocks at once
    Block &block = ring.blocks[(next - 1) % 2];
    LOCKSTEP_TRY(context_->checked(cuda.synchronize_event(block.is_copied), "copying to the host"));
    const std::size_t bytes = std::min(block_bytes, size - done);
    std::memcpy(to + done, block.pinned, bytes);
    done += bytes;
  }
  return {};
}

Result<void> NvidiaMemory::read(std::byte *to_host, const std::byte *from, std::size_t size) {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const TakenRing ring(to_host_);
  LOCKSTEP_TRY(start(*ring));
  auto result = is_pinned(to_host, size) ? read_pinned(*ring, to_host, from, size)
                                         : read_blocks(*ring, to_host, from, size);
  if (!result) // the next transfer uses the same blocks
    context_->cuda().synchronize_stream(ring->stream);
  return result;
}

Result<bool> NvidiaMemory::copy_from(std::byte *to, MemorySpace &other, const std::byte *from,
                                     std::size_t size) {
  const auto *card = dynamic_cast<const NvidiaMemory *>(&other);
  if (!card)
    return false;
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  if (card != this)
    context_->enable_access_to(*card->context_);
  const TakenRing ring(to_device_);
  LOCKSTEP_TRY(start(*ring));
  LOCKSTEP_TRY(context_->checked(
      context_->cuda().copy_between_devices(address_of(to), context_->handle(), address_of(from),
                                            card->context_->handle(), size, ring->stream),
      "cuMemcpyPeer"));
  LOCKSTEP_TRY(context_->checked(context_->cuda().synchronize_stream(ring->stream),
                                 "copying from another card"));
  return true;
}

Result<void> NvidiaMemory::rows_to_card(Ring &ring, std::byte *to, std::size_t pitch,
                                        std::size_t row_bytes, std::size_t rows) {
  cuda::Copy3D box;
  box.source_kind = cuda::Copy3D::host_memory;
  box.source_host = ring.blocks[0].pinned;
  box.source_pitch = row_bytes;
  box.target = address_of(to);
  box.target_pitch = pitch;
  box.source_height = box.target_height = box.height = rows;
  box.width = row_bytes;
  box.depth = 1;
  return context_->checked(context_->cuda().copy_box(&box, ring.stream), "cuMemcpy3D");
}

Result<void> NvidiaMemory::rows_to_host(Ring &ring, const std::byte *from, std::size_t pitch,
                                        std::size_t row_bytes, std::size_t rows) {
  cuda::Copy3D box;
  box.source = address_of(from);
  box.source_pitch = pitch;
  box.target_kind = cuda::Copy3D::host_memory;
  box.target_host = ring.blocks[0].pinned;
  box.target_pitch = row_bytes;
  box.source_height = box.target_height = box.height = rows;
  box.width = row_bytes;
  box.depth = 1;
  return context_->checked(context_->cuda().copy_box(&box, ring.stream), "cuMemcpy3D");
}

Result<void> NvidiaMemory::write_rows(std::byte *to, std::size_t to_pitch,
                                      const std::byte *from_host, std::size_t from_pitch,
                                      std::size_t row_bytes, std::size_t rows) {
  if (row_bytes > block_bytes || to_pitch > cuda::Copy3D::most_pitch) {
    for (std::size_t row = 0; row < rows; ++row)
      LOCKSTEP_TRY(write(to + row * to_pitch, from_host + row * from_pitch, row_bytes));
    return {};
  }
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const TakenRing ring(to_device_);
  LOCKSTEP_TRY(start(*ring));
  for (std::size_t done = 0, count = 0; done < rows; done += count) {
    count = std::min(block_bytes / row_bytes, rows - done);
    for (std::size_t row = 0; row < count; ++row)
      std::memcpy(ring->blocks[0].pinned + row * row_bytes, from_host + (done + row) * from_pitch,
                  row_bytes);
    LOCKSTEP_TRY(rows_to_card(*ring, to + done * to_pitch, to_pitch, row_bytes, count));
    LOCKSTEP_TRY(context_->checked(context_->cuda().synchronize_stream(ring->stream),
                                   "copying to the device"));
  }
  return {};
}

Result<void> NvidiaMemory::read_rows(std::byte *to_host, std::size_t to_pitch,
                                     const std::byte *from, std::size_t from_pitch,
                                     std::size_t row_bytes, std::size_t rows) {
  if (row_bytes > block_bytes || from_pitch > cuda::Copy3D::most_pitch) {
    for (std::size_t row = 0; row < rows; ++row)
      LOCKSTEP_TRY(read(to_host + row * to_pitch, from + row * from_pitch, row_bytes));
    return {};
  }
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const TakenRing ring(to_host_);
  LOCKSTEP_TRY(start(*ring));
  for (std::size_t done = 0, count = 0; done < rows; done += count) {
    count = std::min(block_bytes / row_bytes, rows - done);
    LOCKSTEP_TRY(rows_to_host(*ring, from + done * from_pitch, from_pitch, row_bytes, count));
    LOCKSTEP_TRY(context_->checked(context_->cuda().synchronize_stream(ring->stream),
                                   "copying to the host"));
    for (std::size_t row = 0; row < count; ++row)
      std::memcpy(to_host + (done + row) * to_pitch, ring->blocks[0].pinned + row * row_bytes,
                  row_bytes);
  }
  return {};
}

Result<std::unique_ptr<NvidiaMemory::Staging>> NvidiaMemory::take_staging() {
  constexpr std::size_t at_once = 16;
  const std::lock_guard lock(staging_mutex_);
  if (free_staging_.empty()) {
    const CudaContext::Use use(*context_);
    free_staging_.reserve(free_staging_.capacity() + at_once); // so that returning cannot fail
    void *pinned = nullptr;
    LOCKSTEP_TRY(context_->checked(
        context_->cuda().allocate_pinned(&pinned, at_once * Staging::bytes, 0),
        "cuMemHostAlloc of " + std::to_string(at_once * Staging::bytes) + " bytes"));
    for (std::size_t i = 0; i < at_once; ++i)
      free_staging_.push_back(static_cast<std::byte *>(pinned) + i * Staging::bytes);
  }
  auto taken = std::make_unique<Staging>(*this, free_staging_.back());
  free_staging_.pop_back();
  return taken;
}

NvidiaMemory::Staging::~Staging() {
  const std::lock_guard lock(memory_.staging_mutex_);
  memory_.free_staging_.push_back(data_);
}

} // namespace lockstep::runtime
