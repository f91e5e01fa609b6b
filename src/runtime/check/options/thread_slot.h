// Separates frequently used state by thread, so that cores need not exchange its cache lines.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

namespace lockstep::runtime {

inline constexpr unsigned thread_slots = 64;
inline constexpr std::size_t separate_bytes = 128; // cores prefetch lines in pairs

// A number below thread_slots. Few threads share a number.
inline unsigned thread_slot() {
  static std::atomic<unsigned> all = 0;
  thread_local const unsigned own = all++ % thread_slots;
  return own;
}

template <class Value> struct SeparateAllocator {
  using value_type = Value;
  SeparateAllocator() = default;
  template <class Other> SeparateAllocator(const SeparateAllocator<Other> &) {}
  Value *allocate(std::size_t count) {
    const std::size_t lines = (count * sizeof(Value) + separate_bytes - 1) / separate_bytes;
    return static_cast<Value *>(
        ::operator new(lines * separate_bytes, std::align_val_t(separate_bytes)));
  }
  void deallocate(Value *memory, std::size_t) {
    ::operator delete(memory, std::align_val_t(separate_bytes));
  }
  template <class Other> bool operator==(const SeparateAllocator<Other> &) const { return true; }
};
// For data that one thread changes: other threads' data is in other cache lines.
template <class Value> using SeparateVector = std::vector<Value, SeparateAllocator<Value>>;

} // namespace lockstep::runtime
