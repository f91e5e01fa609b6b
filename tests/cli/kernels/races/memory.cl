// Which memory two accesses share.
#include "arguments.h"

// Elements of a vector are words of their own.
kernel void elements_of_one_vector(ARGUMENTS) {
  global int2 *pairs = (global int2 *)data;
  if (ITEM & 1)
    pairs[get_global_id(0) / 2].x = 1;
  else
    pairs[get_global_id(0) / 2].y = 2;
}
kernel void neighboring_bytes(ARGUMENTS) { ((global char *)data)[get_global_id(0)] = 1; }
kernel void overlapping_words(ARGUMENTS) { ((global short *)data)[get_global_id(0) / 2] = get_global_id(0); }
kernel void same_value(ARGUMENTS) { data[0] = 7; }
kernel void groups_write_one_row(ARGUMENTS) { data[ITEM] = get_group_id(0); }
kernel void vectors_that_overlap(ARGUMENTS) { vstore4((int4)ITEM, 0, data + get_global_id(0) * 3 % 60); }
// LLVM merges the two reads.
#define READ_EITHER(place)                                                                                             \
  int read;                                                                                                            \
  if (get_group_id(0) & 1)                                                                                             \
    read = ((global int *)flags)[get_global_id(0) & 1];                                                                \
  else                                                                                                                 \
    read = data[place];                                                                                                \
  data[get_global_id(0)] = read + 1;
kernel void one_of_two_buffers(ARGUMENTS) { READ_EITHER(get_global_id(0)) }
kernel void one_of_two_buffers_read_beside(ARGUMENTS) { READ_EITHER(get_global_id(0) ^ 1) }
kernel void pointer_from_one_of_two(ARGUMENTS) {
  global int *all[4];
  for (int i = 0; i < 4; ++i)
    all[i] = i & 1 ? data : (global int *)flags;
  all[1 + get_group_id(0) / 2 * 2][ITEM] = get_global_id(0);
}

// ---- variables of the program

global int of_the_program;
kernel void variables_of_the_program(ARGUMENTS) {
  static global int of_the_kernel;
  of_the_program = ITEM;
  of_the_kernel = ITEM;
}

// ---- constant memory, which is given as another argument, too, that the launch writes

#define CONSTANT_ARGUMENTS global int *data, constant int *table, local int *tmp
kernel void mirror_of_constant_memory(CONSTANT_ARGUMENTS) {
  data[get_global_id(0)] = table[get_global_size(0) - 1 - get_global_id(0)];
}
kernel void half_of_constant_memory(CONSTANT_ARGUMENTS) {
  const size_t half_size = get_global_size(0) / 2;
  if (get_global_id(0) < half_size)
    data[get_global_id(0)] = table[half_size + (get_global_id(0) + 1) % half_size];
}
kernel void sum_of_constant_memory(CONSTANT_ARGUMENTS) {
  data[get_global_id(0)] = table[get_global_id(0)] + 1;
}
