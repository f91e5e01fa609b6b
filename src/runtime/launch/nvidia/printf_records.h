// Reads the records that kernels on a card have written by printf (abi/nvidia_printf.h), on the host.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lockstep::runtime {

// Formats the records as the CPU's printf does, and writes the texts to stdout. Ends at the first
// record that is not whole. Puts the addresses of strings into the records.
void print_records(std::span<std::byte> records, std::span<const std::string> formats);

} // namespace lockstep::runtime
