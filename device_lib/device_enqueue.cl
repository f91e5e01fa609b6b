// Device-side enqueue (OpenCL C 6.15.17), and the functions that clang calls for enqueue_kernel and
// for queries of blocks. All of them use one primitive that takes an array of words.
// src/abi/device_enqueue_abi.h declares both for the host.
#include "device_lib/lockstep_builtins.h"

enum call {
  call_enqueue_kernel,
  call_enqueue_marker,
  call_create_user_event,
  call_set_user_event_status,
  call_retain_event,
  call_release_event,
  call_is_valid_event,
  call_capture_profiling,
  call_default_queue,
  call_work_group_size,
  call_preferred_multiple,
  call_max_sub_group_size,
  call_sub_group_count
};

struct words {
  ulong queue, flags;
  const private ndrange_t *range;
  ulong event_count;
  const generic clk_event_t *events;
  generic clk_event_t *event;
  const generic void *block_kernel, *block;
  ulong local_count;
  const private ulong *local_sizes;
  global void *to;
};
long __lockstep_device_enqueue(uint call, private const struct words *words);

// Queues and events are numbers; see lower-image-types.
PURE ulong __lockstep_queue_number(queue_t queue);
PURE queue_t __lockstep_queue(ulong number);
PURE ulong __lockstep_event_number(clk_event_t event);
PURE clk_event_t __lockstep_event(ulong number);

#define ASK(which, ...)                                                                            \
  const struct words words = {__VA_ARGS__};                                                        \
  return __lockstep_device_enqueue(which, &words)
#define TELL(which, ...)                                                                           \
  const struct words words = {__VA_ARGS__};                                                        \
  (void)__lockstep_device_enqueue(which, &words)

PURE clk_event_t __lockstep_null_event(void) {
  return __lockstep_event(~0ul);
}

PURE queue_t __lockstep_null_queue(void) {
  return __lockstep_queue(0);
}

// ---- enqueuing

int __enqueue_kernel_basic(queue_t queue, int flags, private ndrange_t *range,
                           generic void *block_kernel, generic void *block) {
  ASK(call_enqueue_kernel, .queue = __lockstep_queue_number(queue), .flags = flags, .range = range,
      .block_kernel = block_kernel, .block = block);
}
int __enqueue_kernel_basic_events(queue_t queue, int flags, private ndrange_t *range, uint count,
                                  generic clk_event_t *events, generic clk_event_t *event,
                                  generic void *block_kernel, generic void *block) {
  ASK(call_enqueue_kernel, .queue = __lockstep_queue_number(queue), .flags = flags, .range = range,
      .event_count = count, .events = events, .event = event, .block_kernel = block_kernel,
      .block = block);
}
int __enqueue_kernel_varargs(queue_t queue, int flags, private ndrange_t *range,
                             generic void *block_kernel, generic void *block, uint local_count,
                             private ulong *local_sizes) {
  ASK(call_enqueue_kernel, .queue = __lockstep_queue_number(queue), .flags = flags, .range = range,
      .block_kernel = block_kernel, .block = block, .local_count = local_count,
      .local_sizes = local_sizes);
}
int __enqueue_kernel_events_varargs(queue_t queue, int flags, private ndrange_t *range, uint count,
                                    generic clk_event_t *events, generic clk_event_t *event,
                                    generic void *block_kernel, generic void *block,
                                    uint local_count, private ulong *local_sizes) {
  ASK(call_enqueue_kernel, .queue = __lockstep_queue_number(queue), .flags = flags, .range = range,
      .event_count = count, .events = events, .event = event, .block_kernel = block_kernel,
      .block = block, .local_count = local_count, .local_sizes = local_sizes);
}

BUILTIN int enqueue_marker(queue_t queue, uint count, const clk_event_t *events,
                           clk_event_t *event) {
  ASK(call_enqueue_marker, .queue = __lockstep_queue_number(queue), .event_count = count,
      .events = events, .event = event);
}
BUILTIN queue_t get_default_queue(void) {
  const struct words words = {0};
  return __lockstep_queue(__lockstep_device_enqueue(call_default_queue, &words));
}

// ---- events

BUILTIN clk_event_t create_user_event(void) {
  const struct words words = {0};
  return __lockstep_event(__lockstep_device_enqueue(call_create_user_event, &words));
}
// For functions of one event, which the first word holds.
#define OF(of) .queue = __lockstep_event_number(of)
BUILTIN void set_user_event_status(clk_event_t event, int status) {
  TELL(call_set_user_event_status, OF(event), .flags = (ulong)(long)status);
}
BUILTIN void retain_event(clk_event_t event) {
  TELL(call_retain_event, OF(event));
}
BUILTIN void release_event(clk_event_t event) {
  TELL(call_release_event, OF(event));
}
BUILTIN bool is_valid_event(clk_event_t event) {
  const struct words words = {OF(event)};
  return __lockstep_device_enqueue(call_is_valid_event, &words) != 0;
}
BUILTIN void capture_event_profiling_info(clk_event_t event, clk_profiling_info what,
                                          global void *to) {
  TELL(call_capture_profiling, .queue = __lockstep_event_number(event), .flags = (ulong)(long)what,
       .to = to);
}

// ---- ranges

static ndrange_t range_of(uint dimensions, const size_t *offset, const size_t *global_size,
                          const size_t *local_size) {
  ndrange_t range = {.workDimension = dimensions};
  for (uint i = 0; i < dimensions; ++i) {
    range.globalWorkOffset[i] = offset ? offset[i] : 0;
    range.globalWorkSize[i] = global_size[i];
    range.localWorkSize[i] = local_size ? local_size[i] : 0; // 0: the device chooses
  }
  return range;
}
BUILTIN ndrange_t ndrange_1D(size_t global_size) {
  return range_of(1, 0, &global_size, 0);
}
BUILTIN ndrange_t ndrange_1D(size_t global_size, size_t local_size) {
  return range_of(1, 0, &global_size, &local_size);
}
BUILTIN ndrange_t ndrange_1D(size_t offset, size_t global_size, size_t local_size) {
  return range_of(1, &offset, &global_size, &local_size);
}
#define RANGES(dimensions)                                                                         \
  BUILTIN ndrange_t ndrange_##dimensions##D(const size_t global_size[dimensions]) {                \
    return range_of(dimensions, 0, global_size, 0);                                                \
  }                                                                                                \
  BUILTIN ndrange_t ndrange_##dimensions##D(const size_t global_size[dimensions],                  \
                                            const size_t local_size[dimensions]) {                 \
    return range_of(dimensions, 0, global_size, local_size);                                       \
  }                                                                                                \
  BUILTIN ndrange_t ndrange_##dimensions##D(const size_t offset[dimensions],                       \
                                            const size_t global_size[dimensions],                  \
                                            const size_t local_size[dimensions]) {                 \
    return range_of(dimensions, offset, global_size, local_size);                                  \
  }
RANGES(2)
RANGES(3)

// ---- queries of blocks

uint __get_kernel_work_group_size_impl(generic void *block_kernel, generic void *block) {
  ASK(call_work_group_size, .block_kernel = block_kernel, .block = block);
}
uint __get_kernel_preferred_work_group_size_multiple_impl(generic void *block_kernel,
                                                          generic void *block) {
  ASK(call_preferred_multiple, .block_kernel = block_kernel, .block = block);
}
uint __get_kernel_max_sub_group_size_for_ndrange_impl(private ndrange_t *range,
                                                      generic void *block_kernel,
                                                      generic void *block) {
  ASK(call_max_sub_group_size, .range = range, .block_kernel = block_kernel, .block = block);
}
uint __get_kernel_sub_group_count_for_ndrange_impl(private ndrange_t *range,
                                                   generic void *block_kernel,
                                                   generic void *block) {
  ASK(call_sub_group_count, .range = range, .block_kernel = block_kernel, .block = block);
}
