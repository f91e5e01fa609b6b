/* The printf buffer of an NVIDIA card. Plain C: the device library and the runtime share it. */
#pragma once

/* Records follow. A kernel reserves a record by an atomic addition to `used`. Where a record would
   end after `capacity`, it is not written, and printf returns -1. `used` may exceed `capacity`. */
struct lockstep_printf_buffer {
  unsigned long long capacity, used; /* bytes of records */
};

/* Behind it follow the arguments, as __lockstep_printf takes them (docs/kernel_ir.md), and from the
   next multiple of 8 bytes on the strings, each with a zero at its end. The argument of a string is
   its distance from the arguments' begin, or 0 for a null pointer. */
struct lockstep_printf_record {
  unsigned size;      /* bytes with this header, a multiple of 8 */
  unsigned format;    /* index of PtxCode::printf_formats */
  unsigned arguments; /* bytes of the arguments */
  unsigned padding;
};

/* An argument of the conversion %s. */
struct lockstep_printf_string {
  unsigned offset; /* of the pointer in the arguments */
  unsigned limit;  /* most characters that are read: the precision */
};
