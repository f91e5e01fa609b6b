#include "runtime/check/undefined/undefined_memory.h"

#include "abi/memory_check_abi.h"
#include "platform/linux/leaked.h"
#include "runtime/check/host/written_by_host.h"
#include "runtime/check/options/check_memory.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"
#include "runtime/memory/map_change.h"
#include "runtime/memory/transfers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <span>
#include <sys/mman.h>

namespace lockstep::runtime {

namespace {

// The distance is aligned so that accesses to the shadow memory are aligned like those to the
// object. It is not a multiple of 4 KiB, to avoid false store-to-load dependencies (4K aliasing).
constexpr std::size_t alignment = 256, step = 2 * alignment;
// Writes of the program are searched a page at a time.
constexpr std::size_t page_size = 4096;

void define_written(const Access &access) {
  std::byte *begin = access.memory.data();
  if (!access.row_bytes)
    return UndefinedMemory::instance().define(begin, access.memory.size());
  for (std::size_t slice = 0; slice < access.slices; ++slice)
    for (std::size_t row = 0; row < access.rows; ++row)
      UndefinedMemory::instance().define(
          begin + slice * access.slice_pitch + row * access.row_pitch, access.row_bytes);
}

// Row by row, in the layout of each side.
void copy_shadow(const Access &to, const Access &from) {
  UndefinedMemory &all = UndefinedMemory::instance();
  const std::byte *target = to.memory.data(), *source = from.memory.data();
  if (!to.row_bytes || !from.row_bytes)
    return all.copy(target, source, std::min(to.memory.size(), from.memory.size()));
  for (std::size_t slice = 0; slice < to.slices; ++slice)
    for (std::size_t row = 0; row < to.rows; ++row)
      all.copy(target + slice * to.slice_pitch + row * to.row_pitch,
               source + slice * from.slice_pitch + row * from.row_pitch, to.row_bytes);
}

bool has_shadow(compiler::ArgKind kind) {
  return kind == compiler::ArgKind::global_pointer || kind == compiler::ArgKind::pipe ||
         kind == compiler::ArgKind::image;
}

bool are_alike(const Access &to, const Access &from) {
  return to.row_bytes == from.row_bytes && to.rows == from.rows && to.slices == from.slices &&
         (to.row_bytes || to.memory.size() == from.memory.size());
}

} // namespace

class UndefinedMemory::ObjectShadow {
public:
  ObjectShadow(UndefinedMemory &owner, const std::byte *begin, std::size_t size, bool is_hosts)
      : owner_(owner), begin_(begin), size_(size), is_hosts_(is_hosts) {
    mapped_size_ = size + step + alignment + compiler::shadow_of_hosts;
    make();
    std::lock_guard lock(owner.mutex_);
    owner.shadows_[reinterpret_cast<uintptr_t>(begin)] = this;
    owner.changes_.fetch_add(1, std::memory_order_release);
  }
  ~ObjectShadow() {
    {
      std::lock_guard lock(owner_.mutex_);
      owner_.shadows_.erase(reinterpret_cast<uintptr_t>(begin_));
      owner_.changes_.fetch_add(1, std::memory_order_release);
    }
    if (!data_)
      return;
    munmap(mapped_, mapped_size_);
    CheckMemory::release(mapped_size_);
  }
  ObjectShadow(const ObjectShadow &) = delete;
  ObjectShadow &operator=(const ObjectShadow &) = delete;

  bool is_made() const { return data_; }
  std::byte *data() const { return data_; }
  const std::byte *begin() const { return begin_; }
  std::size_t size() const { return size_; }
  bool is_hosts() const { return is_hosts_; }
  // The value of writes_anywhere_ when the whole object was found to be defined. 0: not examined,
  // or possibly changed since.
  std::atomic<uint64_t> known_to_be_defined_after{0};

private:
  void make() {
    if (!CheckMemory::reserve(mapped_size_))
      return;
    mapped_ = mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped_ == MAP_FAILED)
      return CheckMemory::release(mapped_size_);
    data_ = static_cast<std::byte *>(mapped_) + step +
            reinterpret_cast<uintptr_t>(begin_) % alignment +
            (is_hosts_ ? compiler::shadow_of_hosts : 0);
  }

  UndefinedMemory &owner_;
  const std::byte *begin_;
  std::byte *data_ = nullptr;
  void *mapped_ = nullptr;
  std::size_t size_, mapped_size_ = 0;
  const bool is_hosts_;
};

// The written memory may contain undefined values afterwards.
void record_writes(const Launch &launch) {
  UndefinedMemory &all = UndefinedMemory::instance();
  for (const Access &access : launch.accesses())
    if (writes(access.mode))
      all.may_be_written(access.memory.data());
  const auto others = launch.written_by_address();
  if (!others)
    return all.any_may_be_written();
  for (const std::byte *address : *others)
    all.may_be_written(address);
}

// Observes commands; kernels update the shadow memory themselves.
class UndefinedMemory::WrittenByCommands final : public Listener {
public:
  void command_begun(const Command &command) override {
    Operation *operation = command.operation();
    if (!operation)
      return;
    if (const MapChange *change = operation->map_change(); change && change->region().for_writing)
      return define_written({change->region().memory, AccessMode::write});
    if (dynamic_cast<const Copy *>(operation) || dynamic_cast<const RectCopy *>(operation)) {
      const auto accesses = operation->accesses();
      const Access &to = writes(accesses[0].mode) ? accesses[0] : accesses[1],
                   &from = writes(accesses[0].mode) ? accesses[1] : accesses[0];
      if (are_alike(to, from))
        return copy_shadow(to, from);
    }
    Launch *launch = operation->launch();
    if (launch) {
      record_writes(*launch);
      launch->begin_on_defined();
    }
    for (const Access &access : operation->accesses()) {
      const bool is_reported =
          launch && (access.argument < 0 ||
                     has_shadow(launch->kernel().args[std::size_t(access.argument)].kind));
      if (writes(access.mode) && !is_reported)
        define_written(access);
    }
  }

  // Invalidates results of concurrent launches, too.
  void command_ended(const Command &command, Status) override {
    Operation *operation = command.operation();
    if (operation && operation->launch())
      record_writes(*operation->launch());
  }
};

void UndefinedMemory::start() {
  add_listener(leaked<AfterFork::make_again>([] { return new WrittenByCommands; }));
}

UndefinedMemory &UndefinedMemory::instance() {
  return leaked<AfterFork::make_again>([] { return new UndefinedMemory; });
}

void UndefinedMemory::add(Buffer &buffer, bool is_hosts) {
  if (is_hosts)
    make_unwritten({buffer.data(), buffer.size()});
  buffer.keep_beside(std::make_shared<ObjectShadow>(*this, buffer.data(), buffer.size(), is_hosts));
}

// The shadow of an address; the shadow memory may be before or after the object.
static std::byte *at_distance(const std::byte *address, uint64_t distance) {
  return reinterpret_cast<std::byte *>(reinterpret_cast<uintptr_t>(address) + distance);
}

UndefinedMemory::Stretch UndefinedMemory::look_up(uintptr_t address) const {
  const auto after = shadows_.upper_bound(address);
  Stretch found{0, after == shadows_.end() ? ~uintptr_t{0} : after->first};
  if (after == shadows_.begin())
    return found;
  ObjectShadow &shadow = *std::prev(after)->second;
  found.begin = reinterpret_cast<uintptr_t>(shadow.begin());
  const uintptr_t end = found.begin + shadow.size();
  if (address >= end) {
    found.begin = end;
    return found;
  }
  found.end = end;
  found.shadow = &shadow;
  found.is_hosts = shadow.is_hosts();
  if (shadow.is_made())
    found.distance = reinterpret_cast<uintptr_t>(shadow.data()) - found.begin;
  else
    found.size_without_shadow = shadow.size();
  return found;
}

// Called per work-item for pointers from memory, and by kernels with images: uses a cache.
UndefinedMemory::Stretch UndefinedMemory::stretch_of(const void *address) const {
  struct Seen {
    uint64_t changes = 0;
    Stretch stretch;
  };
  constexpr std::size_t most = 4;
  thread_local std::array<Seen, most> seen_before;
  thread_local std::size_t oldest = 0;
  const auto number = reinterpret_cast<uintptr_t>(address);
  const uint64_t changes = changes_.load(std::memory_order_acquire);
  for (const Seen &seen : seen_before)
    if (seen.changes == changes &&
        number - seen.stretch.begin < seen.stretch.end - seen.stretch.begin)
      return seen.stretch;
  std::shared_lock lock(mutex_);
  Seen &place = seen_before[oldest++ % most];
  place = {changes_.load(std::memory_order_relaxed), look_up(number)};
  return place.stretch;
}

uint64_t UndefinedMemory::distance(const void *address) const {
  return stretch_of(address).distance;
}

void UndefinedMemory::look_for_writes(const std::byte *begin, std::size_t size) {
  const Stretch stretch = stretch_of(begin);
  if (!stretch.is_hosts || !stretch.distance)
    return;
  const std::span memory(reinterpret_cast<const std::byte *>(stretch.begin),
                         stretch.end - stretch.begin);
  std::byte *shadow = at_distance(memory.data(), stretch.distance);
  const auto first = std::size_t(begin - memory.data()),
             end = first + std::min(size, memory.size() - first);
  if (record_written(memory, first, end, shadow)) // probably more was written
    record_written(memory, first - std::min(first, page_size),
                   std::min(end + page_size, memory.size()), shadow);
}

std::size_t UndefinedMemory::size_without_shadow(const void *address) const {
  return stretch_of(address).size_without_shadow;
}

Error UndefinedMemory::no_memory(const std::string &kernel, std::size_t size) {
  const std::string what =
      fmt::format("the check has no memory for what is undefined of a buffer of {:.1f} MiB; as "
                  "much again is needed; {}",
                  double(size) / (1 << 20), CheckMemory::text());
  if (Findings::instance().is_first("no memory", std::hash<std::string>()(kernel), 1)) {
    Finding finding;
    finding.kind = "no memory";
    finding.kernel = kernel;
    finding.headline = what;
    finding.explanation = {"the launch fails, as it cannot be checked"};
    Findings::instance().report(finding);
  }
  return {ErrorKind::out_of_resources, fmt::format("kernel '{}': {}", kernel, what)};
}

static bool are_ones(const std::byte *bytes, std::size_t size) {
  auto all = uint8_t(0xff);
  for (std::size_t i = 0; i != size; ++i)
    all &= uint8_t(bytes[i]);
  return all == 0xff;
}

std::span<const std::byte> UndefinedMemory::object_at(const void *address) const {
  const Stretch stretch = stretch_of(address);
  if (!stretch.shadow)
    return {};
  return {reinterpret_cast<const std::byte *>(stretch.begin), stretch.end - stretch.begin};
}

bool UndefinedMemory::is_defined(const MemoryView &memory, bool by_name_alone) {
  const Stretch stretch = stretch_of(memory.data());
  if (!stretch.shadow)
    return true;
  if (stretch.size_without_shadow)
    return false;
  const uint64_t now = writes_anywhere_, then = stretch.shadow->known_to_be_defined_after;
  if (by_name_alone ? then != 0 : then == now)
    return true;
  for (std::size_t at = 0; at < memory.size(); at += page_size) {
    const std::byte *begin = memory.data() + at;
    const std::byte *bits = at_distance(begin, stretch.distance);
    const std::size_t size = std::min(page_size, memory.size() - at);
    if (are_ones(bits, size))
      continue;
    look_for_writes(begin, size);
    if (!are_ones(bits, size))
      return false;
  }
  if (memory.size() == stretch.shadow->size())
    stretch.shadow->known_to_be_defined_after = now;
  return true;
}

void UndefinedMemory::may_be_written(const void *address) {
  if (ObjectShadow *shadow = stretch_of(address).shadow)
    shadow->known_to_be_defined_after = 0;
}

void UndefinedMemory::any_may_be_written() {
  ++writes_anywhere_;
}

void UndefinedMemory::copy(const std::byte *to, const std::byte *from, std::size_t size) {
  const Stretch there = stretch_of(to);
  const uint64_t target = there.distance, source = distance(from);
  if (there.shadow)
    there.shadow->known_to_be_defined_after = 0;
  if (!target || !source)
    return define(to, size);
  look_for_writes(from, size);
  std::memmove(at_distance(to, target), at_distance(from, source), size);
}

void UndefinedMemory::define(const std::byte *begin, std::size_t size) {
  if (const uint64_t distance = this->distance(begin))
    std::memset(at_distance(begin, distance), 0xff, size);
}

} // namespace lockstep::runtime
