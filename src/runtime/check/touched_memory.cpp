#include "runtime/check/touched_memory.h"

#include "runtime/memory/allocations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <sys/mman.h>
#include <utility>

namespace lockstep::runtime {

using compiler::AccessKind;

namespace {

std::atomic<uint64_t> all_launches = 0;

// Atomically is also what a kernel does that synchronises.
enum Way : std::size_t { way_reads, way_writes, atomically_reads, atomically_writes, ways };

Way way_of(const compiler::CheckSite &site) {
  switch (site.kind) {
  case AccessKind::read:
  case AccessKind::copy_read:
    return site.is_ordered_by_atomics() ? atomically_reads : way_reads;
  case AccessKind::write:
  case AccessKind::copy_write:
    return site.is_ordered_by_atomics() ? atomically_writes : way_writes;
  case AccessKind::atomic_read:
    return atomically_reads;
  default:
    return atomically_writes;
  }
}

// A bit for each byte; the system gives pages of it when they are used.
class Bits {
public:
  explicit Bits(std::size_t count) : bytes_(count / 8 + sizeof(uint64_t)) {}
  ~Bits() {
    if (words_)
      munmap(words_, bytes_);
  }
  Bits(const Bits &) = delete;
  Bits &operator=(const Bits &) = delete;

  void set(std::size_t begin, std::size_t end) {
    if (begin / 64 == (end - 1) / 64 && begin >= first_.load(std::memory_order_relaxed) &&
        end <= end_.load(std::memory_order_acquire) && words_) { // most often all of it is known
      const uint64_t mask = (~uint64_t(0) >> (64 - (end - begin))) << begin % 64;
      if ((std::atomic_ref(words_[begin / 64]).load(std::memory_order_relaxed) & mask) == mask)
        return;
    }
    std::call_once(made_, [this] {
      void *made = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      words_ = made == MAP_FAILED ? nullptr : static_cast<uint64_t *>(made);
    });
    if (begin < first_.load(std::memory_order_relaxed))
      lower(first_, begin);
    if (end > end_.load(std::memory_order_relaxed))
      raise(end_, end);
    for (std::size_t bit = begin; words_ && bit < end;) {
      const std::size_t many = std::min<std::size_t>(end - bit, 64 - bit % 64);
      const uint64_t mask = (~uint64_t(0) >> (64 - many)) << bit % 64;
      std::atomic_ref word(words_[bit / 64]);
      if ((word.load(std::memory_order_relaxed) & mask) != mask)
        word.fetch_or(mask, std::memory_order_relaxed);
      bit += many;
    }
  }
  bool is_any() const { return end_ != 0; }
  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  // Where the next bit that is set, or is not, stands from there on.
  std::size_t next(std::size_t bit, bool is_set) const {
    while (bit < end_) {
      const uint64_t word = (is_set ? words_[bit / 64] : ~words_[bit / 64]) >> bit % 64;
      if (word)
        return std::min<std::size_t>(bit + std::size_t(std::countr_zero(word)), end_);
      bit = (bit / 64 + 1) * 64;
    }
    return end_;
  }
  bool is_made() const { return words_; }

private:
  static void lower(std::atomic<std::size_t> &to, std::size_t value) {
    std::size_t was = to;
    while (value < was && !to.compare_exchange_weak(was, value))
      ;
  }
  static void raise(std::atomic<std::size_t> &to, std::size_t value) {
    std::size_t was = to;
    while (value > was && !to.compare_exchange_weak(was, value))
      ;
  }

  const std::size_t bytes_;
  std::once_flag made_;
  uint64_t *words_ = nullptr;
  std::atomic<std::size_t> first_ = SIZE_MAX, end_ = 0;
};

} // namespace

class TouchedMemory::Object {
public:
  explicit Object(Access access)
      : access_(std::move(access)), begin_(access_.memory.data()), size_(access_.memory.size()),
        bits_{Bits(size_), Bits(size_), Bits(size_), Bits(size_)} {}

  std::byte *begin() const { return begin_; }
  std::size_t size() const { return size_; }
  void touch(Way way, const void *address, std::size_t size) {
    const auto first = std::size_t(static_cast<const std::byte *>(address) - begin_);
    bits_[way].set(first, std::min(first + size, size_));
  }
  void add_to(std::vector<ReachedBytes> &all) const {
    for (const Way way : {way_reads, way_writes, atomically_reads, atomically_writes})
      add_to(all, way);
  }

private:
  void add_to(std::vector<ReachedBytes> &all, Way way) const {
    constexpr std::size_t most = 64;
    const Bits &bits = bits_[way];
    if (!bits.is_any())
      return;
    auto add = [&](std::size_t begin, std::size_t end, bool is_exact) {
      all.push_back({&access_, begin, end, way == way_writes || way == atomically_writes,
                     way == atomically_reads || way == atomically_writes, is_exact});
    };
    const std::size_t before = all.size();
    std::size_t begin = bits.first();
    while (bits.is_made() && begin < bits.end() && all.size() - before < most) {
      const std::size_t end = bits.next(begin, false);
      add(begin, end, true);
      begin = bits.next(end, true);
    }
    if (begin < bits.end())
      add(begin, bits.end(), false);
  }

  const Access access_;
  std::byte *const begin_;
  const std::size_t size_;
  std::array<Bits, ways> bits_;
};

TouchedMemory::TouchedMemory(std::span<const Access> accesses) : number_(++all_launches) {
  for (const Access &each : accesses)
    given_.push_back(std::make_unique<Object>(each));
}
TouchedMemory::~TouchedMemory() = default;

TouchedMemory::Object *TouchedMemory::object_at(const void *address) {
  struct Last {
    uint64_t number = 0;
    Object *object = nullptr;
  };
  thread_local Last last;
  auto holds = [address](const Object &object) {
    return std::size_t(static_cast<const std::byte *>(address) - object.begin()) < object.size();
  };
  for (const auto &each : given_)
    if (holds(*each))
      return each.get();
  if (last.number == number_ && holds(*last.object))
    return last.object;
  if (!Allocations::instance().any())
    return nullptr;
  const auto known = Allocations::instance().find(address);
  if (!known)
    return nullptr;
  std::lock_guard lock(mutex_);
  auto found = std::find_if(found_.begin(), found_.end(),
                            [&](const auto &object) { return object->begin() == known->begin(); });
  if (found == found_.end())
    found = found_.insert(
        found, std::make_unique<Object>(
                   Access{MemoryView(known->memory, 0, known->size()), AccessMode::read_write}));
  last = {number_, found->get()};
  return last.object;
}

void TouchedMemory::touch(const compiler::CheckSite &site, const void *address, std::size_t size) {
  if (Object *object = object_at(address))
    object->touch(way_of(site), address, size);
}

void TouchedMemory::touch(const compiler::CheckSite &site, const void *address, int64_t stride,
                          uint64_t lanes) {
  const auto *first = static_cast<const std::byte *>(address);
  const uint64_t from = uint64_t(std::countr_zero(lanes)), row = lanes >> from;
  if (stride == int64_t(site.size) && !(row & (row + 1)))
    return touch(site, first + from * site.size, site.size * std::size_t(std::popcount(lanes)));
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    touch(site,
          stride == compiler::any_addresses ? static_cast<const void *const *>(address)[lane]
                                            : first + stride * lane,
          std::size_t(site.size));
  }
}

std::vector<ReachedBytes> TouchedMemory::reached() const {
  std::shared_lock lock(mutex_);
  std::vector<ReachedBytes> all;
  for (const auto *objects : {&given_, &found_})
    for (const auto &object : *objects)
      object->add_to(all);
  return all;
}

} // namespace lockstep::runtime
