// An owned file descriptor: the destructor closes it.
#pragma once

#include <unistd.h>
#include <utility>

namespace lockstep {

class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  // False if the last writes were lost; errno is set.
  bool close() {
    const int number = release();
    return number < 0 || ::close(number) == 0;
  }

private:
  int number_ = -1;
};

} // namespace lockstep
