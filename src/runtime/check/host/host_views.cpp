#include "runtime/check/host/host_views.h"

#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "runtime/check/host/closed_memory.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/findings.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/map_change.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t page_size = 4096;

std::size_t round_up(std::size_t size) {
  return (size + page_size - 1) / page_size * page_size;
}

} // namespace

class HostViews::View final : public ClosedMemory::Region {
public:
  // For a buffer: memory at two addresses.
  static std::shared_ptr<View> make(std::size_t size) {
    const int file = memfd_create("lockstep buffer", MFD_CLOEXEC);
    if (file < 0)
      return nullptr;
    std::shared_ptr<View> view(new View(Of::buffer, size));
    if (ftruncate(file, off_t(view->mapped_)) == 0) {
      view->memory_ = map(view->mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file);
      view->host_ = map(view->mapped_, PROT_NONE, MAP_SHARED, file);
    }
    ::close(file);
    return view->memory_ && view->host_ ? known(view) : nullptr;
  }
  // For an allocation: memory at one address, closed by a protection key.
  static std::shared_ptr<View> make_closed(const AllocationRequest &request) {
    const bool is_mappable = request.kind == AllocationKind::coarse_svm;
    std::shared_ptr<View> view(
        new View(is_mappable ? Of::shared_memory : Of::device_memory, request.size));
    const std::size_t alignment = std::max(request.alignment, page_size);
    std::byte *all =
        map(view->mapped_ + alignment - page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
    if (!all)
      return nullptr;
    const std::size_t before = -reinterpret_cast<uintptr_t>(all) & (alignment - 1);
    if (before != 0)
      munmap(all, before);
    if (const std::size_t behind = alignment - page_size - before; behind != 0)
      munmap(all + before + view->mapped_, behind);
    view->memory_ = view->host_ = all + before;
    return view->give(0, view->mapped_, PROT_NONE) ? known(view) : nullptr;
  }
  ~View() {
    if (is_known_) {
      HostViews &all = instance();
      std::lock_guard lock(ClosedMemory::mutex());
      all.by_memory_.erase(reinterpret_cast<uintptr_t>(memory_));
      all.by_host_.erase(reinterpret_cast<uintptr_t>(host_));
      ClosedMemory::remove(*this);
    }
    if (memory_)
      munmap(memory_, mapped_);
    if (host_ && host_ != memory_)
      munmap(host_, mapped_);
  }
  View(const View &) = delete;
  View &operator=(const View &) = delete;

  std::byte *memory() const { return memory_; }
  std::byte *host() const { return host_; }
  std::size_t size() const { return size_; }

  void open(const Opened &region) {
    ClosedMemory::about_to_change(*this);
    opened_.push_back(region);
    was_mapped_ = true;
    has_accessors_ |= region.by_accessor;
    protect(region);
  }
  void close(const Opened &region) {
    const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const Opened &each) {
      return each.begin == region.begin &&
             (each.for_writing == region.for_writing || of_ == Of::shared_memory);
    });
    if (found == opened_.end())
      return; // the map has failed
    ClosedMemory::about_to_change(*this);
    const Opened was = *found;
    opened_.erase(found);
    protect(was);
  }
  bool is_by_key() const { return of_ != Of::buffer; }
  bool is_open(std::size_t byte) const {
    return std::any_of(opened_.begin(), opened_.end(), [&](const Opened &each) {
      return std::size_t(memory_ + byte - each.begin) < each.size;
    });
  }
  // Whether all of the bytes are open.
  bool is_open(std::size_t byte, std::size_t size, bool for_writing) const {
    const auto opens = [&](const Opened &each, std::size_t here) {
      return std::size_t(memory_ + here - each.begin) < each.size &&
             (!for_writing || each.for_writing);
    };
    for (std::size_t here = byte; here < byte + size;) {
      const auto found = std::find_if(opened_.begin(), opened_.end(),
                                      [&](const Opened &each) { return opens(each, here); });
      if (found == opened_.end())
        return false;
      here = std::size_t(found->begin - memory_) + found->size;
    }
    return true;
  }
  bool has_accessors() const { return has_accessors_; }
  std::optional<ClosedMemory::Report> report_of(const ClosedMemory::HostAccess &access) override {
    const auto byte = std::size_t(access.address - host_);
    const bool is_for_reading = is_open(byte);
    if (is_for_reading && !access.writes)
      return std::nullopt; // by a thread older than the protection key
    ClosedMemory::Report report;
    report.kind = is_for_reading ? "mapped for reading" : "not mapped";
    report.finding.kind = "commands";
    report.finding.kernel = "host";
    report.finding.headline = headline(is_for_reading, access.what());
    report.finding.explanation = {explanation(is_for_reading, byte)};
    return report;
  }

private:
  // For an access to closed memory, or a write to memory that is open for reading.
  std::string headline(bool is_open, const char *what) const {
    if (is_open)
      return has_accessors_ ? "the program writes what a host_accessor gave it to read"
                            : "the program writes what it has mapped for reading only";
    switch (of_) {
    case Of::buffer:
      return fmt::format("the program {}s memory of a buffer that {}", what,
                         has_accessors_ ? "no host_accessor gives it any more" : "is not mapped");
    case Of::shared_memory:
      return fmt::format("the program {}s coarse-grained shared virtual memory that is not mapped",
                         what);
    case Of::device_memory:
      break;
    }
    return fmt::format(
        "the program {}s memory of a device, which commands and kernels alone may touch", what);
  }
  std::string explanation(bool is_open, std::size_t byte) const {
    std::string text = fmt::format("byte {} of {} of {} bytes", byte,
                                   of_ == Of::buffer ? "a buffer" : "an allocation", size_);
    if (is_open)
      return text;
    if (of_ == Of::device_memory)
      return text + ": a copy brings it to where the program may read it";
    return text +
           (has_accessors_
                ? ", of which no host_accessor that lives has this byte: a pointer of one was kept"
            : was_mapped_
                ? ", of which no map that has ended and no unmap has followed has this byte"
                : ", and the program has waited for no map of it; a query of its status is not a "
                  "wait");
  }

  enum class Of { buffer, shared_memory, device_memory };
  View(Of of, std::size_t size)
      : of_(of), size_(size), mapped_(round_up(std::max<std::size_t>(size, 1))) {}
  static std::byte *map(std::size_t size, int rights, int kind, int file) {
    void *made =
        mmap(nullptr, size, rights, kind | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    return made == MAP_FAILED ? nullptr : static_cast<std::byte *>(made);
  }
  static std::shared_ptr<View> known(std::shared_ptr<View> view) {
    HostViews &all = instance();
    std::lock_guard lock(ClosedMemory::mutex());
    all.by_memory_[reinterpret_cast<uintptr_t>(view->memory_)] = view.get();
    all.by_host_[reinterpret_cast<uintptr_t>(view->host_)] = view.get();
    ClosedMemory::add(*view, view->host_, view->host_ + view->mapped_, view->is_by_key());
    view->is_known_ = true;
    return view;
  }

  bool give(std::size_t first, std::size_t size, int rights) const {
    using Rights = ProtectionKeys::Rights;
    if (is_by_key())
      return ProtectionKeys::give(host_ + first, size,
                                  rights == PROT_NONE   ? Rights::none
                                  : rights & PROT_WRITE ? Rights::all
                                                        : Rights::read);
    return mprotect(host_ + first, size, rights) == 0;
  }

  // Sets the rights of the region's pages, from all open regions.
  void protect(const Opened &region) const {
    const std::size_t first = std::size_t(region.begin - memory_) / page_size,
                      end = round_up(std::size_t(region.begin - memory_) + region.size) / page_size;
    auto rights = [this](std::size_t page) {
      int all = PROT_NONE;
      for (const Opened &each : opened_) {
        const auto begin = std::size_t(each.begin - memory_);
        if (begin < (page + 1) * page_size && page * page_size < begin + each.size)
          all |= PROT_READ | (each.for_writing ? PROT_WRITE : 0);
      }
      return all;
    };
    for (std::size_t page = first; page < end;) {
      const int now = rights(page);
      std::size_t last = page + 1;
      while (last < end && rights(last) == now)
        ++last;
      give(page * page_size, (last - page) * page_size, now);
      page = last;
    }
  }

  const Of of_;
  const std::size_t size_, mapped_;
  std::byte *memory_ = nullptr, *host_ = nullptr;
  bool is_known_ = false, was_mapped_ = false, has_accessors_ = false;
  std::vector<Opened> opened_;
};

// An unmap closes memory when it is enqueued. A map opens it when the program knows that the map
// has ended (command_order.h).
class HostViews::Maps final : public Listener {
public:
  void command_enqueued(const Command &command, const CommandQueue &) override {
    const Operation *operation = command.operation();
    if (const MapChange *change = operation ? operation->map_change() : nullptr;
        change && change->kind() == MapChange::Kind::ends)
      instance().close(region_of(*change));
  }

private:
  static Opened region_of(const MapChange &change) {
    const MapChange::Region &region = change.region();
    return {region.memory.data(), region.memory.size(), region.for_writing, false};
  }
};

void HostViews::start() {
  add_listener(leaked<AfterFork::make_again>([] { return new Maps; }));
  ProtectionKeys::start();
  ClosedMemory::start();
}

HostViews &HostViews::instance() {
  return leaked<AfterFork::make_again>([] { return new HostViews; });
}

std::shared_ptr<std::byte> HostViews::allocate(std::size_t size) {
  if (auto view = View::make(size))
    return {view, view->memory()};
  static constinit std::atomic<bool> is_reported = false;
  if (!is_reported.exchange(true))
    std::fprintf(stderr,
                 "lockstep check: the system gives no second view of a buffer of %zu bytes: "
                 "what the program does with it while it is not mapped is not seen\n",
                 size);
  return nullptr;
}

std::shared_ptr<std::byte> HostViews::allocate_closed(const AllocationRequest &request) {
  if (auto view = ProtectionKeys::are_there() ? View::make_closed(request) : nullptr)
    return {view, view->memory()};
  static constinit std::atomic<bool> is_reported = false;
  if (!is_reported.exchange(true))
    std::fprintf(stderr,
                 "lockstep check: %s: what the program does with memory of a device, and with "
                 "shared virtual memory "
                 "that is not mapped, is not seen\n",
                 ProtectionKeys::are_there() ? "the system gives no more mappings"
                                             : "this CPU has no protection keys");
  return nullptr;
}

const HostViews::View *HostViews::find(const std::map<uintptr_t, View *> &by,
                                       const void *address) const {
  const auto after = by.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (after == by.begin())
    return nullptr;
  const auto &[begin, view] = *std::prev(after);
  return reinterpret_cast<uintptr_t>(address) - begin <
                 std::max<std::size_t>(round_up(view->size()), page_size)
             ? view
             : nullptr;
}

std::byte *HostViews::of_host(std::byte *memory) const {
  std::lock_guard lock(ClosedMemory::mutex());
  const View *view = find(by_memory_, memory);
  return view ? view->host() + (memory - view->memory()) : memory;
}

const std::byte *HostViews::of_commands(const void *seen) const {
  std::lock_guard lock(ClosedMemory::mutex());
  const auto *byte = static_cast<const std::byte *>(seen);
  const View *view = find(by_host_, seen);
  return view ? view->memory() + (byte - view->host()) : byte;
}

std::optional<HostViews::Shown> HostViews::shown_at(const std::byte *memory) const {
  std::lock_guard lock(ClosedMemory::mutex());
  const View *view = find(by_memory_, memory);
  if (!view || view->is_by_key())
    return std::nullopt;
  return Shown{view->memory(), view->size(), view->has_accessors()};
}

bool HostViews::is_open(const std::byte *memory, std::size_t size, bool for_writing) const {
  std::lock_guard lock(ClosedMemory::mutex());
  const View *view = find(by_memory_, memory);
  return view && view->is_open(std::size_t(memory - view->memory()), size, for_writing);
}

void HostViews::open(const Opened &region) {
  std::lock_guard lock(ClosedMemory::mutex());
  if (const View *view = find(by_memory_, region.begin))
    const_cast<View *>(view)->open(region);
}

void HostViews::close(const Opened &region) {
  std::lock_guard lock(ClosedMemory::mutex());
  if (const View *view = find(by_memory_, region.begin))
    const_cast<View *>(view)->close(region);
}

} // namespace lockstep::runtime
