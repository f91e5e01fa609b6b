// printf of a kernel: writes a record (src/abi/nvidia_printf.h). A header, so that a test can
// compile it for the host.
#pragma once

#include "abi/nvidia_printf.h"
#include "device_lib/nvidia/types.h"

// The string of an argument. Null if the kernel has passed fewer arguments than the format needs.
INLINE static const char *string_of(const u8 *arguments, u32 size, u32 offset) {
  return offset <= size && size - offset >= sizeof(u64)
             ? *(const char *const *)(const void *)(arguments + offset)
             : 0;
}

// Bytes of the record with its strings. More than `capacity` if there is no room for them.
INLINE static u32 record_bytes(const u8 *arguments, u32 size, u32 capacity,
                               GLOBAL const struct lockstep_printf_string *strings, u32 count) {
  u32 bytes = (u32)sizeof(struct lockstep_printf_record) + (size + 7) / 8 * 8;
  for (u32 i = 0; i < count; ++i) {
    const char *text = string_of(arguments, size, strings[i].offset);
    for (u32 n = 0; text && n < strings[i].limit && bytes <= capacity && text[n]; ++n)
      ++bytes;
    bytes += text != 0;
  }
  return (bytes + 7) / 8 * 8;
}

// Memory of a string may change meanwhile, so its length is not what it was: `end` limits it.
INLINE static void write_strings(GLOBAL u8 *to, u32 end, const u8 *arguments, u32 size,
                                 GLOBAL const struct lockstep_printf_string *strings, u32 count) {
  u32 at = (size + 7) / 8 * 8;
  for (u32 i = 0; i < count; ++i) {
    const char *text = string_of(arguments, size, strings[i].offset);
    if (!text || at >= end)
      continue;
    *(GLOBAL u64 *)(GLOBAL void *)(to + strings[i].offset) = at;
    for (u32 n = 0; n < strings[i].limit && at + 1 < end && text[n]; ++n)
      to[at++] = (u8)text[n];
    to[at++] = 0;
  }
}

static int write_printf_record(GLOBAL struct lockstep_printf_buffer *buffer, u32 format,
                               const u8 *arguments, u32 size,
                               GLOBAL const struct lockstep_printf_string *strings, u32 count) {
  const u64 capacity = buffer->capacity;
  const u32 bytes = record_bytes(arguments, size, (u32)capacity, strings, count);
  const u64 begin =
      __scoped_atomic_fetch_add(&buffer->used, (u64)bytes, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (begin > capacity || bytes > capacity - begin)
    return -1;
  GLOBAL struct lockstep_printf_record *record =
      (GLOBAL struct lockstep_printf_record *)((GLOBAL u8 *)(buffer + 1) + begin);
  GLOBAL u8 *to = (GLOBAL u8 *)(record + 1);
  record->size = bytes;
  record->format = format;
  record->arguments = size;
  for (u32 i = 0; i < size; ++i)
    to[i] = arguments[i];
  write_strings(to, bytes - (u32)sizeof *record, arguments, size, strings, count);
  return 0;
}
