// Host memory that a SYCL buffer was made of, and that belongs to the buffer until it ends (SYCL
// 2020, 4.7.2), while commands are checked.
//
// The buffer uses memory of its own, so that only the program accesses this one. Pages that are
// completely inside are closed: an access is reported with its source place, and continues. Pages
// at the ends contain other objects, which may be passed to system calls, and these fail on closed
// memory. So such pages stay open, and their bytes are compared when the buffer ends.
#pragma once

#include "runtime/check/host/closed_memory.h"
#include "runtime/observers/memory_observer.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::runtime {

class LentMemory final : public ClosedMemory::Region, public LentHostMemory {
public:
  // Whether kernels do not access the memory by its address.
  static bool is_lendable(const void *memory);
  // Null: another buffer has this memory.
  static std::unique_ptr<LentMemory> lend(void *memory, std::size_t size);
  ~LentMemory() override; // returns the memory to the program
  LentMemory(const LentMemory &) = delete;
  LentMemory &operator=(const LentMemory &) = delete;

  void show() override;
  void give_back() override;

  std::optional<ClosedMemory::Report> report_of(const ClosedMemory::HostAccess &access) override;
  // In a child of fork(): opens what was closed for commands of the parent.
  static void show_all_to_child();

private:
  LentMemory(std::byte *memory, std::size_t size);
  void protect(int rights) const;
  bool is_unchanged(std::size_t &byte) const;

  std::byte *const memory_, *first_closed_, *end_closed_;
  const std::size_t size_;
  bool is_lent_ = true, was_reported_ = false;
  std::vector<std::byte> head_, tail_; // their original contents
};

} // namespace lockstep::runtime
