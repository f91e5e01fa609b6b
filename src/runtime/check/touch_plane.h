// A byte for each unit of memory that a launch may touch by one of its arguments; the launch's code puts a 1 there
// (compiler/ir_to_workgroup/check/touch_marks.h). The system gives pages of it when they are used.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/graph/node_memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

class TouchPlane {
public:
  // Of an object, by an argument that points to `origin` in it; `unit` bytes each, 4 or 1.
  TouchPlane(compiler::TouchWay way, uint32_t unit, const std::byte *origin,
             std::span<const std::byte> object);
  ~TouchPlane();
  TouchPlane(const TouchPlane &) = delete;
  TouchPlane &operator=(const TouchPlane &) = delete;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // For the code, as CheckHooks::plane says. 0: the system has no memory.
  uint64_t place() const;
  compiler::TouchWay way() const { return way_; }
  // Of a plane of words whose origin is the object's beginning: rows of whole words, as far as they are in the object. Elements
  // apart from each other are rows of a word.
  void mark_rows(const std::byte *first, std::size_t size, std::size_t rows, std::size_t pitch);

  // What lies in the object, in bytes from its beginning; nothing that was touched behind it: begin == end.
  struct Row {
    std::size_t begin, end;
  };
  Row next_touched(std::size_t from) const;
  Row take(std::size_t from); // the same, and then it is not touched; others may mark meanwhile
  std::size_t units() const { return units_; }
  std::size_t end_of_touched() const;

private:
  void mark(std::size_t first, std::size_t end); // of units
  // Of units: the first one that is marked, or is not, from there on.
  std::size_t find(std::size_t from, bool is_marked) const;
  Row row_of(std::size_t first, std::size_t end) const;

  const compiler::TouchWay way_;
  const std::size_t unit_;
  const std::byte *const origin_;
  const std::span<const std::byte> object_;
  const std::size_t before_,
      units_; // units that the object has a byte of: before the origin, and in all
  const std::size_t kept_size_; // 0: it is too large to be kept for others
  const std::size_t mapped_;
  uint8_t *memory_ = nullptr, *marks_ = nullptr; // the first unit's mark
};

} // namespace lockstep::runtime
