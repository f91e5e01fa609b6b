#include "runtime/launch/cpu/kernel/privatized_reductions.h"

#include "runtime/memory/allocations.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lockstep::runtime {

namespace {

using compiler::PrivatizedReduction;
using compiler::UpdateOperation;

constexpr std::size_t alignment = 128; // the largest OpenCL type, and two cache lines
// Limit for all copies of a launch: a fraction of a core's private caches.
constexpr std::size_t most_bytes = std::size_t(256) << 10;
constexpr uint64_t least_items = 1024; // smaller launches are too short for a gain

std::size_t round_up(std::size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

// ---- operations on an element, by operation and type

// The neutral element. For a minimum or maximum it is a NaN, which also shows that no value was
// combined: an infinity could be a value that the kernel stored, to replace a NaN.
template <class T> T neutral(UpdateOperation operation) {
  if constexpr (std::is_floating_point_v<T>)
    return operation == UpdateOperation::float_add        ? T(-0.0)
           : operation == UpdateOperation::float_multiply ? T(1)
                                                          : std::numeric_limits<T>::quiet_NaN();
  using Signed = std::make_signed_t<std::conditional_t<std::is_integral_v<T>, T, int>>;
  switch (operation) {
  case UpdateOperation::bit_and:
  case UpdateOperation::unsigned_min:
    return T(~uint64_t{0});
  case UpdateOperation::multiply:
    return T(1);
  case UpdateOperation::signed_min:
    return T(std::numeric_limits<Signed>::max());
  case UpdateOperation::signed_max:
    return T(std::numeric_limits<Signed>::min());
  default:
    return T(0);
  }
}

template <class T> bool is_neutral(T value, T nothing) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(nothing) ? std::isnan(value)
                               : value == nothing && std::signbit(value) == std::signbit(nothing);
  else
    return value == nothing;
}

template <class T> T combined(UpdateOperation operation, T old, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (operation) {
    case UpdateOperation::float_min:
      return std::fmin(old, value);
    case UpdateOperation::float_max:
      return std::fmax(old, value);
    case UpdateOperation::float_multiply:
      return old * value;
    default:
      return old + value;
    }
  } else {
    using Signed = std::make_signed_t<T>;
    switch (operation) {
    case UpdateOperation::bit_and:
      return old & value;
    case UpdateOperation::bit_or:
      return old | value;
    case UpdateOperation::bit_xor:
      return old ^ value;
    case UpdateOperation::signed_min:
      return T(std::min(Signed(old), Signed(value)));
    case UpdateOperation::signed_max:
      return T(std::max(Signed(old), Signed(value)));
    case UpdateOperation::unsigned_min:
      return std::min(old, value);
    case UpdateOperation::unsigned_max:
      return std::max(old, value);
    case UpdateOperation::multiply:
      return T(uint64_t(old) * value);
    default:
      return T(old + value);
    }
  }
}

// Ordered after all that the worker wrote: the kernel's updates may have that order.
template <class T> void update(UpdateOperation operation, T &memory, T value) {
  std::atomic_ref<T> shared(memory);
  if constexpr (std::is_integral_v<T>) {
    if (operation == UpdateOperation::add) {
      shared.fetch_add(value, std::memory_order_seq_cst);
      return;
    }
  }
  T old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, combined(operation, old, value),
                                       std::memory_order_seq_cst, std::memory_order_relaxed)) {
  }
}

template <class T> void fill(UpdateOperation operation, std::byte *copy, std::size_t elements) {
  std::fill_n(reinterpret_cast<T *>(copy), elements, neutral<T>(operation));
}

template <class T>
void add_to_memory(UpdateOperation operation, std::byte *memory, const std::byte *copy,
                   std::size_t elements) {
  const T nothing = neutral<T>(operation);
  for (std::size_t i = 0; i < elements; ++i)
    if (const T value = reinterpret_cast<const T *>(copy)[i]; !is_neutral(value, nothing))
      update(operation, reinterpret_cast<T *>(memory)[i], value);
}

// Calls `work` with a value of the element type.
template <class Work> void with_type(const PrivatizedReduction &what, Work work) {
  const bool is_float =
      what.operation >= UpdateOperation::float_add && what.operation != UpdateOperation::multiply;
  if (what.element_size == 4)
    is_float ? work(float()) : work(uint32_t());
  else
    is_float ? work(double()) : work(uint64_t());
}

// ---- which pointers have copies

using Passed = PrivatizedReductions::Passed;

// Where the launch passes the pointer, in bytes from the beginning of the argument block.
std::size_t place_of(const PrivatizedReduction &copy, const Passed &passed) {
  return passed.kernel.args[copy.argument].offset + copy.place();
}

std::byte *pointer_at(std::size_t place, const Passed &passed) {
  std::byte *pointer = nullptr;
  std::memcpy(&pointer, passed.block + place, sizeof pointer);
  return pointer;
}

// Memory that a pointer points into.
struct Pointee {
  std::byte *begin = nullptr;
  std::size_t size = 0;
  const Access *access = nullptr; // null: no access of the launch names it
  bool has_address = false;       // the program knows its address, and may store it anywhere
  bool is_hosts = false;          // the host may look at it while the kernel runs

  bool has(const std::byte *byte) const { return byte >= begin && byte < begin + size; }
  bool overlaps(const MemoryView &other) const {
    return begin < other.data() + other.size() && other.data() < begin + size;
  }
};

Pointee of_buffer(const MemoryView &memory, const Access &access) {
  return {memory.data(), memory.size(), &access, false, memory.buffer()->root().is_host_visible()};
}

// The access that has this pointer: the argument's own, or one of a buffer that the pointer is in.
const Access *access_of(const PrivatizedReduction &copy, const std::byte *pointer,
                        std::span<const Access> accesses) {
  const auto found = std::ranges::find_if(accesses, [&](const Access &access) {
    if (copy.member < 0)
      return access.argument == int32_t(copy.argument);
    const auto &buffer = access.memory.buffer();
    return buffer && access.argument < 0 && pointer >= buffer->root().data() &&
           pointer < buffer->root().data() + buffer->root().size();
  });
  return found == accesses.end() ? nullptr : &*found;
}

// No size: the memory is not known, as that behind a null pointer.
Pointee pointee_of(const PrivatizedReduction &copy, const Passed &passed) {
  const std::byte *pointer = pointer_at(place_of(copy, passed), passed);
  const Access *access = access_of(copy, pointer, passed.accesses);
  if (const auto known = Allocations::instance().find(pointer);
      known && known->memory->only_place())
    return {}; // this device cannot access it
  else if (known)
    return {known->begin(), known->size(), access, true,
            is_hosts_at_any_time(known->kind) || known->memory->root().is_host_visible()};
  if (!access || !access->memory.buffer() || access->is_placed)
    return {};
  if (copy.member < 0)
    return of_buffer(access->memory, *access);
  const std::shared_ptr<Buffer> &buffer = access->memory.buffer();
  Pointee pointee = of_buffer(access->memory, *access);
  pointee.begin = buffer->root().data();
  pointee.size = buffer->root().size();
  return pointee;
}

// The bytes of the memory that the updates may reach.
std::span<std::byte> updated_bytes(const PrivatizedReduction &copy, const Passed &passed) {
  const Pointee pointee = pointee_of(copy, passed);
  if (copy.begin == copy.end)
    return {pointee.begin, pointee.size};
  const std::ptrdiff_t pointer = pointer_at(place_of(copy, passed), passed) - pointee.begin,
                       size = std::ptrdiff_t(pointee.size),
                       begin = std::clamp<std::ptrdiff_t>(pointer + copy.begin, 0, size),
                       end = std::clamp<std::ptrdiff_t>(pointer + copy.end, begin, size);
  return {pointee.begin + begin, std::size_t(end - begin)};
}

// True if another word of the argument block is an address in the memory. A number may look like
// one; then there is no copy.
bool is_passed_twice(const Pointee &pointee, std::size_t place, const Passed &passed) {
  for (std::size_t other = 0; other + sizeof(void *) <= passed.kernel.argument_block_size;
       other += sizeof(void *))
    if (other != place && pointee.has(pointer_at(other, passed)))
      return true;
  return false;
}

// True if this pointer is the only one by which the launch accesses the memory, and no other
// observer is there.
bool is_alone(const PrivatizedReduction &copy, const Passed &passed) {
  const Pointee pointee = pointee_of(copy, passed);
  // Found pointers may come from a copy of the object that the pointer is a member of.
  const bool may_be_found = pointee.has_address || copy.member >= 0;
  if (pointee.size == 0 || (pointee.is_hosts && !copy.is_hidden_from_host) ||
      (may_be_found && copy.has_found_pointers))
    return false;
  const bool is_named_once = std::ranges::none_of(passed.accesses, [&](const Access &other) {
    return &other != pointee.access && pointee.overlaps(other.memory);
  });
  const bool is_own_argument = copy.member < 0 && !pointee.has_address;
  return is_named_once &&
         (is_own_argument || !is_passed_twice(pointee, place_of(copy, passed), passed));
}

} // namespace

// ---- the worker's memory

PrivatizedReductions::Memory::~Memory() {
  std::free(bytes_);
}

Result<std::byte *> PrivatizedReductions::Memory::at_least(std::size_t size) {
  if (size <= size_)
    return bytes_;
  constexpr std::size_t page = 4096;
  const std::size_t rounded = (size + page - 1) / page * page;
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(page, rounded));
  if (!bytes)
    return Error{ErrorKind::out_of_resources,
                 "no memory for a worker's copies of arguments that are only updated"};
  std::free(bytes_);
  bytes_ = bytes;
  size_ = rounded;
  return bytes;
}

// ---- a launch

uint64_t PrivatizedReductions::unprivatized(std::span<const PrivatizedReduction> wanted,
                                            const Passed &passed, Size size) {
  uint64_t unprivatized = 0;
  std::size_t bytes = 0;
  for (const PrivatizedReduction &copy : wanted) {
    const std::span<std::byte> memory = updated_bytes(copy, passed);
    const auto makes_sense = [&] {
      const uint64_t elements = memory.size() / copy.element_size;
      const bool is_aligned = reinterpret_cast<uintptr_t>(memory.data()) % copy.element_size == 0;
      return is_aligned && bytes + memory.size() <= most_bytes &&
             size.items >= std::max(least_items, size.workers * elements);
    };
    if (!memory.empty() && is_alone(copy, passed) && makes_sense())
      bytes += memory.size();
    else
      unprivatized |= uint64_t{1} << copy.bit();
  }
  return unprivatized;
}

std::optional<std::vector<PrivatizedReduction>>
PrivatizedReductions::of_both(std::span<const PrivatizedReduction> whole,
                              std::span<const PrivatizedReduction> edge) {
  if (!std::ranges::equal(whole, edge,
                          [](const auto &one, const auto &other) { return one.is_like(other); }))
    return std::nullopt;
  std::vector<PrivatizedReduction> both(whole.begin(), whole.end());
  for (std::size_t i = 0; i != both.size(); ++i) {
    const bool is_bounded = both[i].begin != both[i].end && edge[i].begin != edge[i].end;
    both[i].begin = is_bounded ? std::min(both[i].begin, edge[i].begin) : 0;
    both[i].end = is_bounded ? std::max(both[i].end, edge[i].end) : 0;
  }
  return both;
}

void PrivatizedReductions::set(std::span<const PrivatizedReduction> wanted, const Passed &passed) {
  copies_.clear();
  block_size_ = passed.kernel.argument_block_size;
  bytes_ = round_up(sizeof(compiler::LaunchInfo)) + round_up(block_size_);
  for (const PrivatizedReduction &copy : wanted) {
    const std::span<std::byte> memory = updated_bytes(copy, passed);
    const std::size_t place = place_of(copy, passed);
    copies_.push_back({copy, place, bytes_, memory.data() - pointer_at(place, passed),
                       memory.data(), memory.size() / copy.element_size});
    bytes_ += round_up(memory.size());
  }
}

Result<const compiler::LaunchInfo *>
PrivatizedReductions::begin(Memory &memory, const compiler::LaunchInfo &launch) const {
  if (memory.is_in_use_)
    return reinterpret_cast<const compiler::LaunchInfo *>(memory.bytes_);
  auto bytes = memory.at_least(bytes_);
  LOCKSTEP_TRY(bytes);
  std::byte *block = *bytes + round_up(sizeof launch);
  std::memcpy(block, launch.args, block_size_);
  for (const Copy &copy : copies_) {
    std::byte *own = *bytes + copy.offset, *pointer = own - copy.begin;
    std::memcpy(block + copy.place, &pointer, sizeof pointer);
    with_type(copy.what,
              [&](auto type) { fill<decltype(type)>(copy.what.operation, own, copy.elements); });
  }
  auto *made = new (*bytes) compiler::LaunchInfo(launch);
  made->args = block;
  memory.is_in_use_ = true;
  return made;
}

void PrivatizedReductions::end(Memory &memory, bool has_failed) const {
  if (!std::exchange(memory.is_in_use_, false) || has_failed)
    return;
  for (const Copy &copy : copies_)
    with_type(copy.what, [&](auto type) {
      add_to_memory<decltype(type)>(copy.what.operation, copy.memory, memory.bytes_ + copy.offset,
                                    copy.elements);
    });
}

} // namespace lockstep::runtime
