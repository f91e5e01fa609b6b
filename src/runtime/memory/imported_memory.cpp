#include "runtime/memory/imported_memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

Error refused(const char *what) {
  return {ErrorKind::invalid_argument, what};
}

// Linux has one file system for all dma-bufs.
bool is_dma_buf(int file) {
  struct statfs system{};
  return fstatfs(file, &system) == 0 && system.f_type == DMA_BUF_MAGIC;
}

// An access beyond the end of a file faults, so map() checks the size first. Only files and
// dma-bufs have a size; pipes, sockets and most other descriptors do not.
Result<std::size_t> size_of(ImportKind kind, int file) {
  if (kind == ImportKind::dma_buf) {
    const off_t end = lseek(file, 0, SEEK_END);
    if (end < 0)
      return refused("the dma-buf does not report its size");
    lseek(file, 0, SEEK_SET);
    return std::size_t(end);
  }
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return refused("the file descriptor is not one of shared memory or a file");
  return std::size_t(status.st_size);
}

} // namespace

Result<std::shared_ptr<ImportedMemory>> ImportedMemory::map(ImportKind kind, int file,
                                                            std::size_t size) {
  if (fcntl(file, F_GETFD) < 0)
    return refused("the file descriptor is not open");
  if (kind == ImportKind::dma_buf && !is_dma_buf(file))
    return refused("the file descriptor is not that of a dma-buf");
  const Result<std::size_t> there = size_of(kind, file);
  if (!there)
    return there.error();
  if (*there < size)
    return Error{ErrorKind::invalid_argument,
                 fmt::format("there are {} bytes in it, and {} are asked for", *there, size)};
  // Files of huge pages must be mapped in whole pages; bytes after `size` are never accessed.
  void *const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED)
    return Error{errno == ENOMEM ? ErrorKind::out_of_host_memory : ErrorKind::invalid_argument,
                 fmt::format("it cannot be mapped for reading and writing: {}", strerror(errno))};
  return std::shared_ptr<ImportedMemory>(
      new ImportedMemory(kind, static_cast<std::byte *>(data), size, file));
}

// A mapping of a shared file needs no open descriptor; the synchronization of a dma-buf does.
void ImportedMemory::take_descriptor() {
  if (is_of_driver())
    is_own_ = true;
  else
    close(file_);
}

ImportedMemory::~ImportedMemory() {
  munmap(data_, size_);
  if (is_own_)
    close(file_);
}

Result<void> ImportedMemory::synchronize(bool begins) const {
  if (!is_of_driver())
    return {};
  dma_buf_sync request{};
  request.flags = (begins ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END) | DMA_BUF_SYNC_RW;
  int result = 0;
  do // required by the documentation of the interface
    result = ioctl(file_, DMA_BUF_IOCTL_SYNC, &request);
  while (result < 0 && (errno == EINTR || errno == EAGAIN));
  if (result < 0)
    return Error{ErrorKind::io_failure,
                 fmt::format("the kernel does not {} access to a dma-buf: {}",
                             begins ? "begin" : "end", strerror(errno))};
  return {};
}

} // namespace lockstep::runtime
