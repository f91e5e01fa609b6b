// A queue in one block of memory, which doubles when it is full. Other than std::deque, it allocates
// nothing while it has no more elements than before, and an index needs no division.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace lockstep::runtime {

template <class T> class Ring {
public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // The oldest element has index 0.
  T &operator[](std::size_t index) {
    assert(index < size_);
    return slots_[slot(index)];
  }
  const T &operator[](std::size_t index) const {
    assert(index < size_);
    return slots_[slot(index)];
  }
  T &front() { return (*this)[0]; }
  const T &front() const { return (*this)[0]; }
  T &back() { return (*this)[size_ - 1]; }

  void push_back(T &&value) {
    if (size_ == slots_.size())
      grow();
    slots_[slot(size_++)] = std::move(value);
  }
  T pop_front() {
    T value = std::move(front());
    first_ = slot(1);
    --size_;
    return value;
  }

private:
  static constexpr std::size_t first_capacity = 64; // a power of 2, so all capacities are
  std::size_t slot(std::size_t index) const { return (first_ + index) & (slots_.size() - 1); }
  void grow() {
    std::vector<T> larger(slots_.empty() ? first_capacity : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i)
      larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0, size_ = 0;
};

} // namespace lockstep::runtime
