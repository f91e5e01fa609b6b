#include "runtime/check/host/closed_memory.h"

#include "platform/linux/blocked_signals.h"
#include "platform/linux/fork.h"
#include "platform/linux/futex.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "runtime/check/host/accessing_code.h"
#include "runtime/observers/host_faults.h"
#include "runtime/threads/host_threads.h"
#include "support/message.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockstep::runtime {

namespace {

constexpr std::size_t page_size = 4096;
constexpr std::chrono::nanoseconds longest_wait = std::chrono::milliseconds(500);

// ---- regions

// Never freed, so that a handler may read an entry that is about to be reused.
struct Entry {
  std::atomic<uintptr_t> begin{0}, end{0}; // equal: unused
  std::atomic<bool> by_key{false};
  std::atomic<bool> to_host_only{false}; // for Touches::of_host_code
  std::atomic<uint32_t> changes{0};      // of the program's rights
  std::atomic<uint32_t> handlers{0};
  ClosedMemory::Region *region = nullptr; // guarded by the mutex
};

// Blocks of entries, each as large as all earlier ones together.
class Entries {
public:
  static constexpr uint32_t first_block = 64;

  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  Entry &operator[](uint32_t number) {
    const unsigned block = block_of(number);
    return blocks_[block].load(std::memory_order_acquire)[number - begin_of(block)];
  }
  // Requires the mutex. Throws std::bad_alloc.
  uint32_t take() {
    if (!free_.empty()) {
      const uint32_t number = free_.back();
      free_.pop_back();
      return number;
    }
    const uint32_t number = size();
    const unsigned block = block_of(number);
    if (!blocks_[block].load(std::memory_order_relaxed))
      blocks_[block].store(new Entry[block ? begin_of(block) : first_block],
                           std::memory_order_release);
    free_.reserve(number + 1); // so that give_back() does not fail
    size_.store(number + 1, std::memory_order_release);
    return number;
  }
  void give_back(uint32_t number) { free_.push_back(number); }

private:
  static unsigned block_of(uint32_t number) {
    return unsigned(std::bit_width(number / first_block));
  }
  static uint32_t begin_of(unsigned block) { return block ? first_block << (block - 1) : 0; }

  std::array<std::atomic<Entry *>, 26> blocks_{};
  std::atomic<uint32_t> size_{0};
  std::vector<uint32_t> free_; // guarded by the mutex
};

// ---- accesses

enum class State : uint32_t { free, claimed, noted, settled, reported };

// The record of one access. It has two owners, the waiting handler and the report; the last one
// frees it.
struct Record {
  std::atomic<State> state{State::free};
  std::atomic<uint32_t> owners{0};
  Entry *entry = nullptr;
  ClosedMemory::HostAccess access{};
  compiler::StackCopy stack;
  alignas(16) std::array<std::byte, std::size_t{32} << 10> stack_bytes;
  std::optional<ClosedMemory::Report> report; // set once it is settled
};

void drop(Record &record) {
  if (record.owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
    record.state.store(State::free, std::memory_order_release);
}

struct All {
  std::mutex mutex;
  Entries entries;
  std::array<Record, 16> records;
  // A lossy cache of which places have accessed which regions and how. With this, copying much
  // memory is one access, not one per page. Entries that were lost are recognized when they are
  // reported.
  std::array<std::atomic<uint64_t>, 4096> known{};
  std::atomic<uint32_t> noted{0}; // counter; the reporting thread waits for it as a futex
  std::atomic<bool> has_reporter{false};
  std::atomic<pid_t> reporter{0}; // its thread id
  std::timed_mutex reporting;
};

// Where a handler finds it; null: not started.
constinit std::atomic<All *> all_there_is{nullptr};

All &all() {
  return leaked<AfterFork::make_again>([] { return new All; });
}

Entry *find(All &all, const HostFault &fault) {
  const auto address = reinterpret_cast<uintptr_t>(fault.address);
  const uint32_t size = all.entries.size();
  for (uint32_t i = 0; i < size; ++i) {
    Entry &entry = all.entries[i];
    const auto is_it = [&] {
      return address >= entry.begin.load(std::memory_order_seq_cst) &&
             address < entry.end.load(std::memory_order_seq_cst) &&
             entry.by_key.load(std::memory_order_relaxed) == fault.by_key &&
             !(fault.in_kernel && entry.to_host_only.load(std::memory_order_relaxed));
    };
    if (!is_it())
      continue;
    entry.handlers.fetch_add(1, std::memory_order_seq_cst);
    if (is_it())
      return &entry; // remove() waits for this handler
    entry.handlers.fetch_sub(1, std::memory_order_release);
  }
  return nullptr;
}

bool was_known(All &all, const Entry &entry, const HostFault &fault, uintptr_t pc) {
  uint64_t key = pc * 0x9e3779b97f4a7c15u ^ uint64_t(fault.writes);
  key = (key ^ reinterpret_cast<uintptr_t>(&entry)) * 0xff51afd7ed558ccdu;
  key = (key ^ key >> 31 ^ entry.changes.load(std::memory_order_relaxed)) * 0xc4ceb9fe1a85ec53u;
  key = (key ^ key >> 29) | 1;
  return all.known[key >> 32 & (all.known.size() - 1)].exchange(key, std::memory_order_relaxed) ==
         key;
}

Record *claim(All &all) {
  for (Record &record : all.records) {
    State expected = State::free;
    if (record.state.compare_exchange_strong(expected, State::claimed, std::memory_order_acq_rel))
      return &record;
  }
  return nullptr;
}

// Copies as much of the stack as is mapped: the system call reports how much it copied, page by
// page.
void copy_stack(Record &record) {
  std::array<iovec, 10> from;
  std::size_t parts = 0, size = 0;
  while (size < record.stack_bytes.size() && parts < from.size()) {
    const uintptr_t at = record.stack.begin + size;
    const std::size_t part = std::min(page_size - at % page_size, record.stack_bytes.size() - size);
    from[parts++] = {reinterpret_cast<void *>(at), part};
    size += part;
  }
  const iovec to{record.stack_bytes.data(), record.stack_bytes.size()};
  const long copied = syscall(SYS_process_vm_readv, getpid(), &to, 1UL, from.data(), parts, 0UL);
  record.stack.bytes = {record.stack_bytes.data(), std::size_t(std::max(copied, 0L))};
}

void open_page(const Entry &entry, void *address) {
  auto *page = static_cast<std::byte *>(address);
  page -= reinterpret_cast<uintptr_t>(address) % page_size;
  if (entry.by_key.load(std::memory_order_relaxed))
    ProtectionKeys::give(page, page_size, ProtectionKeys::Rights::all);
  else
    mprotect(page, page_size, PROT_READ | PROT_WRITE);
}

uint64_t now_in_handler() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

// Called in the signal handler.
bool on_access(const HostFault &fault) {
  All &all = *all_there_is.load(std::memory_order_acquire);
  Entry *entry = find(all, fault);
  if (!entry)
    return false;
  compiler::StackCopy registers;
  compiler::copy_registers(fault.machine, registers);
  Record *record = was_known(all, *entry, fault, registers.pc) ? nullptr : claim(all);
  if (record) {
    record->entry = entry;
    record->access = {static_cast<std::byte *>(fault.address), fault.writes};
    record->stack = registers;
    copy_stack(*record);
    record->owners.store(2, std::memory_order_relaxed);
    record->state.store(State::noted, std::memory_order_release);
  }
  open_page(*entry, fault.address);
  entry->handlers.fetch_sub(1, std::memory_order_release);
  if (!record)
    return true;
  all.noted.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_one(&all.noted);
  const uint64_t begin = now_in_handler();
  const bool is_awaited =
      all.has_reporter.load(std::memory_order_relaxed) &&
      all.reporter.load(std::memory_order_relaxed) != pid_t(syscall(SYS_gettid));
  for (auto left = longest_wait; is_awaited && left.count() > 0;
       left = longest_wait - std::chrono::nanoseconds(now_in_handler() - begin)) {
    const State now = record->state.load(std::memory_order_acquire);
    if (now == State::reported)
      break;
    futex_wait(&record->state, uint32_t(now), left);
  }
  drop(*record);
  return true;
}

// ---- reports

void write_report(const Record &record, ClosedMemory::Report report) {
  if (const auto place = first_access(record.access.what(), record.stack, report.kind)) {
    report.finding.places = {*place};
    Findings::instance().report(std::move(report.finding));
  }
}

// The reporting thread and a destructor that settles have no caller that could handle
// std::bad_alloc.
template <class Function> void unless_memory_lacks(Function function) noexcept {
  static constinit std::atomic<bool> has_reported{false};
  try {
    function();
  } catch (const std::bad_alloc &) {
    if (!has_reported.exchange(true))
      print_message("no memory to report what the host code touches: some of it is not reported");
  }
}

void report(Record &record) {
  if (record.report)
    unless_memory_lacks([&] { write_report(record, std::move(*record.report)); });
  record.report.reset();
  record.state.store(State::reported, std::memory_order_release);
  futex_wake_all(&record.state);
  drop(record);
}

// One thread at a time calls this.
void report_recorded() {
  All &all = runtime::all();
  {
    std::lock_guard lock(all.mutex);
    ClosedMemory::settle();
  }
  for (Record &record : all.records)
    if (record.state.load(std::memory_order_acquire) == State::settled)
      report(record);
}

[[noreturn]] void run_reporter() {
  const ServiceThread this_one;
  const ThreadRights rights(ThreadRights::Whose::command);
  pthread_setname_np(pthread_self(), "lockstep-touch");
  All &all = runtime::all();
  all.reporter.store(pid_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  for (;;) {
    const uint32_t noted = all.noted.load(std::memory_order_seq_cst);
    {
      std::lock_guard lock(all.reporting);
      report_recorded();
    }
    futex_wait(&all.noted, noted);
  }
}

} // namespace

void ClosedMemory::start() {
  All &all = runtime::all();
  all_there_is.store(&all, std::memory_order_release);
  Findings::before_summary(report_all);
  fault_repair_hook = on_access;
  in_forked_child([] { // until the child has regions of its own
    fault_repair_hook = nullptr;
    all_there_is = nullptr;
  });
  BlockedSignals blocked;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  // If the thread cannot be created, accesses are reported at the end of the process.
  all.has_reporter =
      pthread_create(&thread, &attributes, [](void *) -> void * { run_reporter(); }, nullptr) == 0;
  pthread_attr_destroy(&attributes);
}

std::mutex &ClosedMemory::mutex() {
  return all().mutex;
}

void ClosedMemory::add(Region &region, std::byte *begin, std::byte *end, bool by_key,
                       ReportedCode accesses) {
  if (begin == end)
    return;
  region.generation_ = fork_generation();
  region.entry_ = all().entries.take();
  Entry &entry = all().entries[uint32_t(region.entry_)];
  entry.region = &region;
  // Accesses of this region differ from those of the previous one in the entry.
  entry.changes.fetch_add(1, std::memory_order_relaxed);
  entry.by_key.store(by_key, std::memory_order_relaxed);
  entry.to_host_only.store(accesses == ReportedCode::of_host_code, std::memory_order_relaxed);
  entry.end.store(reinterpret_cast<uintptr_t>(end), std::memory_order_seq_cst);
  entry.begin.store(reinterpret_cast<uintptr_t>(begin), std::memory_order_seq_cst);
}

void ClosedMemory::remove(Region &region) {
  if (region.entry_ < 0 || region.generation_ != fork_generation())
    return;
  const auto number = uint32_t(std::exchange(region.entry_, -1));
  Entry &entry = all().entries[number];
  entry.end.store(0, std::memory_order_seq_cst);
  entry.begin.store(0, std::memory_order_seq_cst);
  while (entry.handlers.load(std::memory_order_seq_cst) != 0)
    sched_yield(); // a handler takes a few system calls
  settle();
  entry.region = nullptr;
  all().entries.give_back(number);
}

void ClosedMemory::about_to_change(const Region &region) {
  settle();
  if (region.entry_ >= 0 && region.generation_ == fork_generation())
    all().entries[uint32_t(region.entry_)].changes.fetch_add(1, std::memory_order_relaxed);
}

void ClosedMemory::settle() {
  for (Record &record : all().records) {
    if (record.state.load(std::memory_order_acquire) != State::noted)
      continue;
    if (Region *region = record.entry->region)
      unless_memory_lacks([&] { record.report = region->report_of(record.access); });
    record.state.store(State::settled, std::memory_order_release);
  }
}

void ClosedMemory::report_all() {
  All *all = all_there_is.load(std::memory_order_acquire);
  if (!all)
    return;
  std::unique_lock lock(all->reporting, std::chrono::seconds(2));
  if (lock)
    report_recorded();
}

} // namespace lockstep::runtime
