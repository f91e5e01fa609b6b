#include "runtime/check/launch_records.h"

#include "support/leaked.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep::runtime {

namespace {

// Those that nobody has now. Not too much is kept for later: a page takes twice what it is of.
struct Spare {
  static constexpr std::size_t most = 4, most_pages = 16384, most_groups = 8192;
  std::mutex mutex;
  std::vector<std::unique_ptr<LaunchRecords>> records;
};

Spare &spare() {
  return leaked<AfterFork::make_again>([] { return new Spare; });
}

} // namespace

Stamp StampOwners::add(uint32_t group, StampBlocks &own) {
  if (own.next == own.end) {
    own.many = std::clamp<Stamp>(2 * own.many, 1, StampBlocks::most);
    own.end = last_block_.fetch_add(own.many, std::memory_order_relaxed) + own.many + 1;
    own.next = own.end - own.many;
  }
  const Stamp block = own.next++;
  std::atomic<Chunk *> &place = chunks_[block >> chunk_bits];
  Chunk *chunk = place.load(std::memory_order_acquire);
  if (!chunk) {
    auto *made = new Chunk[chunk_size];
    if (place.compare_exchange_strong(chunk, made))
      chunk = made;
    else
      delete[] made;
  }
  chunk[block & (chunk_size - 1)].store(group, std::memory_order_relaxed);
  return block << block_bits;
}

StampOwners::~StampOwners() {
  for (std::size_t i = 0; i != chunks; ++i)
    delete[] chunks_[i].load(std::memory_order_relaxed);
}

bool StampOwners::forget() {
  const Stamp next = last_block_ + 1;
  for (std::size_t i = (horizon_ >> block_bits) >> chunk_bits; i != next >> chunk_bits; ++i)
    delete[] chunks_[i].exchange(nullptr);
  horizon_ = next << block_bits;
  return next < (chunks << chunk_bits) / 2;
}

std::unique_ptr<LaunchRecords> LaunchRecords::borrow() {
  Spare &all = spare();
  {
    std::lock_guard lock(all.mutex);
    if (!all.records.empty()) {
      auto records = std::move(all.records.back());
      all.records.pop_back();
      return records;
    }
  }
  return std::make_unique<LaunchRecords>();
}

void LaunchRecords::give_back(std::unique_ptr<LaunchRecords> records) {
  if (!records || records->shadow.pages() > Spare::most_pages ||
      records->groups.count() > Spare::most_groups || !records->owners.forget())
    return;
  records->objects.end();
  Spare &all = spare();
  std::lock_guard lock(all.mutex);
  if (all.records.size() < Spare::most)
    all.records.push_back(std::move(records));
}

} // namespace lockstep::runtime
