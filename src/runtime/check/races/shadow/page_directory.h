// Maps addresses to pages of a table of the checker: the shadow of memory, and the objects of
// atomics.
//
// Requires: Page(uintptr_t first) makes the page of that address.
// Ensures: a page that exists is found without a lock, and stays until the directory is destroyed or
// cleared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep::runtime {

template <class Page, unsigned page_bits> class PageDirectory {
public:
  PageDirectory() : high_(new std::atomic<Low *>[high_size]()) {}
  PageDirectory(const PageDirectory &) = delete;
  PageDirectory &operator=(const PageDirectory &) = delete;

  Page &page(uintptr_t address) {
    const uintptr_t number = address >> page_bits;
    std::atomic<Low *> &high = high_[number >> low_bits & (high_size - 1)];
    Low *low = high.load(std::memory_order_acquire);
    if (!low) [[unlikely]] {
      std::lock_guard lock(mutex_);
      low = high.load(std::memory_order_relaxed);
      if (!low) {
        low = lows_.emplace_back(std::make_unique<Low[]>(low_size)).get();
        high.store(low, std::memory_order_release);
      }
    }
    Low &place = low[number & (low_size - 1)];
    Page *page = place.load(std::memory_order_acquire);
    return page ? *page : make_page(place, number);
  }
  std::size_t pages() const { return pages_.size(); }
  // Requires that no other thread uses the directory.
  void clear() {
    for (const auto &each : pages_) {
      const uintptr_t number = each->first() >> page_bits;
      high_[number >> low_bits & (high_size - 1)].load()[number & (low_size - 1)] = nullptr;
    }
    pages_.clear();
  }

private:
  static constexpr unsigned low_bits = 18, address_bits = 47;
  static constexpr std::size_t low_size = std::size_t(1) << low_bits,
                               high_size = std::size_t(1) << (address_bits - page_bits - low_bits);
  using Low = std::atomic<Page *>;

  [[gnu::noinline]] Page &make_page(Low &place, uintptr_t number) {
    auto made = std::make_unique<Page>(number << page_bits); // without the lock: takes long
    std::lock_guard lock(mutex_);
    if (Page *known = place.load(std::memory_order_relaxed))
      return *known;
    pages_.push_back(std::move(made));
    place.store(pages_.back().get(), std::memory_order_release);
    return *pages_.back();
  }

  std::mutex mutex_;
  std::unique_ptr<std::atomic<Low *>[]> high_;
  std::vector<std::unique_ptr<Low[]>> lows_;
  std::vector<std::unique_ptr<Page>> pages_;
};

} // namespace lockstep::runtime
