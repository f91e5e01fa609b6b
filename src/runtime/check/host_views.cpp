#include "runtime/check/host_views.h"

#include "runtime/check/check_options.h"
#include "runtime/check/findings.h"
#include "runtime/check/host_faults.h"
#include "runtime/check/host_touch.h"
#include "runtime/check/lent_memory.h"
#include "runtime/events.h"
#include "runtime/graph/command.h"
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

class HostViews::View {
public:
  static std::shared_ptr<View> make(std::size_t size) {
    const int file = memfd_create("lockstep buffer", MFD_CLOEXEC);
    if (file < 0)
      return nullptr;
    std::shared_ptr<View> view(new View(size));
    if (ftruncate(file, off_t(view->mapped_)) == 0) {
      view->memory_ = map(view->mapped_, PROT_READ | PROT_WRITE, file);
      view->host_ = map(view->mapped_, PROT_NONE, file);
    }
    ::close(file);
    if (!view->memory_ || !view->host_)
      return nullptr;
    HostViews &all = instance();
    std::lock_guard lock(all.mutex_);
    all.by_memory_[reinterpret_cast<uintptr_t>(view->memory_)] = view.get();
    all.by_host_[reinterpret_cast<uintptr_t>(view->host_)] = view.get();
    view->is_known_ = true;
    return view;
  }
  ~View() {
    if (is_known_) {
      HostViews &all = instance();
      std::lock_guard lock(all.mutex_);
      all.by_memory_.erase(reinterpret_cast<uintptr_t>(memory_));
      all.by_host_.erase(reinterpret_cast<uintptr_t>(host_));
    }
    for (std::byte *each : {memory_, host_})
      if (each)
        munmap(each, mapped_);
  }
  View(const View &) = delete;
  View &operator=(const View &) = delete;

  std::byte *memory() const { return memory_; }
  std::byte *host() const { return host_; }
  std::size_t size() const { return size_; }

  void open(const Opened &region) {
    opened_.push_back(region);
    was_mapped_ = true;
    has_accessors_ |= region.by_accessor;
    protect(region);
  }
  void close(const Opened &region) {
    const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const Opened &each) {
      return each.begin == region.begin && each.for_writing == region.for_writing;
    });
    if (found == opened_.end())
      return; // its map has failed
    const Opened was = *found;
    opened_.erase(found);
    protect(was);
  }
  bool was_mapped() const { return was_mapped_; }
  bool has_accessors() const { return has_accessors_; }
  bool is_open(std::size_t byte) const {
    return std::any_of(opened_.begin(), opened_.end(), [&](const Opened &each) {
      return std::size_t(memory_ + byte - each.begin) < each.size;
    });
  }
  void open_page(std::size_t byte) const {
    mprotect(host_ + byte / page_size * page_size, page_size, PROT_READ | PROT_WRITE);
  }

private:
  explicit View(std::size_t size)
      : size_(size), mapped_(round_up(std::max<std::size_t>(size, 1))) {}
  static std::byte *map(std::size_t size, int rights, int file) {
    void *made = mmap(nullptr, size, rights, MAP_SHARED | MAP_NORESERVE, file, 0);
    return made == MAP_FAILED ? nullptr : static_cast<std::byte *>(made);
  }

  // Pages that a region has, by all that are open.
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
      mprotect(host_ + page * page_size, (last - page) * page_size, now);
      page = last;
    }
  }

  const std::size_t size_, mapped_;
  std::byte *memory_ = nullptr, *host_ = nullptr;
  bool is_known_ = false, was_mapped_ = false, has_accessors_ = false;
  std::vector<Opened> opened_;
};

// An unmap closes at its call. A map opens when the program knows that it has ended (command_order.h).
class HostViews::Maps final : public Listener {
public:
  void command_enqueued(const Command &command, const CommandQueue &) override {
    if (const auto *change = dynamic_cast<const MapChange *>(command.operation());
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
  static auto &listener = *new Maps; // told until the process ends
  add_listener(listener);
  asked_first_at_faults = on_fault;
}

HostViews &HostViews::instance() {
  static auto &one = *new HostViews; // used until the process ends
  return one;
}

Result<std::shared_ptr<Buffer>> HostViews::allocate(std::shared_ptr<MemoryAccount> account,
                                                    std::size_t size) {
  if (auto view = View::make(size)) {
    std::shared_ptr<std::byte> memory(view, view->memory());
    return Buffer::adopt(std::move(account), std::move(memory), size);
  }
  static std::atomic<bool> is_said = false;
  if (!is_said.exchange(true))
    std::fprintf(stderr,
                 "lockstep check: the system gives no second view of a buffer of %zu bytes: "
                 "what the program does with it while it is not mapped is not seen\n",
                 size);
  return Buffer::allocate(std::move(account), size);
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
  std::lock_guard lock(mutex_);
  const View *view = find(by_memory_, memory);
  return view ? view->host() + (memory - view->memory()) : memory;
}

const std::byte *HostViews::of_commands(const void *seen) const {
  std::lock_guard lock(mutex_);
  const auto *byte = static_cast<const std::byte *>(seen);
  const View *view = find(by_host_, seen);
  return view ? view->memory() + (byte - view->host()) : byte;
}

void HostViews::open(const Opened &region) {
  std::lock_guard lock(mutex_);
  if (const View *view = find(by_memory_, region.begin))
    const_cast<View *>(view)->open(region);
}

void HostViews::close(const Opened &region) {
  std::lock_guard lock(mutex_);
  if (const View *view = find(by_memory_, region.begin))
    const_cast<View *>(view)->close(region);
}

bool HostViews::on_fault(void *address, bool writes, const void *code) {
  return instance().was_touched(address, writes, code) ||
         LentMemory::was_touched(address, writes, code);
}

bool HostViews::was_touched(void *address, bool writes, const void *code) {
  std::size_t byte = 0, size = 0;
  bool is_open = false, was_mapped = false, has_accessors = false;
  {
    std::lock_guard lock(mutex_);
    const View *view = find(by_host_, address);
    if (!view)
      return false;
    byte = std::size_t(static_cast<std::byte *>(address) - view->host());
    size = view->size();
    is_open = view->is_open(byte);
    was_mapped = view->was_mapped();
    has_accessors = view->has_accessors();
    view->open_page(byte);
  }
  const char *what = writes ? "write" : "read";
  const auto place = first_touch(what, code, is_open ? "mapped for reading" : "not mapped");
  if (!place)
    return true;
  Finding finding;
  finding.places = {*place};
  finding.kind = "commands";
  finding.kernel = "host";
  if (is_open)
    finding.headline = has_accessors ? "the program writes what a host_accessor gave it to read"
                                     : "the program writes what it has mapped for reading only";
  else
    finding.headline =
        fmt::format("the program {}s memory of a buffer that {}", what,
                    has_accessors ? "no host_accessor gives it any more" : "is not mapped");
  const char *why = "";
  if (!is_open && has_accessors)
    why = ", of which no host_accessor that lives has this byte: a pointer of one was kept";
  else if (!is_open)
    why = was_mapped ? ", of which no map that has ended and no unmap has followed has this byte"
                     : ", of which no map has ended yet";
  finding.explanation = {fmt::format("byte {} of a buffer of {} bytes{}", byte, size, why)};
  Findings::instance().tell(finding);
  return true;
}

bool commands_are_checked() {
  return check_options().commands;
}

Result<std::shared_ptr<Buffer>> allocate_buffer(std::shared_ptr<MemoryAccount> account,
                                                std::size_t size) {
  return check_options().commands ? HostViews::allocate(std::move(account), size)
                                  : Buffer::allocate(std::move(account), size);
}

std::byte *as_host_sees(std::byte *memory) {
  return check_options().commands ? HostViews::instance().of_host(memory) : memory;
}

const std::byte *as_commands_see(const void *seen) {
  return check_options().commands ? HostViews::instance().of_commands(seen)
                                  : static_cast<const std::byte *>(seen);
}

} // namespace lockstep::runtime
