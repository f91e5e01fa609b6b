// The content that a buffer is filled with or compared to: "iota", "random:7", "file:in.bin", "5",
// ...
#pragma once

#include "tools/lockstep/element_type.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli {

struct Fill {
  enum class Kind { zeros, none, iota, random, file, values }; // none: not initialized
  Kind kind = Kind::zeros;
  std::vector<std::string>
      numbers; // iota: start, step; random: seed, low, high; values: the values, repeated in turn
  std::string path; // file
};

// zeros | none | iota[:START[:STEP]] | random[:SEED[:LOW:HIGH]] | file:PATH | VALUE[,VALUE...]
Result<Fill> parse_fill(std::string_view text);

// Makes `count` elements. Without a count: as many as the file or the list of values has.
Result<std::vector<std::byte>> make_bytes(const ElementType &type, std::optional<size_t> count,
                                          const Fill &fill);

Result<std::vector<std::byte>> read_file(const std::string &path);
Result<void> write_file(const std::string &path, const void *data, size_t size);

std::vector<std::string> split(std::string_view text, char separator);

} // namespace lockstep::cli
