#include "runtime/check/shadow.h"

#include <algorithm>

namespace lockstep::runtime {

namespace {

// Pages that a launch has left; kept, since the system takes longer to give new memory than this to clear it.
struct SparePages {
  static constexpr std::size_t most = 16384;
  std::mutex mutex;
  std::vector<std::unique_ptr<ShadowPage>> pages;
};

SparePages &spare_pages() {
  static auto &pages = *new SparePages; // used until the process ends
  return pages;
}

} // namespace

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

Shadow::~Shadow() {
  SparePages &spare = spare_pages();
  std::lock_guard lock(spare.mutex);
  for (auto &page : pages_)
    if (spare.pages.size() < SparePages::most)
      spare.pages.push_back(std::move(page));
}

ShadowPage &Shadow::make_page(Low &place) {
  std::lock_guard lock(mutex_);
  if (ShadowPage *made = place.load(std::memory_order_relaxed))
    return *made;
  std::unique_ptr<ShadowPage> page;
  {
    SparePages &spare = spare_pages();
    std::lock_guard lock_of_spare(spare.mutex);
    if (!spare.pages.empty()) {
      page = std::move(spare.pages.back());
      spare.pages.pop_back();
    }
  }
  if (page)
    page->clear();
  else
    page = std::make_unique<ShadowPage>();
  pages_.push_back(std::move(page));
  place.store(pages_.back().get(), std::memory_order_release);
  return *pages_.back();
}

} // namespace lockstep::runtime
