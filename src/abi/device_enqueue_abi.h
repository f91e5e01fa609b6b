// Interface between machine code and the handler of device-side enqueue (OpenCL C 6.15.17). Every
// builtin is one call with an array of words (device_lib/device_enqueue.cl fills it). A change here
// requires a new `launch_abi_version`.
#pragma once

#include "abi/launch_abi.h"

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

// Layout as in clang.
struct NdRange {
  uint32_t work_dim;
  uint64_t global_offset[3], global_size[3], local_size[3];
};

// The words of all calls; each call sets only some of them. Pointers are as wide as words.
struct EnqueueWords {
  uint64_t queue; // for calls about one event: the event
  uint64_t flags; // capture_profiling: which value; set_user_event_status: which status
  const NdRange *range;
  uint64_t event_count;
  const uint64_t *events;
  uint64_t *event;    // may be null
  const char *kernel; // the block's kernel, by its name in the program
  const void *block;  // BlockHead, then the captures
  uint64_t local_count;
  const uint64_t *local_sizes;
  void *to; // destination of capture_profiling
};

// The head of a block. Layout as in clang.
struct BlockHead {
  uint32_t size, alignment; // of the whole block
  const void *invoke;
};
static_assert(sizeof(NdRange) == 80 && sizeof(BlockHead) == 16 && sizeof(EnqueueWords) == 88);

inline constexpr uint64_t null_event = ~uint64_t{0}; // CLK_NULL_EVENT

class EnqueueHandler {
public:
  // Called by the thread that runs the group; its machine code waits for the result.
  virtual int64_t call(EnqueueCall call, const GroupInfo &group, const EnqueueWords &words) = 0;
  // Called after a call of the code has run the group, and any groups that it ran in the same call.
  virtual void group_ended(const GroupInfo &group) = 0;

protected:
  ~EnqueueHandler() = default;
};

} // namespace lockstep::compiler
