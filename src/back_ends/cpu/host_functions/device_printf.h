// printf of kernels, on the host. Machine code calls lockstep_device_printf (the primitive
// __lockstep_printf of docs/kernel_ir.md, which ORC resolves). The launch calls flush_device_printf
// when a kernel has ended.
#pragma once

#include <cstdint>
#include <string>

// Formats the text and writes it to stdout in one call, so that output of work-items on several
// threads does not mix. `arguments` holds `size` bytes: each argument at the next multiple of its
// packed size. Returns 0, or -1 if the format is malformed or stdout cannot be written.
extern "C" __attribute__((visibility("default"))) int
lockstep_device_printf(const char *format, const void *arguments, uint32_t size);

namespace lockstep::compiler {

// The text that lockstep_device_printf writes; false if the format is malformed.
bool format_device_printf(std::string &text, const char *format, const void *arguments,
                          uint32_t size);

// Flushes stdout if a kernel has printed since the last call (OpenCL C 6.15.14.1). Otherwise costs
// one load.
void flush_device_printf();

} // namespace lockstep::compiler
