#include "runtime/check/commands/accessed_memory.h"

#include "runtime/check/commands/row_boxes.h"
#include "runtime/check/host/footprint_map.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/memory/allocations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace lockstep::runtime {

using compiler::AccessKind;

namespace {

constinit std::atomic<uint64_t> all_launches = 0;

using FootprintKind = compiler::FootprintKind;
constexpr std::size_t kinds = 4;

void lower(std::atomic<std::size_t> &to, std::size_t value) {
  std::size_t was = to;
  while (value < was && !to.compare_exchange_weak(was, value))
    ;
}

void raise(std::atomic<std::size_t> &to, std::size_t value) {
  std::size_t was = to;
  while (value > was && !to.compare_exchange_weak(was, value))
    ;
}

// One bit per byte; the system allocates its pages on use.
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
    // Most often all bits are in the known range.
    if (begin / 64 == (end - 1) / 64 && begin >= first_.load(std::memory_order_relaxed) &&
        end <= end_.load(std::memory_order_acquire) && words_) {
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
  // The next bit from `bit` on that is set, or clear.
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
  void clear(std::size_t begin, std::size_t end) {
    for (std::size_t bit = begin; bit < end;) {
      const std::size_t many = std::min<std::size_t>(end - bit, 64 - bit % 64);
      const uint64_t mask = (~uint64_t(0) >> (64 - many)) << bit % 64;
      std::atomic_ref(words_[bit / 64]).fetch_and(~mask, std::memory_order_relaxed);
      bit += many;
    }
  }

private:
  const std::size_t bytes_;
  std::once_flag made_;
  uint64_t *words_ = nullptr;
  std::atomic<std::size_t> first_ = SIZE_MAX, end_ = 0;
};

// The sites that make one kind of access to an object; of many sites only some.
class SiteList {
public:
  void record_site(uint16_t number, std::size_t begin, std::size_t end) {
    for (Slot &slot : slots_) {
      uint32_t known = slot.number.load(std::memory_order_relaxed);
      if (known == none && slot.number.compare_exchange_strong(known, number))
        known = number;
      if (known != number)
        continue;
      if (begin < slot.begin.load(std::memory_order_relaxed))
        lower(slot.begin, begin);
      if (end > slot.end.load(std::memory_order_relaxed))
        raise(slot.end, end);
      return;
    }
  }
  // Concurrent changes count either for this call or for a later one.
  AccessingSites take() {
    auto places = std::make_shared<std::vector<AccessingSite>>();
    for (Slot &slot : slots_) {
      const auto number = slot.number.load(std::memory_order_relaxed);
      const std::size_t begin = slot.begin.exchange(SIZE_MAX), end = slot.end.exchange(0);
      if (number != none && begin < end)
        places->push_back({uint16_t(number), begin, end});
    }
    return places->empty() ? nullptr : std::move(places);
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  struct Slot {
    std::atomic<uint32_t> number = none;
    std::atomic<std::size_t> begin = SIZE_MAX, end = 0;
  };
  std::array<Slot, 16> slots_;
};

} // namespace

class AccessedMemory::Object {
public:
  explicit Object(Access access)
      : access_(std::move(access)), begin_(access_.memory.data()), size_(access_.memory.size()),
        bits_{Bits(size_), Bits(size_), Bits(size_), Bits(size_)} {}
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  std::byte *begin() const { return begin_; }
  std::size_t size() const { return size_; }
  void record(FootprintKind kind, const void *address, std::size_t size) {
    const auto first = std::size_t(static_cast<const std::byte *>(address) - begin_);
    if (first < size_) // a copy may exceed the end
      bits_[std::size_t(kind)].set(first, std::min(first + size, size_));
  }
  void record_sites() { sites_ = std::make_unique<std::array<SiteList, kinds>>(); }
  void record_site(compiler::CheckSite &site, const void *address, std::size_t size) {
    const auto begin = std::size_t(static_cast<const std::byte *>(address) - begin_);
    if (sites_ && begin < size_)
      (*sites_)[std::size_t(site.footprint_kind())].record_site(
          NumberedSites::number_of(site), begin, std::min(begin + size, size_));
  }
  // Records whole rows, before the launch runs. False: their order is not known.
  bool record_rows(FootprintKind kind, const AccessedRows &rows) {
    return whole_[std::size_t(kind)].add(rows, begin_);
  }
  // The map for rows of async copies, if the rows consist of words. `lock` guards the list of
  // maps.
  FootprintMap *map_of_rows(FootprintKind kind, const std::byte *address,
                            const compiler::CopyShape &shape, std::shared_mutex &lock) {
    constexpr uint32_t word = 4;
    if ((uint64_t(address - begin_) | shape.row | shape.row_pitch | shape.slice_pitch) % word)
      return nullptr;
    auto &rows = rows_[std::size_t(kind)];
    FootprintMap *known = rows.load(std::memory_order_acquire);
    if (!known) {
      std::lock_guard guard(lock);
      known = rows.load(std::memory_order_relaxed);
      if (!known)
        rows.store(known = &map(kind, word, begin_), std::memory_order_release);
    }
    return known->place() ? known : nullptr;
  }
  FootprintMap &map(FootprintKind kind, uint32_t unit, const std::byte *origin) {
    return *maps_.emplace_back(
        std::make_unique<FootprintMap>(kind, unit, origin, std::span(begin_, size_)));
  }
  // Merges several maps: each byte once.
  void add_to(std::vector<ReachedBytes> &all) const {
    for (const FootprintKind kind :
         {FootprintKind::reads, FootprintKind::writes, FootprintKind::atomically_reads,
          FootprintKind::atomically_writes}) {
      if (!has_any(kind))
        continue;
      Rows rows;
      if (const RowBoxes &boxes = whole_[std::size_t(kind)]; !boxes.is_empty())
        add_to(
            all, rows, kind, [&] { return std::min(boxes.end(), size_); },
            [&, cursor = RowBoxes::Cursor(boxes)](std::size_t) mutable -> FootprintMap::Row {
              const RowBoxes::Row row = cursor.next();
              return {row.begin, std::min(row.end, size_)};
            });
      if (const Bits &bits = bits_[std::size_t(kind)]; bits.is_any())
        add_to(
            all, rows, kind, [&] { return bits.end(); },
            [&](std::size_t from) -> FootprintMap::Row {
              const std::size_t begin = bits.is_made() ? bits.next(from, true) : bits.end();
              return {begin, bits.next(begin, false)};
            });
      for (const auto &map : maps_)
        if (map->kind() == kind)
          add_to(
              all, rows, kind, [&] { return map->end_of_marked(); },
              [&](std::size_t from) { return map->next_marked(from); });
      for (const FootprintMap::Row &row : joined(std::move(rows)))
        all.push_back(reached(kind, row.begin, row.end, true));
    }
  }

  // Concurrent accesses count either for this call or for a later one.
  void take(std::vector<ReachedBytes> &all, uint64_t &looked_at) {
    std::array<AccessingSites, kinds> places;
    for (std::size_t kind = 0; sites_ && kind != kinds; ++kind)
      places[kind] = (*sites_)[kind].take();
    auto add = [&](std::size_t begin, std::size_t end, FootprintKind kind) {
      all.push_back(reached(kind, begin, end, true));
      all.back().places = places[std::size_t(kind)];
    };
    for (const FootprintKind kind :
         {FootprintKind::reads, FootprintKind::writes, FootprintKind::atomically_reads,
          FootprintKind::atomically_writes}) {
      Bits &bits = bits_[std::size_t(kind)];
      if (!bits.is_any() || !bits.is_made())
        continue;
      looked_at += (bits.end() - bits.first()) / 8;
      const std::size_t last = bits.end(); // may grow concurrently
      for (std::size_t from = bits.next(bits.first(), true); from < last;) {
        const std::size_t end = bits.next(from, false);
        bits.clear(from, end);
        add(from, end, kind);
        from = bits.next(end, true);
      }
    }
    for (const auto &map : maps_) {
      looked_at += map->units();
      for (FootprintMap::Row row = map->take(0); row.begin != row.end; row = map->take(row.end))
        add(row.begin, row.end, map->kind());
    }
  }

private:
  using Rows = std::vector<FootprintMap::Row>;
  static constexpr std::size_t most_rows = 64; // reported exactly
  ReachedBytes reached(FootprintKind kind, std::size_t begin, std::size_t end,
                       bool is_exact) const {
    return {&access_,
            begin,
            end,
            kind == FootprintKind::writes || kind == FootprintKind::atomically_writes,
            kind == FootprintKind::atomically_reads || kind == FootprintKind::atomically_writes,
            is_exact,
            {}};
  }
  bool has_any(FootprintKind kind) const {
    return !whole_[std::size_t(kind)].is_empty() || bits_[std::size_t(kind)].is_any() ||
           std::any_of(maps_.begin(), maps_.end(),
                       [kind](const auto &map) { return map->kind() == kind; });
  }
  static Rows joined(Rows rows) {
    if (rows.size() < 2)
      return rows;
    std::sort(rows.begin(), rows.end(),
              [](const auto &one, const auto &other) { return one.begin < other.begin; });
    Rows all;
    for (const FootprintMap::Row &row : rows)
      if (!all.empty() && row.begin <= all.back().end)
        all.back().end = std::max(all.back().end, row.end);
      else
        all.push_back(row);
    return all;
  }
  // Adds rows that `next` returns. Of many rows, the remaining ones become a single range.
  template <class End, class Next>
  void add_to(std::vector<ReachedBytes> &all, Rows &rows, FootprintKind kind, End end_of_last,
              Next next) const {
    FootprintMap::Row row = next(0);
    for (std::size_t count = 0; row.begin != row.end && count != most_rows; ++count) {
      rows.push_back(row);
      row = next(row.end);
    }
    if (row.begin != row.end)
      all.push_back(reached(kind, row.begin, end_of_last(), false));
  }

  const Access access_;
  std::byte *const begin_;
  const std::size_t size_;
  std::array<Bits, kinds> bits_;
  std::vector<std::unique_ptr<FootprintMap>> maps_;
  std::array<std::atomic<FootprintMap *>, kinds> rows_{}; // for async copies
  std::array<RowBoxes, kinds> whole_;
  std::unique_ptr<std::array<SiteList, kinds>> sites_; // null: places are not recorded
};

AccessedMemory::AccessedMemory(std::span<const Access> accesses, std::size_t arguments)
    : number_(++all_launches), maps_(compiler::FootprintMapNumber::end_of(arguments)) {
  given_.reserve(accesses.size());
  for (const Access &each : accesses)
    given_.push_back(std::make_unique<Object>(each));
}
AccessedMemory::~AccessedMemory() = default;

void AccessedMemory::record_sites() {
  records_sites_ = true;
  for (const auto &each : given_)
    each->record_sites();
}

AccessedMemory::Object *AccessedMemory::object_at(const void *address) {
  struct Seen {
    uint64_t number = 0;
    Object *object = nullptr;
  };
  constexpr std::size_t most = 4;
  thread_local std::array<Seen, most> seen_before;
  thread_local std::size_t oldest = 0;
  auto holds = [address](const Object &object) {
    return std::size_t(static_cast<const std::byte *>(address) - object.begin()) < object.size();
  };
  for (const auto &each : given_)
    if (holds(*each))
      return each.get();
  for (const auto &[number, object] : seen_before)
    if (number == number_ && holds(*object))
      return object;
  if (!Allocations::instance().any())
    return nullptr;
  const auto known = Allocations::instance().find(address);
  if (!known)
    return nullptr;
  std::lock_guard lock(mutex_);
  auto found = std::find_if(found_.begin(), found_.end(),
                            [&](const auto &object) { return object->begin() == known->begin(); });
  if (found == found_.end()) {
    found = found_.insert(
        found, std::make_unique<Object>(
                   Access{MemoryView(known->memory, 0, known->size()), AccessMode::read_write}));
    if (records_sites_)
      found->get()->record_sites();
  }
  seen_before[oldest++ % most] = {number_, found->get()};
  return found->get();
}

uint64_t AccessedMemory::map(uint32_t number, FootprintKind kind, uint32_t unit,
                             const void *origin) {
  if (number >= maps_.size())
    return 0;
  std::atomic<uint64_t> &place = maps_[number];
  if (const uint64_t known = place.load(std::memory_order_acquire)) [[likely]]
    return known == nowhere ? 0 : known;
  Object *object = object_at(origin);
  std::lock_guard lock(mutex_);
  if (const uint64_t known = place.load(std::memory_order_relaxed))
    return known == nowhere ? 0 : known;
  const uint64_t made =
      object ? object->map(kind, unit, static_cast<const std::byte *>(origin)).place() : 0;
  place.store(made ? made : nowhere, std::memory_order_release);
  if (object && !made)
    throw std::bad_alloc();
  return made;
}

void AccessedMemory::record(compiler::CheckSite &site, const void *address, std::size_t size) {
  Object *object = object_at(address);
  if (!object)
    return;
  object->record_site(site, address, size);
  object->record(site.footprint_kind(), address, size);
}

void AccessedMemory::record(compiler::CheckSite &site, const void *address, int64_t stride,
                            uint64_t lanes) {
  const auto *first = static_cast<const std::byte *>(address);
  const uint64_t from = uint64_t(std::countr_zero(lanes)), row = lanes >> from;
  if (stride == int64_t(site.size) && !(row & (row + 1)))
    return record(site, first + from * site.size, site.size * std::size_t(std::popcount(lanes)));
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    record(site,
           stride == compiler::any_addresses ? static_cast<const void *const *>(address)[lane]
                                             : first + stride * lane,
           std::size_t(site.size));
  }
}

// Each sub-group of a work-group reports the same copies in sequence: skip repetitions.
void AccessedMemory::record(compiler::CheckSite &site, const void *address,
                            const compiler::CopyShape &shape) {
  struct Reported {
    uint64_t number = 0;
    const compiler::CheckSite *site = nullptr;
    const void *address = nullptr;
    compiler::CopyShape shape{};
    bool operator==(const Reported &) const = default;
  };
  thread_local std::array<Reported, 8> last;
  thread_local std::size_t oldest = 0;
  const Reported reported{number_, &site, address, shape};
  if (std::find(last.begin(), last.end(), reported) != last.end())
    return;
  last[oldest++ % last.size()] = reported;
  Object *object = object_at(address);
  if (!object)
    return;
  object->record_site(site, address,
                      (shape.slices - 1) * shape.slice_pitch + (shape.rows - 1) * shape.row_pitch +
                          shape.row);
  record_rows(*object, site.footprint_kind(), static_cast<const std::byte *>(address), shape);
}

void AccessedMemory::record(FootprintKind kind, const AccessedRows &rows) {
  Object *object = rows.size ? object_at(rows.begin) : nullptr;
  if (!object)
    return;
  if (object->record_rows(kind, rows))
    return;
  const AccessedRows::Step &step = rows.steps.front();
  std::vector<std::size_t> at(rows.steps.size()); // of the outer steps
  for (const std::byte *first = rows.begin;;) {
    record_rows(*object, kind, first,
                {.row = rows.size,
                 .rows = step.count,
                 .row_pitch = step.bytes,
                 .slices = 1,
                 .slice_pitch = 0});
    std::size_t digit = 1;
    for (; digit != at.size(); ++digit) {
      first += rows.steps[digit].bytes;
      if (++at[digit] != rows.steps[digit].count)
        break;
      first -= rows.steps[digit].bytes * at[digit];
      at[digit] = 0;
    }
    if (digit == at.size())
      return;
  }
}

void AccessedMemory::record_rows(Object &object, FootprintKind kind, const std::byte *first,
                                 const compiler::CopyShape &shape) {
  FootprintMap *map = object.map_of_rows(kind, first, shape, mutex_);
  for (uint64_t slice = 0; slice != shape.slices; ++slice, first += shape.slice_pitch)
    if (map)
      map->mark_rows(first, shape.row, shape.rows, shape.row_pitch);
    else
      for (uint64_t row = 0; row != shape.rows; ++row)
        object.record(kind, first + row * shape.row_pitch, shape.row);
}

std::vector<ReachedBytes> AccessedMemory::take(uint64_t &looked_at) {
  std::lock_guard lock(mutex_);
  std::vector<ReachedBytes> all;
  for (auto *objects : {&given_, &found_})
    for (auto &object : *objects)
      object->take(all, looked_at);
  return all;
}

std::vector<ReachedBytes> AccessedMemory::reached() const {
  std::shared_lock lock(mutex_);
  std::vector<ReachedBytes> all;
  for (const auto *objects : {&given_, &found_})
    for (const auto &object : *objects)
      object->add_to(all);
  return all;
}

} // namespace lockstep::runtime
