#include "runtime/check/host/footprint_map.h"

#include "platform/linux/huge_pages.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace lockstep::runtime {

namespace {

constexpr std::size_t page_size = 4096;

std::size_t round_up(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

// Marks of an access that is out of bounds by less than this stay in our mapping.
constexpr std::size_t slack = 256 << 10;

// Free lists of small maps in few sizes: mapping and unmapping them takes longer than many
// launches, and several threads that first write pages wait for each other in the system. Larger
// maps have huge pages, of which few are needed.
class SmallMaps {
public:
  static SmallMaps &instance() {
    return leaked<AfterFork::make_again>([] { return new SmallMaps; });
  }
  // The list size for a map of this many units; 0: no free list.
  static std::size_t kept_size(std::size_t units) {
    const auto *size = std::lower_bound(sizes.begin(), sizes.end(), units);
    return size == sizes.end() ? 0 : *size;
  }
  uint8_t *take(std::size_t size, std::size_t units) {
    Kept kept;
    {
      std::lock_guard lock(mutex_);
      std::vector<Kept> &free = free_[place_of(size)];
      if (free.empty())
        return nullptr;
      kept = free.back();
      free.pop_back();
    }
    if (units > kept.clear_units)
      std::memset(kept.memory + slack + kept.clear_units, 0, units - kept.clear_units);
    return kept.memory;
  }
  bool give_back(uint8_t *memory, std::size_t size, std::size_t units) {
    std::memset(memory + slack, 0, units);
    std::lock_guard lock(mutex_);
    std::vector<Kept> &free = free_[place_of(size)];
    if (free.size() == most[place_of(size)])
      return false;
    try {
      free.push_back({memory, units});
    } catch (const std::bad_alloc &) { // called from a destructor: do not keep it
      return false;
    }
    return true;
  }

private:
  static constexpr std::array<std::size_t, 6> sizes = {4 << 10,   16 << 10, 64 << 10,
                                                       256 << 10, 1 << 20,  huge_page_size},
                                              most = {64, 64, 64, 16, 16, 8}; // 42 MiB in all
  struct Kept {
    uint8_t *memory = nullptr;
    std::size_t clear_units = 0; // an access out of bounds may have marked those behind
  };
  static std::size_t place_of(std::size_t size) {
    return std::size_t(std::find(sizes.begin(), sizes.end(), size) - sizes.begin());
  }
  SmallMaps() {
    for (std::size_t i = 0; i != sizes.size(); ++i)
      free_[i].reserve(most[i]);
  }
  std::mutex mutex_;
  std::array<std::vector<Kept>, sizes.size()> free_;
};

} // namespace

FootprintMap::FootprintMap(compiler::FootprintKind kind, uint32_t unit, const std::byte *origin,
                           std::span<const std::byte> object)
    : kind_(kind), unit_(unit), origin_(origin), object_(object),
      before_((std::size_t(origin - object.data()) + unit - 1) / unit),
      units_(before_ + (std::size_t(object.data() + object.size() - origin) + unit - 1) / unit),
      kept_size_(SmallMaps::kept_size(units_)),
      mapped_((kept_size_ ? kept_size_ : round_up(units_, page_size)) + 2 * slack) {
  if (kept_size_ && (memory_ = SmallMaps::instance().take(kept_size_, units_))) {
    marks_ = memory_ + slack;
    return;
  }
  void *made = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    return;
  memory_ = static_cast<uint8_t *>(made);
  marks_ = memory_ + slack;
  if (!kept_size_)
    madvise(memory_, mapped_, MADV_HUGEPAGE); // only advice
}

FootprintMap::~FootprintMap() {
  if (memory_ && !(kept_size_ && SmallMaps::instance().give_back(memory_, kept_size_, units_)))
    munmap(memory_, mapped_);
}

uint64_t FootprintMap::place() const {
  if (!memory_)
    return 0;
  const auto of_origin = reinterpret_cast<uint64_t>(marks_ + before_);
  return unit_ == 1 ? of_origin - reinterpret_cast<uint64_t>(origin_) : of_origin;
}

// Other threads may mark the same units concurrently.
void FootprintMap::mark(std::size_t first, std::size_t end) {
  constexpr uint64_t all = 0x0101010101010101;
  for (std::size_t unit = first; unit != end;)
    if (end - unit >= sizeof all && reinterpret_cast<uintptr_t>(marks_ + unit) % sizeof all == 0) {
      std::atomic_ref(*reinterpret_cast<uint64_t *>(marks_ + unit))
          .store(all, std::memory_order_relaxed);
      unit += sizeof all;
    } else {
      std::atomic_ref(marks_[unit++]).store(1, std::memory_order_relaxed);
    }
}

void FootprintMap::mark_rows(const std::byte *first, std::size_t size, std::size_t rows,
                             std::size_t pitch) {
  const auto begin = std::size_t(first - object_.data()) / unit_;
  const std::size_t units = size / unit_, step = pitch / unit_;
  if (begin >= units_ || units == 0)
    return;
  const std::size_t fitting = step == 0 ? rows : std::min(rows, (units_ - 1 - begin) / step + 1);
  if (units == 1)
    for (std::size_t row = 0; row != fitting; ++row)
      std::atomic_ref(marks_[begin + row * step]).store(1, std::memory_order_relaxed);
  else
    for (std::size_t row = 0; row != fitting; ++row)
      mark(begin + row * step, std::min(units_, begin + row * step + units));
}

// Skips pages that were never written: reading them would allocate memory.
std::size_t FootprintMap::find(std::size_t from, bool is_marked) const {
  constexpr std::size_t block = 64, chunk = std::size_t(64) * page_size;
  constexpr uint64_t all = 0x0101010101010101;
  while (from < units_) {
    if (const auto place = reinterpret_cast<uintptr_t>(marks_ + from);
        is_marked && !kept_size_ && place % page_size == 0) {
      std::array<unsigned char, chunk / page_size> is_there{};
      const std::size_t size = std::min(chunk, round_up(units_ - from, page_size));
      const std::size_t pages = size / page_size;
      if (mincore(marks_ + from, size, is_there.data()) == 0) {
        const auto first = std::find_if(is_there.begin(), is_there.begin() + std::ptrdiff_t(pages),
                                        [](unsigned char each) { return each & 1; });
        from += std::size_t(first - is_there.begin()) * page_size;
        if (std::size_t(first - is_there.begin()) == pages)
          continue;
      }
    }
    const std::size_t end =
        std::min(units_, from + page_size - reinterpret_cast<uintptr_t>(marks_ + from) % page_size);
    for (; from + block <= end; from += block) {
      std::array<uint64_t, block / 8> words;
      std::memcpy(words.data(), marks_ + from, block);
      uint64_t some = 0, each = all;
      for (const uint64_t word : words) {
        some |= word;
        each &= word;
      }
      if (is_marked ? some != 0 : each != all)
        break;
    }
    const std::size_t last = std::min(end, from + block);
    for (; from < last; ++from)
      if ((marks_[from] != 0) == is_marked)
        return from;
  }
  return units_;
}

FootprintMap::Row FootprintMap::row_of(std::size_t first, std::size_t end) const {
  const std::ptrdiff_t lead = origin_ - object_.data() - std::ptrdiff_t(before_ * unit_);
  const auto byte = [&](std::size_t unit) {
    return std::size_t(std::clamp(lead + std::ptrdiff_t(unit * unit_), std::ptrdiff_t(0),
                                  std::ptrdiff_t(object_.size())));
  };
  return {byte(first), byte(end)};
}

FootprintMap::Row FootprintMap::next_marked(std::size_t from) const {
  if (!memory_)
    return {};
  const std::ptrdiff_t lead = origin_ - object_.data() - std::ptrdiff_t(before_ * unit_);
  const std::size_t first = find(std::size_t(std::ptrdiff_t(from) - lead) / unit_, true);
  return row_of(first, find(first, false));
}

FootprintMap::Row FootprintMap::take(std::size_t from) {
  if (!memory_)
    return {};
  const std::ptrdiff_t lead = origin_ - object_.data() - std::ptrdiff_t(before_ * unit_);
  const std::size_t first = find(std::size_t(std::ptrdiff_t(from) - lead) / unit_, true);
  const std::size_t end = find(first, false);
  std::memset(marks_ + first, 0, end - first);
  return row_of(first, end);
}

std::size_t FootprintMap::end_of_marked() const {
  std::size_t end = memory_ ? units_ : 0;
  while (end != 0 && marks_[end - 1] == 0)
    --end;
  return row_of(0, end).end;
}

} // namespace lockstep::runtime
