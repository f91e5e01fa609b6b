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

// ---- which arguments have copies

// True if only commands that name the memory can access it while this one runs.
bool is_of_commands_only(const Access &access) {
  const Buffer *buffer = access.memory.buffer().get();
  return buffer && !access.is_placed && !buffer->root().is_host_visible() &&
         !Allocations::instance().find(access.memory.data());
}

bool overlap(const MemoryView &one, const MemoryView &other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

bool is_disjoint(const Access &access, std::span<const Access> accesses) {
  return std::none_of(accesses.begin(), accesses.end(), [&](const Access &other) {
    return &other != &access && overlap(access.memory, other.memory);
  });
}

const Access *access_of(uint32_t argument, std::span<const Access> accesses) {
  const auto found = std::find_if(accesses.begin(), accesses.end(), [&](const Access &access) {
    return access.argument == int32_t(argument);
  });
  return found == accesses.end() ? nullptr : &*found; // none: the pointer argument is null
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
                                            std::span<const Access> accesses, Size size) {
  uint64_t unprivatized = 0;
  std::size_t bytes = 0;
  for (const PrivatizedReduction &copy : wanted) {
    const Access *access = access_of(copy.argument, accesses);
    const auto makes_sense = [&] {
      const uint64_t elements = access->memory.size() / copy.element_size;
      const bool is_aligned =
          reinterpret_cast<uintptr_t>(access->memory.data()) % copy.element_size == 0;
      return is_aligned && bytes + access->memory.size() <= most_bytes &&
             size.items >= std::max(least_items, size.workers * elements);
    };
    if (access && is_of_commands_only(*access) && is_disjoint(*access, accesses) && makes_sense())
      bytes += access->memory.size();
    else
      unprivatized |= uint64_t{1} << copy.argument;
  }
  return unprivatized;
}

void PrivatizedReductions::set(std::span<const PrivatizedReduction> wanted,
                               const compiler::KernelInfo &kernel,
                               std::span<const Access> accesses) {
  copies_.clear();
  block_size_ = kernel.argument_block_size;
  bytes_ = round_up(sizeof(compiler::LaunchInfo)) + round_up(block_size_);
  for (const PrivatizedReduction &copy : wanted) {
    const MemoryView &memory = access_of(copy.argument, accesses)->memory;
    copies_.push_back({copy, kernel.args[copy.argument].offset, bytes_, memory.data(),
                       memory.size() / copy.element_size});
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
    std::byte *own = *bytes + copy.offset;
    std::memcpy(block + copy.argument_offset, &own, sizeof own);
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
