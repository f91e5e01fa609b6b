// Memory that somebody else made and gave away as a file descriptor: another process (memfd_create, shm_open) or a driver
// (a dma-buf). It is mapped, so commands work on the same bytes as everybody else who has it.
//
// A dma-buf may lie where the processor's caches are not kept coherent with what a device does; the kernel is told of
// each period in which the processor works on it. Shared memory of files needs nothing of that.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <memory>

namespace lockstep::runtime {

enum class ImportKind { shared_file, dma_buf };

class ImportedMemory {
public:
  // The first `size` bytes. The descriptor stays the caller's until take_descriptor, which is for when all else has
  // succeeded. ErrorKind::invalid_argument: it is not such memory, cannot be written, or is too small; out_of_host_memory:
  // it cannot be mapped as well.
  static Result<std::shared_ptr<ImportedMemory>> map(ImportKind kind, int file, std::size_t size);
  void take_descriptor();
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory &) = delete;
  ImportedMemory &operator=(const ImportedMemory &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }

  bool is_of_driver() const {
    return kind_ == ImportKind::dma_buf;
  } // the calls below may take their time
  // From the first to the second the processor may read and write. Periods may overlap.
  Result<void> begin_access() const { return synchronise(true); }
  Result<void> end_access() const { return synchronise(false); }

private:
  ImportedMemory(ImportKind kind, std::byte *data, std::size_t size, int file)
      : kind_(kind), data_(data), size_(size), file_(file) {}
  Result<void> synchronise(bool begins) const;

  const ImportKind kind_;
  std::byte *const data_;
  const std::size_t size_;
  const int file_;
  bool is_own_ = false; // the descriptor
};

} // namespace lockstep::runtime
