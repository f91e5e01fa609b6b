// Async copies and prefetch (OpenCL C 6.15.11), cl_khr_extended_async_copies and
// cl_khr_async_work_group_copy_fence.
//
// A copy is a group operation: all work-items reach it with the same arguments. It executes once,
// at a point where no work-item of the group runs (docs/kernel_ir.md, __lockstep_group_copy). So it
// is complete when the call returns, and the event's value does not matter. The wait is still a
// barrier, because programs rely on it to see each other's copies.
#include "device_lib/lockstep_builtins.h"

#define COPY(destination_space, source_space, type)                                                \
  BUILTIN GROUP_OPERATION event_t async_work_group_copy(destination_space type *destination,       \
                                                        const source_space type *source,           \
                                                        size_t count, event_t event) {             \
    __lockstep_group_copy(destination, source, count, 1, 1, sizeof(type));                         \
    return event;                                                                                  \
  }

// The stride applies to the global side.
#define STRIDED_COPIES(type)                                                                       \
  BUILTIN GROUP_OPERATION event_t async_work_group_strided_copy(                                   \
      local type *destination, const global type *source, size_t count, size_t stride,             \
      event_t event) {                                                                             \
    __lockstep_group_copy(destination, source, count, 1, stride, sizeof(type));                    \
    return event;                                                                                  \
  }                                                                                                \
  BUILTIN GROUP_OPERATION event_t async_work_group_strided_copy(                                   \
      global type *destination, const local type *source, size_t count, size_t stride,             \
      event_t event) {                                                                             \
    __lockstep_group_copy(destination, source, count, stride, 1, sizeof(type));                    \
    return event;                                                                                  \
  }

#define EVERY_FUNCTION(type)                                                                       \
  COPY(local, global, type)                                                                        \
  COPY(global, local, type)                                                                        \
  STRIDED_COPIES(type)                                                                             \
  BUILTIN void prefetch(const global type *p, size_t count) {}

FOR_EACH_SCALAR_AND_VECTOR_TYPE(EVERY_FUNCTION)

#define WAIT(space)                                                                                \
  BUILTIN GROUP_OPERATION void wait_group_events(int count, space event_t *events) {               \
    __lockstep_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                \
  }
WAIT(private)
WAIT(generic)

// A copy is complete when its call returns, and group operations stay in order. So the fence only
// restrains the compiler.
BUILTIN GROUP_OPERATION void async_work_group_copy_fence(cl_mem_fence_flags flags) {
  __lockstep_barrier(flags);
}

// ---- SYCL: events are numbers ----

BUILTIN GROUP_OPERATION ulong async_work_group_copy(generic void *destination,
                                                    const generic void *source, ulong count,
                                                    ulong destination_stride, ulong source_stride,
                                                    ulong size, ulong event) {
  __lockstep_group_copy(destination, source, count, destination_stride, source_stride, size);
  return event;
}
BUILTIN GROUP_OPERATION void wait_group_events(ulong event) {
  __lockstep_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- copies of two and three dimensions ----

#define AT(space, pointer, offset, size) ((space char *)(pointer) + (offset) * (size))
#define LINES(destination_space, source_space)                                                     \
  BUILTIN GROUP_OPERATION event_t async_work_group_copy_2D2D(                                      \
      destination_space void *destination, size_t destination_offset,                              \
      const source_space void *source, size_t source_offset, size_t size, size_t per_line,         \
      size_t lines, size_t source_line, size_t destination_line, event_t event) {                  \
    __lockstep_group_copy_lines(AT(destination_space, destination, destination_offset, size),      \
                                AT(const source_space, source, source_offset, size),               \
                                per_line * size, lines, 1, destination_line * size, 0,             \
                                source_line * size, 0);                                            \
    return event;                                                                                  \
  }                                                                                                \
  BUILTIN GROUP_OPERATION event_t async_work_group_copy_3D3D(                                      \
      destination_space void *destination, size_t destination_offset,                              \
      const source_space void *source, size_t source_offset, size_t size, size_t per_line,         \
      size_t lines, size_t planes, size_t source_line, size_t source_plane,                        \
      size_t destination_line, size_t destination_plane, event_t event) {                          \
    __lockstep_group_copy_lines(AT(destination_space, destination, destination_offset, size),      \
                                AT(const source_space, source, source_offset, size),               \
                                per_line * size, lines, planes, destination_line * size,           \
                                destination_plane * size, source_line * size,                      \
                                source_plane * size);                                              \
    return event;                                                                                  \
  }
LINES(local, global)
LINES(global, local)
