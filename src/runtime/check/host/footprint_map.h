// A footprint map: one byte per unit of memory that a launch may access by one of its arguments.
// The launch's code sets bytes to 1 (compiler/checks/races/footprint_marks.h). The system allocates
// its pages on use.
#pragma once

#include "abi/check_abi.h"
#include "runtime/graph/node_memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

class FootprintMap {
public:
  // For an object, and an argument that points to `origin` in it; units have `unit` bytes, 4 or 1.
  FootprintMap(compiler::FootprintKind kind, uint32_t unit, const std::byte *origin,
               std::span<const std::byte> object);
  ~FootprintMap();
  FootprintMap(const FootprintMap &) = delete;
  FootprintMap &operator=(const FootprintMap &) = delete;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // The address for compiled code, see CheckHooks::footprint. 0: out of memory.
  uint64_t place() const;
  compiler::FootprintKind kind() const { return kind_; }
  // Marks rows of whole words, as far as they are in the object. Requires units of words and an
  // origin at the object's beginning. Non-contiguous elements are rows of one word.
  void mark_rows(const std::byte *first, std::size_t size, std::size_t rows, std::size_t pitch);

  // Byte offsets in the object; begin == end: no accessed bytes after `from`.
  struct Row {
    std::size_t begin, end;
  };
  Row next_marked(std::size_t from) const;
  Row take(std::size_t from); // the same, and clears the marks; others may mark concurrently
  std::size_t units() const { return units_; }
  std::size_t end_of_marked() const;

private:
  void mark(std::size_t first, std::size_t end); // in units
  // The first unit from `from` on that is marked, or unmarked.
  std::size_t find(std::size_t from, bool is_marked) const;
  Row row_of(std::size_t first, std::size_t end) const;

  const compiler::FootprintKind kind_;
  const std::size_t unit_;
  const std::byte *const origin_;
  const std::span<const std::byte> object_;
  // Units that overlap the object: before the origin, and in all.
  const std::size_t before_, units_;
  const std::size_t kept_size_; // 0: too large for the free list
  const std::size_t mapped_;
  uint8_t *memory_ = nullptr, *marks_ = nullptr; // the first unit's mark
};

} // namespace lockstep::runtime
