// The border between machine code and whoever does what a kernel asks of device-side enqueue (OpenCL C 6.15.17). All of
// its builtins are one call with an array of words (device_lib/device_enqueue.cl fills it); a change here is a change of
// `launch_abi_version`.
#pragma once

#include "compiler/launch_abi.h"

#include <cstddef>
#include <cstdint>

namespace lockstep::compiler {

enum class EnqueueCall : uint32_t {
  enqueue_kernel,
  enqueue_marker,
  create_user_event,
  set_user_event_status,
  retain_event,
  release_event,
  is_valid_event,
  capture_profiling,
  default_queue,
  work_group_size,
  preferred_multiple,
  max_sub_group_size,
  sub_group_count,
};

// As clang lays it out.
struct NdRange {
  uint32_t work_dim;
  uint64_t global_offset[3], global_size[3], local_size[3];
};

// The words, for all calls; which are set depends on the call. Pointers are as wide as words.
struct EnqueueWords {
  uint64_t queue; // of calls about one event: that
  uint64_t flags; // of capture_profiling, set_user_event_status: what, which status
  const NdRange *range;
  uint64_t event_count;
  const uint64_t *events;
  uint64_t *event;    // may be null
  const char *kernel; // the block's, by its name in the program
  const void *block;  // BlockHead, then what it captures
  uint64_t local_count;
  const uint64_t *local_sizes;
  void *to; // capture_profiling
};

// A block, as clang lays it out.
struct BlockHead {
  uint32_t size, alignment; // of all of it
  const void *invoke;
};
static_assert(sizeof(NdRange) == 80 && sizeof(BlockHead) == 16 && sizeof(EnqueueWords) == 88);

inline constexpr uint64_t null_event = ~uint64_t{0}; // CLK_NULL_EVENT

class EnqueueHandler {
public:
  // By the thread that runs the group; its machine code waits for the answer.
  virtual int64_t call(EnqueueCall call, const GroupInfo &group, const EnqueueWords &words) = 0;
  // A call of the code has run the group, and those that it ran with it.
  virtual void group_ended(const GroupInfo &group) = 0;

protected:
  ~EnqueueHandler() = default;
};

} // namespace lockstep::compiler
