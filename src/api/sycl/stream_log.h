// The log of a sycl::stream (include/lockstep/sycl/detail/stream_records.hpp): its memory, and its
// text after the kernel has ended.
#pragma once

#include "sycl/detail/stream_records.hpp"

#include <memory>
#include <string>

namespace lockstep::sycl_api {

class StreamLog {
public:
  // Limits in characters: for the whole stream, and for a work-item between flushes. Further text
  // is dropped (SYCL 2020, section 4.16).
  StreamLog(std::size_t total, std::size_t of_item);

  sycl::detail::stream_log *memory() const {
    return reinterpret_cast<sycl::detail::stream_log *>(memory_.get());
  }
  std::string text() const;
  void print() const; // to the standard output

private:
  std::size_t total_, of_item_;
  std::unique_ptr<uint64_t[]> memory_;
};

} // namespace lockstep::sycl_api
