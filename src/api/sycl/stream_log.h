// The log of a sycl::stream (include/lockstep/sycl/detail/stream_records.hpp): its memory, and its
// text after the kernel has ended.
#pragma once

#include "runtime/device/device.h"

#include "sycl/detail/stream_records.hpp"

#include <memory>
#include <string>

namespace lockstep::sycl_api {

class StreamLog {
public:
  // Limits in characters: for the whole stream, and for a work-item between flushes. Further text
  // is dropped (SYCL 2020, section 4.16).
  StreamLog(const runtime::Device &device, std::size_t total, std::size_t of_item);

  sycl::detail::stream_log *memory() const { // for kernels of the device
    return static_cast<sycl::detail::stream_log *>(memory_.get());
  }
  std::string text() const; // empty if the device does not work any more
  void print() const;       // to the standard output

private:
  // Reads `bytes` of the memory into `to`.
  bool read(std::byte *to, std::size_t offset, std::size_t bytes) const;

  const std::size_t total_, of_item_;
  const std::shared_ptr<runtime::MemorySpace> space_; // null: the host's memory
  std::shared_ptr<void> memory_;
};

} // namespace lockstep::sycl_api
