// A kernel argument as described on the command line.
//
//   buf:TYPE:COUNT[=FILL]   a __global or __constant buffer    buf:float:1024=iota
//   buf:TYPE=FILL           as many elements as FILL has       buf:int=1,2,3 buf:float4=file:in.bin
//   TYPE=VALUE[,VALUE...]   a scalar or vector by value        int=5 float4=1,2,3,4
//   hex:BYTES               a struct by value, byte by byte    hex:0100000000008040
//   local:BYTES             a __local pointer                  local:4096 local:float:256
//   null                    a null pointer as buffer
#pragma once

#include "tools/lockstep/fill.h"

namespace lockstep::cli {

struct Argument {
  enum class Kind { buffer, null_buffer, value, local };
  Kind kind = Kind::value;
  ElementType type;             // buffer, value (uchar for hex)
  std::vector<std::byte> bytes; // buffer: its content; value: the value
  size_t local_size = 0;
  bool is_written = true; // buffer: filled before the kernel runs
  std::string text;       // as given on the command line
};

Result<Argument> parse_argument(std::string_view text);

// Splits "ARG=FILL[~TOLERANCE]" of --compare and "ARG=PATH" of --save at the first '='.
Result<std::pair<std::string, std::string>> split_at_equals(std::string_view text,
                                                            std::string_view option);

// The expected content of a buffer, and the tolerance of the comparison.
struct Expectation {
  std::string argument; // index or name
  Fill fill;
  double tolerance = 0;
};
Result<Expectation> parse_expectation(std::string_view text);

Result<size_t> parse_count(std::string_view text, std::string_view what);

} // namespace lockstep::cli
