#include "runtime/check/races/launch/launch_records.h"

#include "platform/linux/leaked.h"
#include "runtime/check/options/check_memory.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace lockstep::runtime {

namespace {

// Free list. Bounded, because shadow memory is twice the size of the memory that it describes:
// pages of 128 MiB in all. A launch that accesses more makes its pages again each time, and one
// thread frees them at its end.
struct Spare {
  static constexpr std::size_t most = 4, most_pages = 32768, most_groups = 8192;
  std::mutex mutex;
  std::size_t pages = 0; // of all records
  std::vector<std::unique_ptr<LaunchRecords>> records;
};

Spare &spare() {
  return leaked<AfterFork::make_again>([] { return new Spare; });
}

} // namespace

static constinit std::atomic<Epoch> first_block = 1;

void EpochOwners::begin_with(Epoch block) {
  first_block = block;
}

EpochOwners::EpochOwners()
    : horizon_(first_block << block_bits), chunks_(new std::atomic<Chunk *>[chunks]()),
      last_block_(first_block - 1) {}

void EpochOwners::use_up() {
  are_used_up_.store(true, std::memory_order_relaxed);
  throw std::bad_alloc();
}

Epoch EpochOwners::add(uint32_t group, EpochBlocks &own) {
  if (own.next == own.end) {
    own.many = std::clamp<Epoch>(2 * own.many, 1, EpochBlocks::most);
    const uint64_t before = last_block_.fetch_add(own.many, std::memory_order_relaxed);
    if (before + own.many >= blocks - 1) // the last epoch + 1 must be an epoch, too
      use_up();
    own.next = Epoch(before + 1);
    own.end = own.next + own.many;
  }
  const Epoch block = own.next++;
  std::atomic<Chunk *> &place = chunks_[block >> chunk_bits];
  Chunk *chunk = place.load(std::memory_order_acquire);
  if (!chunk) {
    if (!CheckMemory::reserve(sizeof(Chunk[chunk_size])))
      throw std::bad_alloc();
    Chunk *made = new (std::nothrow) Chunk[chunk_size];
    if (made && place.compare_exchange_strong(chunk, made)) {
      chunk = made;
    } else {
      CheckMemory::release(sizeof(Chunk[chunk_size]));
      delete[] made;
    }
    if (!chunk)
      throw std::bad_alloc();
  }
  chunk[block & (chunk_size - 1)].store(group, std::memory_order_relaxed);
  return block << block_bits;
}

void EpochOwners::drop(std::size_t chunk) {
  if (Chunk *dropped = chunks_[chunk].exchange(nullptr)) {
    delete[] dropped;
    CheckMemory::release(sizeof(Chunk[chunk_size]));
  }
}

EpochOwners::~EpochOwners() {
  for (std::size_t i = 0; i != chunks; ++i)
    drop(i);
}

bool EpochOwners::forget() {
  const uint64_t next = last_block_ + 1;
  if (next >= blocks / 2)
    return false;
  for (std::size_t i = (horizon_ >> block_bits) >> chunk_bits; i != next >> chunk_bits; ++i)
    drop(i);
  horizon_ = Epoch(next) << block_bits;
  return true;
}

std::unique_ptr<LaunchRecords> LaunchRecords::borrow() {
  Spare &all = spare();
  {
    std::lock_guard lock(all.mutex);
    if (!all.records.empty()) {
      auto records = std::move(all.records.back());
      all.records.pop_back();
      all.pages -= records->shadow.pages();
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
  const std::size_t pages = records->shadow.pages();
  if (all.records.size() >= Spare::most || all.pages + pages > Spare::most_pages)
    return; // `lock` is released first: freeing many pages takes long
  try {
    all.records.push_back(std::move(records));
    all.pages += pages;
  } catch (const std::bad_alloc &) { // called from a destructor: drop the records
  }
}

} // namespace lockstep::runtime
