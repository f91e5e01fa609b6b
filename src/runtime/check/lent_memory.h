// Memory of the program that a buffer was made of, and that is the buffer's until it ends (SYCL 2020, 4.7.2), while
// commands are looked at.
//
// The buffer has memory of its own then, so that nobody but the program touches this one. Pages that lie in it altogether
// are closed: who touches them is told of, with the place in the program's source, and goes on. On those at its ends lie
// other things too, which may be given to system calls, and these fail where memory is closed: so they stay open, and their
// bytes are compared with what they were when the buffer ends.
#pragma once

#include "runtime/check/closed_memory.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::runtime {

class LentMemory final : public ClosedMemory::Region {
public:
  // Commands are looked at, and it is no memory that kernels have by its address.
  static bool is_wanted(const void *memory);
  // Null: another buffer has it.
  static std::unique_ptr<LentMemory> lend(void *memory, std::size_t size);
  ~LentMemory(); // it is the program's again
  LentMemory(const LentMemory &) = delete;
  LentMemory &operator=(const LentMemory &) = delete;

  // A command has brought it up to date for the program: from now on nobody looks.
  void show();
  // It ends: what the program has written is told of.
  void give_back();

  std::optional<ClosedMemory::Report> report_of(const ClosedMemory::Touch &touch) override;
  // In a child of fork(): opens what was closed for commands of its parent.
  static void show_all_to_child();

private:
  LentMemory(std::byte *memory, std::size_t size);
  void protect(int rights) const;
  bool is_unchanged(std::size_t &byte) const;

  std::byte *const memory_, *first_closed_, *end_closed_;
  const std::size_t size_;
  bool is_lent_ = true, was_told_ = false;
  std::vector<std::byte> head_, tail_; // as they were
};

} // namespace lockstep::runtime
