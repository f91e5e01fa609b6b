// Makes a random program from a seed: legal OpenCL C, without races and undefined behavior, whose
// result depends only on the program. The interpreter (interpret.h) proves this for each program.
#pragma once

#include "program.h"

namespace lockstep::fuzz {

// What the device supports. The same seed gives the same program on another device, as far as that
// device allows.
struct Capabilities {
  bool non_uniform_groups = false;
  bool fp64 = false;
  bool c11_atomics = false;
  bool all_orders = false; // and all scopes of atomics
  bool exact_division = false;
  uint32_t max_group_size = 256;
  bool fp16 = false;
  bool shared_memory = false; // of all kinds, with atomics
  bool sub_groups = false;    // of all kinds, of every size up to 64, and work-group collectives
  bool generic_pointers = false;
  bool program_scope_variables = false;
  bool bit_operations = false; // cl_khr_extended_bit_ops
  bool dot_products = false;   // cl_khr_integer_dot_product, of all kinds
  bool pipes = false;
  bool bit_fields = false; // an extension of clang; OpenCL C has none
  bool mazes = false;      // an option: each program that may have gotos of all kinds has some
};

// The capabilities of a device that supports everything.
inline Capabilities everything() {
  return {.non_uniform_groups = true,
          .fp64 = true,
          .c11_atomics = true,
          .all_orders = true,
          .exact_division = true,
          .max_group_size = 1024,
          .fp16 = true,
          .shared_memory = true,
          .sub_groups = true,
          .generic_pointers = true,
          .program_scope_variables = true,
          .bit_operations = true,
          .dot_products = true,
          .pipes = true,
          .bit_fields = true};
}

Program generate(uint64_t seed, const Capabilities &capabilities);

} // namespace lockstep::fuzz
