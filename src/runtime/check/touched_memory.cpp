#include "runtime/check/touched_memory.h"

#include "runtime/memory/allocations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <sys/mman.h>

namespace lockstep::runtime {

using compiler::AccessKind;

namespace {

std::atomic<uint64_t> all_launches = 0;

enum Way : std::size_t { way_reads, way_writes, by_atomics, ways };

Way way_of(const compiler::CheckSite &site) {
  switch (site.kind) {
  case AccessKind::read:
  case AccessKind::copy_read:
    return site.is_ordered_by_atomics() ? by_atomics : way_reads;
  case AccessKind::write:
  case AccessKind::copy_write:
    return site.is_ordered_by_atomics() ? by_atomics : way_writes;
  default:
    return by_atomics;
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
  explicit Object(const Allocation &known)
      : begin_(known.begin()), size_(known.size()),
        access_{MemoryView(known.memory, 0, known.size()), AccessMode::read_write},
        bits_{Bits(size_), Bits(size_), Bits(size_)} {}

  std::byte *begin() const { return begin_; }
  std::size_t size() const { return size_; }
  void touch(Way way, const void *address, std::size_t size) {
    const auto first = std::size_t(static_cast<const std::byte *>(address) - begin_);
    bits_[way].set(first, std::min(first + size, size_));
  }
  void add_to(std::vector<ReachedBytes> &all) const {
    for (const Way way : {way_reads, way_writes, by_atomics})
      add_to(all, way);
  }

private:
  void add_to(std::vector<ReachedBytes> &all, Way way) const {
    constexpr std::size_t most = 64;
    const Bits &bits = bits_[way];
    if (!bits.is_any())
      return;
    auto add = [&](std::size_t begin, std::size_t end, bool is_exact) {
      all.push_back({&access_, begin, end, way != way_reads, way == by_atomics, is_exact});
    };
    const std::size_t before = all.size();
    if (bits.is_made())
      for (std::size_t begin = bits.next(bits.first(), true);
           begin < bits.end() && all.size() - before <= most;) {
        const std::size_t end = bits.next(begin, false);
        add(begin, end, true);
        begin = bits.next(end, true);
      }
    if (bits.is_made() && all.size() - before <= most)
      return;
    all.resize(before);
    add(bits.first(), bits.end(), false);
  }

  std::byte *const begin_;
  const std::size_t size_;
  const Access access_;
  std::array<Bits, ways> bits_;
};

TouchedMemory::TouchedMemory() : number_(++all_launches) {}
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
  if (last.number == number_ && holds(*last.object))
    return last.object;
  if (!Allocations::instance().any())
    return nullptr;
  const auto known = Allocations::instance().find(address);
  if (!known || known->kind == AllocationKind::buffer)
    return nullptr;
  std::lock_guard lock(mutex_);
  auto found = std::find_if(objects_.begin(), objects_.end(),
                            [&](const auto &object) { return object->begin() == known->begin(); });
  if (found == objects_.end())
    found = objects_.insert(found, std::make_unique<Object>(*known));
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
  for (const auto &object : objects_)
    object->add_to(all);
  return all;
}

} // namespace lockstep::runtime
