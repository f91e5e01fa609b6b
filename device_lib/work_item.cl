// Work-item functions (OpenCL C 6.15.1). The primitives require a dimension below 3; these
// functions define the result for larger ones.
#include "device_lib/lockstep_builtins.h"

#define WORK_ITEM_FUNCTION(name, primitive, beyond)                                                \
  BUILTIN PURE size_t name(uint dim) {                                                             \
    return dim < 3 ? primitive(dim) : beyond;                                                      \
  }

WORK_ITEM_FUNCTION(get_global_size, __lockstep_global_size, 1)
WORK_ITEM_FUNCTION(get_global_offset, __lockstep_global_offset, 0)
WORK_ITEM_FUNCTION(get_local_size, __lockstep_local_size, 1)
WORK_ITEM_FUNCTION(get_enqueued_local_size, __lockstep_enqueued_local_size, 1)
WORK_ITEM_FUNCTION(get_local_id, __lockstep_local_id, 0)
WORK_ITEM_FUNCTION(get_num_groups, __lockstep_num_groups, 1)
WORK_ITEM_FUNCTION(get_group_id, __lockstep_group_id, 0)

BUILTIN PURE uint get_work_dim(void) {
  return __lockstep_work_dim();
}

// The last group of a dimension may be smaller, so the start of a group is computed from enqueued
// sizes.
BUILTIN PURE size_t get_global_id(uint dim) {
  return dim < 3 ? __lockstep_group_id(dim) * __lockstep_enqueued_local_size(dim) +
                       __lockstep_local_id(dim) + __lockstep_global_offset(dim)
                 : 0;
}

// Unused dimensions have id 0 and size 1, so the formula for three dimensions is always valid.
BUILTIN PURE size_t get_local_linear_id(void) {
  return (__lockstep_local_id(2) * __lockstep_local_size(1) + __lockstep_local_id(1)) *
             __lockstep_local_size(0) +
         __lockstep_local_id(0);
}

static size_t id_without_offset(uint dim) {
  return get_global_id(dim) - __lockstep_global_offset(dim);
}

BUILTIN PURE size_t get_global_linear_id(void) {
  return (id_without_offset(2) * __lockstep_global_size(1) + id_without_offset(1)) *
             __lockstep_global_size(0) +
         id_without_offset(0);
}
