// Memory that was imported as a file descriptor from another process (memfd_create, shm_open) or a
// driver (a dma-buf). It is mapped, so commands work on the same bytes as all other users of the
// memory.
//
// The processor's caches may not be coherent with a device's accesses to a dma-buf. So the OS
// kernel must know each period in which the processor works on it. Shared memory of files does not
// need that.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <memory>

namespace lockstep::runtime {

enum class ImportKind { shared_file, dma_buf };

class ImportedMemory {
public:
  // Maps the first `size` bytes. The caller owns the descriptor until take_descriptor, which is to
  // be called when all other steps have succeeded. ErrorKind::invalid_argument: the file is not
  // such memory, is not writable, or is too small. out_of_host_memory: the system cannot map it as
  // well.
  static Result<std::shared_ptr<ImportedMemory>> map(ImportKind kind, int file, std::size_t size);
  void take_descriptor();
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory &) = delete;
  ImportedMemory &operator=(const ImportedMemory &) = delete;

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }

  bool is_of_driver() const { return kind_ == ImportKind::dma_buf; }
  // Between the two calls the processor may read and write. Periods may overlap. The calls may be
  // slow for a driver's memory.
  Result<void> begin_access() const { return synchronize(true); }
  Result<void> end_access() const { return synchronize(false); }

private:
  ImportedMemory(ImportKind kind, std::byte *data, std::size_t size, int file)
      : kind_(kind), data_(data), size_(size), file_(file) {}
  Result<void> synchronize(bool begins) const;

  const ImportKind kind_;
  std::byte *const data_;
  const std::size_t size_;
  const int file_;
  bool is_own_ = false; // whether this object owns the descriptor
};

} // namespace lockstep::runtime
