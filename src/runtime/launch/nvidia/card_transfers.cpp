#include "runtime/launch/nvidia/card_transfers.h"
#include "runtime/memory/residency.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep::runtime {
namespace {

using Run = StreamWork::Run;
using cuda::Address;

std::byte *pointer_to(Address address) {
  return reinterpret_cast<std::byte *>(address);
}

// ---- on the card

class CardCopy final : public CardTransfer {
public:
  CardCopy(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
           Accesses accesses, Address to, Address from)
      : CardTransfer("a copy", std::move(space), std::move(context), std::move(accesses)), to_(to),
        from_(from) {}
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    if (to_ != from_)
      LOCKSTEP_TRY(context_->checked(
          context_->cuda().copy_on_device(to_, from_, accesses_[0].memory.size(), stream),
          "cuMemcpyDtoD"));
    return std::unique_ptr<Run>();
  }

private:
  const Address to_, from_;
};

// Patterns that are not one word: the driver sets the first pattern, and each copy doubles it.
class CardFill final : public CardTransfer {
public:
  CardFill(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
           Accesses accesses, Address to, const void *pattern, std::size_t pattern_size)
      : CardTransfer("a fill", std::move(space), std::move(context), std::move(accesses)), to_(to),
        pattern_size_(smallest_period(pattern, pattern_size)) {
    std::memcpy(pattern_.data(), pattern, pattern_size_);
  }
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    const std::size_t size = accesses_[0].memory.size();
    // The driver sets aligned units only.
    const std::size_t aligned = std::size_t(to_ & -to_) | 4, parts = pattern_size_ & -pattern_size_;
    const std::size_t unit = std::min({std::size_t{4}, aligned & -aligned, parts});
    if (pattern_size_ == unit) {
      LOCKSTEP_TRY(set(0, unit, size / unit, stream));
      return std::unique_ptr<Run>();
    }
    for (std::size_t i = 0; i < pattern_size_; i += unit)
      LOCKSTEP_TRY(set(i, unit, 1, stream));
    for (std::size_t done = pattern_size_; done < size; done *= 2)
      LOCKSTEP_TRY(context_->checked(
          context_->cuda().copy_on_device(to_ + done, to_, std::min(done, size - done), stream),
          "cuMemcpyDtoD"));
    return std::unique_ptr<Run>();
  }

private:
  static std::size_t smallest_period(const void *pattern, std::size_t size) {
    const auto *bytes = static_cast<const std::byte *>(pattern);
    while (size % 2 == 0 && std::equal(bytes, bytes + size / 2, bytes + size / 2))
      size /= 2;
    return size;
  }

  // `count` times the `unit` bytes at `offset` of the pattern
  Result<void> set(std::size_t offset, std::size_t unit, std::size_t count, cuda::Stream *stream) {
    const CudaDriver &cuda = context_->cuda();
    uint32_t value = 0;
    std::memcpy(&value, pattern_.data() + offset, unit);
    const Address to = to_ + offset;
    return context_->checked(unit == 1   ? cuda.set_bytes(to, uint8_t(value), count, stream)
                             : unit == 2 ? cuda.set_shorts(to, uint16_t(value), count, stream)
                                         : cuda.set_words(to, value, count, stream),
                             "cuMemset");
  }

  const Address to_;
  const std::size_t pattern_size_;
  std::array<std::byte, Fill::max_pattern> pattern_;
};

// ---- between the card and the program's memory

// Pinned memory of the host: the stream orders the copy with kernels that access the same memory,
// which run before the host has settled the command.
class PinnedCopy final : public CardTransfer {
public:
  // One of the views is on the host, and `on_card` is the address of the other.
  PinnedCopy(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
             Accesses accesses, Address on_card, bool is_read)
      : CardTransfer(is_read ? "a read" : "a write", std::move(space), std::move(context),
                     std::move(accesses)),
        on_card_(on_card), is_read_(is_read) {}
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    const CudaDriver &cuda = context_->cuda();
    const std::size_t size = accesses_[0].memory.size();
    std::byte *const on_host = accesses_[is_read_ ? 0 : 1].memory.data();
    LOCKSTEP_TRY(is_read_ ? context_->checked(cuda.copy_to_host(on_host, on_card_, size, stream),
                                              "cuMemcpyDtoH")
                          : context_->checked(cuda.copy_to_device(on_card_, on_host, size, stream),
                                              "cuMemcpyHtoD"));
    return std::unique_ptr<Run>();
  }

private:
  const Address on_card_;
  const bool is_read_;
};

class StagedRun final : public Run {
public:
  // `to`: memory of the program that gets the bytes at the end; null: none does
  StagedRun(std::unique_ptr<NvidiaMemory::Staging> staging, std::byte *to, std::size_t size)
      : staging_(std::move(staging)), to_(to), size_(size) {}
  Result<void> finish(Command &) override {
    if (to_)
      std::memcpy(to_, staging_->data(), size_);
    return {};
  }

private:
  const std::unique_ptr<NvidiaMemory::Staging> staging_;
  std::byte *const to_;
  const std::size_t size_;
};

class CardRead final : public CardTransfer, public HostWork {
public:
  CardRead(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
           Accesses accesses, Address from)
      : CardTransfer("a read", std::move(space), std::move(context), std::move(accesses)),
        from_(from) {}

  // A command that has decided for the host finds the bytes valid there when it runs, too: commands
  // that would write them are ordered behind it.
  const MemorySpace *memory_space() const override {
    return is_valid_on_host() ? nullptr : space_.get();
  }
  bool runs_on_stream() const override { return is_small() && !is_valid_on_host(); }
  bool may_follow() const override { return is_small() && is_valid_in(space_.get()); }

  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    auto staging = space_->take_staging();
    LOCKSTEP_TRY(staging);
    LOCKSTEP_TRY(context_->checked(
        context_->cuda().copy_to_host((*staging)->data(), from_, size(), stream), "cuMemcpyDtoH"));
    return std::unique_ptr<Run>(
        std::make_unique<StagedRun>(std::move(*staging), accesses_[0].memory.data(), size()));
  }

  HostWork *host() override { return this; }
  uint64_t parts() const override { return MemorySpace::parts_of(size()); }
  uint64_t expected_nanoseconds_per_part() const override {
    return MemorySpace::nanoseconds_per_part;
  }
  Result<void> run(uint64_t first, uint64_t last) override {
    const std::size_t begin = first * MemorySpace::part_bytes;
    const std::size_t bytes = std::min(last * MemorySpace::part_bytes, size()) - begin;
    std::byte *to = accesses_[0].memory.data() + begin;
    if (!is_valid_on_host())
      return space_->read(to, pointer_to(from_) + begin, bytes);
    std::memcpy(to, accesses_[1].memory.data() + begin, bytes);
    return {};
  }

private:
  std::size_t size() const { return accesses_[1].memory.size(); }
  bool is_small() const { return size() <= NvidiaMemory::Staging::bytes; }
  bool is_valid_on_host() const { return is_valid_in(nullptr); }
  bool is_valid_in(const MemorySpace *space) const {
    const MemoryView &memory = accesses_[1].memory;
    const std::size_t begin = memory.offset_in_root();
    return memory.residency()->is_valid(begin, begin + memory.size(), space);
  }

  const Address from_;
};

class CardWrite final : public CardTransfer, public HostWork {
public:
  CardWrite(std::shared_ptr<NvidiaMemory> space, std::shared_ptr<CudaContext> context,
            Accesses accesses, Address to)
      : CardTransfer("a write", std::move(space), std::move(context), std::move(accesses)),
        to_(to) {}

  bool runs_on_stream() const override { return size() <= NvidiaMemory::Staging::bytes; }
  // A read in progress may still write the memory of the program.
  bool may_follow() const override { return false; }

  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    auto staging = space_->take_staging();
    LOCKSTEP_TRY(staging);
    std::memcpy((*staging)->data(), accesses_[1].memory.data(), size());
    LOCKSTEP_TRY(context_->checked(
        context_->cuda().copy_to_device(to_, (*staging)->data(), size(), stream), "cuMemcpyHtoD"));
    return std::unique_ptr<Run>(std::make_unique<StagedRun>(std::move(*staging), nullptr, size()));
  }

  HostWork *host() override { return this; }
  uint64_t parts() const override { return MemorySpace::parts_of(size()); }
  uint64_t expected_nanoseconds_per_part() const override {
    return MemorySpace::nanoseconds_per_part;
  }
  Result<void> run(uint64_t first, uint64_t last) override {
    const std::size_t begin = first * MemorySpace::part_bytes;
    const std::size_t bytes = std::min(last * MemorySpace::part_bytes, size()) - begin;
    return space_->write(pointer_to(to_) + begin, accesses_[1].memory.data() + begin, bytes);
  }

private:
  std::size_t size() const { return accesses_[0].memory.size(); }

  const Address to_;
};

} // namespace

bool CardTransfers::has_copy_of(const MemoryView &view) const {
  Residency *residency = view.residency();
  return residency && residency->has_copy_in(space_.get());
}

bool CardTransfers::is_on_host(const MemoryView &view) const {
  return !view.buffer() ||
         (view.buffer()->has_address_in(space_.get()) && !view.buffer()->only_place());
}

Address CardTransfers::address_of(const MemoryView &view) const {
  if (is_on_host(view) || view.size() == 0 || view.buffer()->root().is_host_visible())
    return 0;
  auto begin = view.buffer()->address_in(space_);
  return begin ? reinterpret_cast<Address>(*begin) + view.offset() : 0;
}

std::unique_ptr<Operation> CardTransfers::copy(const MemoryView &to, const MemoryView &from) const {
  const bool to_host = is_on_host(to), from_host = is_on_host(from);
  if (to.size() == 0 || (to_host && from_host) ||
      !(to_host ? has_copy_of(from) : from_host || has_copy_of(to) || has_copy_of(from)))
    return nullptr;
  const Address there = to_host ? 0 : address_of(to);
  const Address here = from_host ? 0 : address_of(from);
  if ((!to_host && !there) || (!from_host && !here))
    return nullptr;
  Accesses accesses;
  accesses.push_back({.memory = to, .mode = AccessMode::overwrite});
  accesses.push_back({.memory = from, .mode = AccessMode::read});
  if ((to_host && space_->is_pinned(to.data(), to.size())) ||
      (from_host && space_->is_pinned(from.data(), from.size())))
    return std::make_unique<PinnedCopy>(space_, context_, std::move(accesses),
                                        to_host ? here : there, to_host);
  if (to_host)
    return std::make_unique<CardRead>(space_, context_, std::move(accesses), here);
  if (from_host)
    return std::make_unique<CardWrite>(space_, context_, std::move(accesses), there);
  return std::make_unique<CardCopy>(space_, context_, std::move(accesses), there, here);
}

std::unique_ptr<Operation> CardTransfers::fill(const MemoryView &to, const void *pattern,
                                               std::size_t pattern_size) const {
  const Address there = address_of(to);
  if (!there)
    return nullptr;
  Accesses accesses;
  accesses.push_back({.memory = to, .mode = AccessMode::overwrite});
  return std::make_unique<CardFill>(space_, context_, std::move(accesses), there, pattern,
                                    pattern_size);
}

} // namespace lockstep::runtime
