// The bytes of a launch's arguments, laid out by KernelArg::offset. Most launches have few, and then
// the block needs no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::runtime {

class ArgumentBlock {
public:
  ArgumentBlock() {} // NOLINT(modernize-use-equals-default): leaves few_ as it is
  explicit ArgumentBlock(std::span<const std::byte> bytes) { assign(bytes); }
  ArgumentBlock(const ArgumentBlock &other) { assign(other); }
  ArgumentBlock &operator=(const ArgumentBlock &other) {
    if (this != &other)
      assign(other);
    return *this;
  }

  void assign(std::span<const std::byte> bytes) {
    size_ = bytes.size();
    if (size_ > few_bytes)
      many_.resize(size_);
    std::ranges::copy(bytes, data());
  }
  std::byte *data() { return size_ > few_bytes ? many_.data() : few_.data(); }
  const std::byte *data() const { return size_ > few_bytes ? many_.data() : few_.data(); }
  operator std::span<const std::byte>() const { return {data(), size_}; }

private:
  static constexpr std::size_t few_bytes = 192;
  std::size_t size_ = 0;
  alignas(16) std::array<std::byte, few_bytes> few_;
  std::vector<std::byte> many_;
};

} // namespace lockstep::runtime
