// The image block functions of cl_intel_subgroups: lanes access neighboring words of a row, and
// each further word of a lane is from the row below.
#include "device_lib/images/images.h"
#include "device_lib/groups/sub_group_primitives.h"

static inline SUB_GROUP_FUNCTION uint word_of_row(image_pointer image, int2 at, int row) {
  return __lockstep_image_word_read(image, __lockstep_image_format(image), at.x + 4 * (int)own_lane(), at.y + row);
}
static inline SUB_GROUP_FUNCTION void set_word_of_row(image_pointer image, int2 at, int row, uint value) {
  __lockstep_image_word_write(image, __lockstep_image_format(image), at.x + 4 * (int)own_lane(), at.y + row, value);
}

#define DESCRIPTOR(access, qualifier) PURE image_pointer __lockstep_descriptor_image2d_##access(qualifier image2d_t image);
DESCRIPTOR(ro, read_only)
DESCRIPTOR(wo, write_only)
DESCRIPTOR(rw, read_write)

#define READ_VECTOR(access, qualifier, n)                                                                              \
  BUILTIN SUB_GROUP_FUNCTION uint##n intel_sub_group_block_read##n(qualifier image2d_t image, int2 at) {               \
    uint##n result;                                                                                                    \
    for (int row = 0; row != n; ++row)                                                                                 \
      result[row] = word_of_row(__lockstep_descriptor_image2d_##access(image), at, row);                               \
    return result;                                                                                                     \
  }
#define WRITE_VECTOR(access, qualifier, n)                                                                             \
  BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write##n(qualifier image2d_t image, int2 at, uint##n data) {   \
    for (int row = 0; row != n; ++row)                                                                                 \
      set_word_of_row(__lockstep_descriptor_image2d_##access(image), at, row, data[row]);                              \
  }
#define READS(access, qualifier)                                                                                       \
  BUILTIN SUB_GROUP_FUNCTION uint intel_sub_group_block_read(qualifier image2d_t image, int2 at) {                     \
    return word_of_row(__lockstep_descriptor_image2d_##access(image), at, 0);                                          \
  }                                                                                                                    \
  READ_VECTOR(access, qualifier, 2) READ_VECTOR(access, qualifier, 4) READ_VECTOR(access, qualifier, 8)
#define WRITES(access, qualifier)                                                                                      \
  BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write(qualifier image2d_t image, int2 at, uint data) {         \
    set_word_of_row(__lockstep_descriptor_image2d_##access(image), at, 0, data);                                       \
  }                                                                                                                    \
  WRITE_VECTOR(access, qualifier, 2) WRITE_VECTOR(access, qualifier, 4) WRITE_VECTOR(access, qualifier, 8)

READS(ro, read_only)
READS(rw, read_write)
WRITES(wo, write_only)
WRITES(rw, read_write)
