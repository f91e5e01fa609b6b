#include "runtime/check/shadow.h"

#include <algorithm>

namespace lockstep::runtime {

void ShadowPage::make_bytes() {
  if (granule_ == 1)
    return;
  std::vector<ShadowCell> narrow(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    narrow[i] = cells_[i / granule_];
    if (narrow[i].set == ShadowCell::no_set || i % granule_ == 0)
      continue;
    ShadowSet copy = sets_[narrow[i].set];
    narrow[i].set = ShadowCell::no_set;
    set_of(narrow[i]) = std::move(copy);
  }
  cells_ = std::move(narrow);
  granule_ = 1;
}

ShadowSet &ShadowPage::set_of(ShadowCell &cell) {
  if (cell.set != ShadowCell::no_set)
    return sets_[cell.set];
  if (free_sets_.empty()) {
    cell.set = uint32_t(sets_.size());
    sets_.emplace_back();
  } else {
    cell.set = free_sets_.back();
    free_sets_.pop_back();
  }
  ShadowSet &set = sets_[cell.set];
  if (cell.since) {
    set.records.push_back(cell.since);
    set.only_atomics = cell.since.kind >= RecordKind::atomic_read && !cell.since.is_narrow;
  }
  cell.since = {};
  return set;
}

void ShadowPage::drop_set(ShadowCell &cell) {
  if (cell.set == ShadowCell::no_set)
    return;
  sets_[cell.set] = {};
  free_sets_.push_back(cell.set);
  cell.set = ShadowCell::no_set;
}

void ShadowPage::clear() {
  if (granule_ == 1) {
    granule_ = 4;
    cells_ = std::vector<ShadowCell>(bytes / granule_);
  } else {
    std::fill(cells_.begin(), cells_.end(), ShadowCell{});
  }
  sets_.clear();
  free_sets_.clear();
}

Shadow::Shadow() : high_(new std::atomic<Low *>[high_size]()) {}

Shadow::~Shadow() = default;

ShadowPage &Shadow::make_page(Low &place) {
  std::lock_guard lock(mutex_);
  if (ShadowPage *made = place.load(std::memory_order_relaxed))
    return *made;
  pages_.push_back(std::make_unique<ShadowPage>());
  place.store(pages_.back().get(), std::memory_order_release);
  return *pages_.back();
}

} // namespace lockstep::runtime
