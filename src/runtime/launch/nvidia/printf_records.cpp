#include "runtime/launch/nvidia/printf_records.h"

#include "abi/nvidia_printf.h"
#include "abi/printf_format.h"
#include "back_ends/cpu/host_functions/device_printf.h"

#include <cstdint>
#include <cstring>

namespace lockstep::runtime {
namespace {

// A string outside of the record counts as a null pointer: the kernel may have written over it.
void place_strings(std::span<std::byte> data, std::size_t arguments, const std::string &format) {
  for (const compiler::PrintfString &string : compiler::printf_strings(format)) {
    uint64_t offset = 0;
    if (string.offset + sizeof offset > arguments)
      return; // the kernel passes fewer arguments
    std::memcpy(&offset, &data[string.offset], sizeof offset);
    const bool is_inside = offset >= arguments && offset < data.size() &&
                           std::memchr(&data[offset], 0, data.size() - offset);
    const std::byte *text = is_inside ? &data[offset] : nullptr;
    std::memcpy(&data[string.offset], &text, sizeof text);
  }
}

} // namespace

void print_records(std::span<std::byte> records, std::span<const std::string> formats) {
  lockstep_printf_record record;
  while (records.size() >= sizeof record) {
    std::memcpy(&record, records.data(), sizeof record);
    if (record.size < sizeof record || record.size > records.size() ||
        record.arguments > record.size - sizeof record || record.format >= formats.size())
      return;
    const std::span<std::byte> data = records.first(record.size).subspan(sizeof record);
    const std::string &format = formats[record.format];
    place_strings(data, record.arguments, format);
    lockstep_device_printf(format.c_str(), data.data(), record.arguments);
    records = records.subspan(record.size);
  }
}

} // namespace lockstep::runtime
