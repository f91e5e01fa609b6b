// Stores accesses in shadow pages (shadow.h): rows, scattered lanes, and rows of a copy. Accesses
// that QuickCheck does not pass are compared exactly (compare_accesses.cpp).
#include "runtime/check/races/launch/access_comparer.h"

#include "runtime/check/options/check_options.h"
#include "runtime/check/races/shadow/quick_check.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/memory/pipe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace lockstep::runtime {

inline QuickCheck AccessComparer::quick_check_of(const CheckedAccess &access, uint32_t item) const {
  const CheckedGroup &group = access.group;
  const RecordKind kind = NumberedSites::kind_of(access.place);
  const bool copies = is_copy(item);
  const bool is_local = access.memory == checked_local;
  const Epoch own = group.now & ~(EpochOwners::block_size - 1), base = group.base[access.memory],
              all_awaited = group.all_awaited(),
              awaited = copies ? std::max(all_awaited, group.copies_divided) : all_awaited;
  const Epoch from = is_local ? 0 : group.run; // the previous group with that memory has ended
  auto many = [&](Epoch end) {
    return std::max(is_local ? std::max(end, group.first) : end, from) - from;
  };
  return {.horizon = state_.known_records().owners.horizon(),
          .from = from,
          .ordered = many(base),
          .copies = many(awaited),
          .earlier_from = group.earlier,
          .earlier_many =
              std::max(std::min(base, group.earlier_end), group.earlier) - group.earlier,
          .own = own,
          .first_copy = first_copy,
          .interval = base,
          .is_write = kind == RecordKind::write,
          .is_atomic = is_atomic(kind) || NumberedSites::is_guess(access.place),
          .two_stand_for_all = have_barriers_only(access) && !copies,
          .has_one_block = have_barriers_only(access) && group.first >= own,
          .names_both = state_.names_both};
}

AccessRecord AccessComparer::record_of(const CheckedAccess &access, uint32_t item) {
  return {.epoch = access.group.now,
          .item = uint16_t(item),
          .last_item = uint16_t(item),
          .site = access.place,
          .kind = NumberedSites::kind_of(access.place),
          .reach = NumberedSites::reach(access.place),
          .is_guess = NumberedSites::is_guess(access.place)};
}

AccessComparer::Visit AccessComparer::visit_of(const CheckedAccess &access, uint32_t item) const {
  return {access, record_of(access, item), quick_check_of(access, item)};
}

ShadowPage &AccessComparer::page_at(Visit &visited, uintptr_t address, ShadowPage *&locked) {
  if (locked && locked->has(address))
    return *locked;
  ShadowPage &here = state_.known_records().shadow.page(address);
  if (locked)
    std::exchange(locked, nullptr)->unlock();
  here.lock(state_.number, state_.is_alone);
  locked = &here;
  if (!state_.is_alone)
    here.fetch(address);
  visited.enter(here);
  return here;
}

// Like visit(), with a fast path: if the last access was made by the work-item whose release we
// acquired last, it happened before us. This covers locks taken in turn. Atomics qualify if that
// access was an atomic of the same kind.
[[gnu::always_inline]] inline void AccessComparer::visit_one(const CheckedAccess &access,
                                                             uintptr_t address, uint32_t item) {
  Clock::Release last;
  if (access.site.is_ordered_by_atomics())
    last = access.group.known_by(item, access.memory).last_added();
  const Epoch from = last.epoch & ~(EpochOwners::block_size - 1); // epochs of one group
  LockedPage locked{&state_.known_records().shadow.page(address)};
  ShadowPage &page = *locked.page;
  page.lock(state_.number, state_.is_alone);
  if (!page.uses_words() && visit_one_as_run(access, page, address, item)) [[unlikely]]
    return;
  if (!state_.is_alone)
    page.fetch(address);
  const uint64_t size = access.site.size;
  if (size != page.granule() || (address & (size - 1))) {
    Visit visited{access, record_of(access, item), quick_check_of(access, item)};
    visited.enter(page);
    return visit(visited, address, size, locked.page);
  }
  const RecordKind kind = NumberedSites::kind_of(access.place);
  if (kind == RecordKind::write)
    page.begin_writes();
  const uint32_t word =
      RecordWord::of_one(page.context_of(access.group.now, access.place),
                         is_atomic(kind) || NumberedSites::is_guess(access.place), item);
  const std::size_t index = page.index(address);
  if (kind == RecordKind::write && last) {
    access.group.written = {access.group.now, access.place, page.version(),
                            word & ~RecordWord::item_mask, &page};
    if (size == sizeof(uint32_t) && page.replace_write(address, word, last.item, from, last.epoch))
      return;
  }
  QuickCheck quick = quick_check_of(access, item);
  if (last)
    quick.know(from, last.epoch, last.item);
  if (quick.pass(page.words(0), index, word))
    return;
  if (is_atomic(kind) && NumberedSites::is_plain_atomic(access.place) && !page.others()) {
    uint32_t &since = page.sinces()[index];
    const uint32_t *const epochs = page.words(0).epochs;
    if (since & RecordWord::atomic_bit && !page.is_set(since) &&
        NumberedSites::kind_of(page.site(since)) == kind &&
        quick.passes(epochs, page.writes() ? page.writes()[index] : 0, item) &&
        quick.passes(epochs, since, item)) {
      since = word;
      return;
    }
  }
  compare({access, record_of(access, item), quick, word}, page, index, address);
}

void AccessComparer::access_by_one(const CheckedAccess &access, const void *first, int64_t stride,
                                   uint64_t one, uint64_t first_item) {
  state_.begin_epoch_after_release(access.group, one, first_item);
  const auto lane = unsigned(std::countr_zero(one));
  visit_one(access,
            stride == compiler::any_addresses
                ? reinterpret_cast<const uintptr_t *>(first)[lane]
                : reinterpret_cast<uintptr_t>(first) + uintptr_t(stride) * lane,
            uint32_t(first_item) + lane);
}

void AccessComparer::visit_by_one(const CheckedAccess &access, uintptr_t address, uint32_t item) {
  visit_one(access, address, item);
}

void AccessComparer::access(const CheckedAccess &access, const void *address, int64_t stride,
                            uint64_t lanes, uint64_t first_item) {
  state_.begin_epoch_after_release(access.group, lanes, first_item);
  if (stride == compiler::any_addresses && access.group.alone.many &&
      access.group.alone.place == access.place && access.group.alone.epoch == access.group.now)
    if (lanes = visit_alone(access, static_cast<const uintptr_t *>(address), lanes, first_item);
        !lanes)
      return;
  if (!(lanes & (lanes - 1)))
    return access_by_one(access, address, stride, lanes, first_item);
  const auto first = reinterpret_cast<uintptr_t>(address);
  if (stride == run_granule && access.memory == checked_global && !(first & (run_granule - 1)))
    if (lanes = visit_runs(access.group, access.place, first, lanes, uint32_t(first_item)); !lanes)
      return;
  Visit visited = visit_of(access, uint32_t(first_item));
  LockedPage locked;
  ShadowPage *&page = locked.page;
  if (stride == int64_t(access.site.size)) {
    visit_row(visited, first, lanes, page);
  } else if (stride == 0 && is_read_together(access, lanes, first_item)) {
    visited.set_items(lanes, first_item);
    visit(visited, first, access.site.size, page);
  } else if (stride == compiler::any_addresses) {
    visit_places(visited, reinterpret_cast<const uintptr_t *>(address), lanes, page);
  } else {
    uintptr_t addresses[64];
    for (unsigned lane = 0; lane != 64u - unsigned(std::countl_zero(lanes)); ++lane)
      addresses[lane] = first + uintptr_t(stride) * lane;
    visit_places(visited, addresses, lanes, page);
  }
}

void AccessComparer::Visit::set_items(uint64_t lanes, uint64_t first_item) {
  record.item = uint16_t(first_item + unsigned(std::countr_zero(lanes)));
  record.last_item = uint16_t(first_item + unsigned(std::bit_width(lanes)) - 1);
  quick.is_single = record.item == record.last_item;
}

void AccessComparer::visit_places(Visit &visited, const uintptr_t *addresses, uint64_t lanes,
                                  ShadowPage *&page) {
  const uint32_t first_item = visited.record.item;
  for (unsigned first = 0; first != 64 && lanes >> first; first += 16) {
    const SixteenAddresses some{addresses + first, uint32_t(lanes >> first & 0xffff)};
    if (!some.lanes)
      continue;
    visited.set_item(first_item + first);
    if (some.are_row(visited.access.site.size)) {
      const auto skipped = unsigned(std::countr_zero(some.lanes));
      visited.set_item(first_item + first + skipped);
      visit_row(visited, some.addresses[skipped], some.lanes >> skipped, page);
    } else {
      visit_sixteen(visited, some.addresses, some.lanes, page);
    }
  }
}

// Atomics of one group on a page without other accesses need no comparison. Returns the remaining
// lanes.
uint64_t AccessComparer::visit_alone(const CheckedAccess &access, const uintptr_t *addresses,
                                     uint64_t lanes, uint64_t first_item) {
  AloneOnPages &alone = access.group.alone;
  std::array<LockedPage, 2> locked; // all threads lock two pages in the same order
  for (unsigned i = 0; i != alone.many; ++i) {
    alone.pages[i]->lock(state_.number, state_.is_alone);
    locked[i].page = alone.pages[i];
    if (alone.versions[i] != alone.pages[i]->version()) {
      alone.many = 0;
      return lanes;
    }
  }
  const std::span<const AtomicsOnPage> pages(alone.atomics.data(), alone.many);
  const Epoch horizon = state_.known_records().owners.horizon();
  for (unsigned first = 0; first != 64 && lanes >> first; first += 16)
    if (const SixteenAddresses some{addresses + first, uint32_t(lanes >> first & 0xffff)};
        some.lanes)
      lanes &= ~(uint64_t(some.leave_atomics(pages, access.site.size, horizon,
                                             uint32_t(first_item) + first))
                 << first);
  return lanes;
}

void AccessComparer::record_alone(const Visit &visited, ShadowPage &page) const {
  const auto &[access, record, quick, word] = visited;
  if (quick.is_atomic && quick.two_stand_for_all && page.has_only(record.site) &&
      page.granule() == access.site.size)
    access.group.alone.note(access.place, record.epoch, page, word);
}

// Visits lanes of one page together.
void AccessComparer::visit_sixteen(Visit &visited, const uintptr_t *addresses, uint32_t lanes,
                                   ShadowPage *&page) {
  const uint64_t size = visited.access.site.size;
  const uint32_t first_item = visited.record.item;
  while (lanes) {
    ShadowPage &here = page_at(visited, addresses[std::countr_zero(lanes)], page);
    alignas(64) uint32_t places[16];
    uintptr_t all = 0;
    uint32_t some = SixteenAddresses{addresses, lanes}.on_page(
        here.first(), unsigned(here.granule()), places, all);
    lanes &= ~some;
    visited.set_item(first_item);
    record_alone(visited, here);
    if (size == here.granule() && !(all & (size - 1)) && (some & (some - 1)))
      some = pass_places(visited.quick, here.words(0), some, places, visited.word);
    for (; some; some &= some - 1) {
      const auto lane = unsigned(std::countr_zero(some));
      visited.set_item(first_item + lane);
      visit(visited, addresses[lane], size, page);
    }
  }
}

// Several work-items that read one word count as one, unless one of them alone has been ordered
// after other accesses.
bool AccessComparer::is_read_together(const CheckedAccess &access, uint64_t lanes,
                                      uint64_t first_item) const {
  const uint64_t together = lanes >> std::countr_zero(lanes);
  if (writes(NumberedSites::kind_of(access.place)) || (together & (together + 1)) ||
      !std::has_single_bit(unsigned(std::popcount(lanes))))
    return false;
  return have_barriers_only(access) || (access.group.sub_group_barriers.empty() &&
                                        access.group.items.are_alike(lanes, first_item));
}

void AccessComparer::visit_together(const CheckedAccess &access, uintptr_t address, uint64_t lanes,
                                    uint64_t first_item) {
  LockedPage locked;
  const bool as_one = is_read_together(access, lanes, first_item);
  for (uint64_t rest = lanes; rest;) {
    const uint64_t some = as_one ? rest : rest & -rest;
    Visit visited = visit_of(access, uint32_t(first_item));
    visited.set_items(some, first_item);
    visit(visited, address, access.site.size, locked.page);
    rest &= ~some;
  }
}

// Reads of words that work-items of other groups have written and released, by work-items that have
// acquired the same: typical of the group that sums up what all others have left. The result is
// that of compare(), which searches the clock for each word. Returns the remaining lanes.
uint64_t AccessComparer::pass_released(const Visit &visited, ShadowPage &page, std::size_t index,
                                       uint64_t lanes, uint32_t first_item) const {
  const auto &[access, record, quick, word] = visited;
  const CheckedGroup &group = access.group;
  if (!(lanes & (lanes - 1)) || record.kind != RecordKind::read || record.is_guess ||
      access.memory != checked_global || !access.site.is_ordered_by_atomics() || !page.writes() ||
      page.others() || !group.items.are_alike(lanes, first_item))
    return lanes;
  const uint32_t *const writes = page.writes() + index;
  uint32_t *const sinces = page.sinces() + index;
  Clock::Cursor known(
      group.known_by(first_item + uint32_t(std::countr_zero(lanes)), access.memory));
  uint64_t rest = lanes;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    const uint32_t write = writes[lane], writer = write & RecordWord::item_mask;
    const Epoch epoch = page.epoch(write);
    if (write & (RecordWord::run_mask | RecordWord::reader_bit) || is_copy(writer) ||
        epoch < quick.horizon || page.epoch(sinces[lane]) >= quick.horizon)
      continue;
    const uint32_t owner = state_.group_of(epoch);
    if (owner == group.number || !known.covers(owner, writer, epoch))
      continue;
    sinces[lane] = word + lane;
    rest &= ~(uint64_t(1) << lane);
  }
  return rest;
}

// Consecutive cells, page by page.
void AccessComparer::visit_row(Visit &visited, uintptr_t address, uint64_t lanes,
                               ShadowPage *&page) {
  const uint64_t size = visited.access.site.size;
  for (uint32_t item = visited.record.item; lanes;) {
    const int skipped = std::countr_zero(lanes);
    address += size * unsigned(skipped);
    item += uint32_t(skipped);
    lanes >>= skipped;
    ShadowPage &here = page_at(visited, address, page);
    const uint64_t left = ShadowPage::bytes - (address & (ShadowPage::bytes - 1));
    const uint64_t many = std::clamp<uint64_t>(left / size, 1, 64);
    const uint64_t some = many == 64 ? lanes : lanes & ((uint64_t(1) << many) - 1);
    visited.set_item(item);
    uint64_t rest = some;
    here.fetch_after(here.index(address));
    if (here.granule() == size && address % size == 0)
      rest = pass_released(
          visited, here, here.index(address),
          pass_words(visited.quick, here.words(here.index(address)), some, visited.word, 1), item);
    for (; rest; rest &= rest - 1) {
      const auto lane = uint32_t(std::countr_zero(rest));
      visited.set_item(item + lane);
      visit(visited, address + size * lane, size, page);
    }
    if (many == 64)
      return;
    address += size * many;
    item += uint32_t(many);
    lanes >>= many;
  }
}

// `page` is the locked page.
void AccessComparer::visit(Visit &visited, uintptr_t address, uint64_t size, ShadowPage *&page) {
  constexpr uint64_t most = 64, few = 4; // granules
  if (ShadowPage &here = page_at(visited, address, page);
      size == here.granule() && (address & (size - 1)) == 0)
    return visit_granule(visited, here, here.index(address), address);
  const uintptr_t end = address + size;
  for (uintptr_t at = address; at < end;) {
    ShadowPage &here = page_at(visited, at, page);
    if (here.granule() != 1 && ((address | size) & (here.granule() - 1)))
      here.make_bytes();
    const uint64_t granule = here.granule();
    const uintptr_t stop = std::min(end, (at | (ShadowPage::bytes - 1)) + 1);
    while (at < stop) {
      const std::size_t index = here.index(at);
      const uint64_t many = std::min(most, (stop - at) / granule);
      uint64_t rest = ~uint64_t(0) >> (64 - many);
      if (many >= few)
        rest = pass_words(visited.quick, here.words(index), rest, visited.word, 0);
      for (; rest; rest &= rest - 1) {
        const auto i = unsigned(std::countr_zero(rest));
        visit_granule(visited, here, index + i, at + i * granule);
      }
      at += many * granule;
    }
  }
}

void AccessComparer::visit_copy(const CheckedAccess &access, uintptr_t address,
                                const compiler::CopyShape &shape, uint32_t item) {
  Visit visited = visit_of(access, item);
  LockedPage locked;
  for (uint64_t slice = 0; slice != shape.slices; ++slice)
    visit_strided(visited, address + slice * shape.slice_pitch, shape, locked.page);
}

// Rows of a copy, of one cell each: several per page at once.
void AccessComparer::visit_strided(Visit &visited, uintptr_t address,
                                   const compiler::CopyShape &shape, ShadowPage *&page) {
  for (uint64_t row = 0; row != shape.rows;) {
    ShadowPage &here = page_at(visited, address, page);
    const uint64_t granule = here.granule(), step = shape.row_pitch / granule,
                   left = (ShadowPage::bytes - (address & (ShadowPage::bytes - 1))) / granule;
    if (shape.row != granule || ((address | shape.row_pitch) & (granule - 1)) || step == 0 ||
        step > 16 || left == 0) {
      visit(visited, address, shape.row, page);
      address += shape.row_pitch;
      ++row;
      continue;
    }
    const std::size_t index = here.index(address);
    uint64_t which = 0, many = 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(left, 64) && row + many != shape.rows; i += step) {
      which |= uint64_t(1) << i;
      ++many;
    }
    for (uint64_t rest = pass_words(visited.quick, here.words(index), which, visited.word, 0); rest;
         rest &= rest - 1) {
      const auto i = unsigned(std::countr_zero(rest));
      visit_granule(visited, here, index + i, address + i * granule);
    }
    row += many;
    address += many * shape.row_pitch;
  }
}

// Only the reserving work-item may use reserved packets. A reservation is ordered after everything
// done with the packets before, because their commit was. So old records are dropped. A commit
// counts as an access, because reads and writes of the packets must be ordered before it.
void AccessComparer::packets(const CheckedAccess &access, const void *pipe, uint64_t first,
                             uint64_t count, uint32_t item) {
  const auto &ring = *static_cast<const PipeRing *>(pipe);
  const uint64_t slot = first & (ring.slots - 1), many = std::min(count, ring.slots),
                 until_end = std::min(many, ring.slots - slot);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(pipe) + ring.first_packet;
  visit_packets(access, begin + slot * ring.packet_size, until_end * ring.packet_size, item);
  visit_packets(access, begin, (many - until_end) * ring.packet_size, item);
}

void AccessComparer::visit_packets(const CheckedAccess &access, uintptr_t address, uint64_t size,
                                   uint32_t item) {
  if (size == 0)
    return;
  if (is_reservation(access.site.kind))
    return forget(address, size);
  state_.begin_epoch_after_release(access.group, 1, item);
  Visit visited = visit_of(access, item);
  LockedPage locked;
  visit(visited, address, size, locked.page);
}

void AccessComparer::forget(uintptr_t address, uint64_t size) {
  for (const uintptr_t end = address + size; address != end;) {
    ShadowPage &page = state_.known_records().shadow.page(address);
    page.lock(state_.number, state_.is_alone);
    const LockedPage locked{&page};
    page.use_words();
    const uintptr_t stop = std::min(end, (address | (ShadowPage::bytes - 1)) + 1);
    if ((address | stop) & (page.granule() - 1))
      page.make_bytes();
    page.forget(page.index(address), (stop - address) / page.granule());
    address = stop;
  }
}

inline void AccessComparer::visit_granule(const Visit &visited, ShadowPage &page, std::size_t index,
                                          uintptr_t address) {
  if (!visited.quick.pass(page.words(0), index, visited.word))
    compare(visited, page, index, address);
}

} // namespace lockstep::runtime
