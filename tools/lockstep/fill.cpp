#include "tools/lockstep/fill.h"

#include "tools/lockstep/value_text.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <memory>

namespace lockstep::cli {
namespace {

using Bytes = std::vector<std::byte>;

Error bad(std::string sentence) {
  return {ErrorKind::invalid_argument, std::move(sentence)};
}

// Calls write(scalar index, address) for each scalar. The fourth lane of a 3-vector stays zero.
template <class Write>
Result<Bytes> for_each_scalar(const ElementType &type, size_t count, Write write) {
  Bytes bytes(count * type.size());
  size_t step = scalar_size(type.scalar);
  for (size_t element = 0; element < count; ++element)
    for (uint32_t lane = 0; lane < type.width; ++lane)
      LOCKSTEP_TRY(write(element * type.width + lane, &bytes[element * type.size() + lane * step]));
  return bytes;
}

Result<double> number_or(const std::vector<std::string> &numbers, size_t index, double otherwise) {
  if (index >= numbers.size())
    return otherwise;
  double value = 0;
  LOCKSTEP_TRY(
      write_number(Scalar::float64, reinterpret_cast<std::byte *>(&value), numbers[index]));
  return value;
}

Result<Bytes> iota(const ElementType &type, size_t count, const Fill &fill) {
  auto start = number_or(fill.numbers, 0, 0), step = number_or(fill.numbers, 1, 1);
  if (!start)
    return start.take_error();
  if (!step)
    return step.take_error();
  return for_each_scalar(type, count, [&](size_t index, std::byte *to) -> Result<void> {
    double value = *start + *step * static_cast<double>(index);
    if (is_floating(type.scalar))
      write_rounded(type.scalar, to, value);
    else
      write_integer(type.scalar, to, static_cast<int64_t>(value));
    return {};
  });
}

// splitmix64: small, of sufficient quality, and with the same numbers in every standard library.
uint64_t next_random(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Result<Bytes> random(const ElementType &type, size_t count, const Fill &fill) {
  bool floating = is_floating(type.scalar);
  auto seed = number_or(fill.numbers, 0, 1), low = number_or(fill.numbers, 1, 0),
       high = number_or(fill.numbers, 2, floating ? 1 : 99);
  for (auto *number : {&seed, &low, &high})
    if (!*number)
      return number->take_error();
  if (*low > *high)
    return bad(fmt::format("random: the lower bound {} is above the upper bound {}", *low, *high));
  uint64_t state = static_cast<uint64_t>(*seed);
  return for_each_scalar(type, count, [&](size_t, std::byte *to) -> Result<void> {
    double fraction = static_cast<double>(next_random(state) >> 11) * 0x1p-53; // [0, 1)
    if (floating)
      write_rounded(type.scalar, to, *low + fraction * (*high - *low));
    else
      write_integer(type.scalar, to,
                    static_cast<int64_t>(std::floor(*low + fraction * (*high - *low + 1))));
    return {};
  });
}

Result<Bytes> values(const ElementType &type, size_t count, const Fill &fill) {
  return for_each_scalar(type, count, [&](size_t index, std::byte *to) {
    return write_number(type.scalar, to, fill.numbers[index % fill.numbers.size()]);
  });
}

Result<Bytes> from_file(const ElementType &type, std::optional<size_t> count, const Fill &fill) {
  auto bytes = read_file(fill.path);
  if (!bytes)
    return bytes;
  if (!count && (bytes->empty() || bytes->size() % type.size() != 0))
    return bad(fmt::format("{} has {} bytes, which is not a whole number of {} ({} bytes each)",
                           fill.path, bytes->size(), type.name, type.size()));
  if (count && bytes->size() < *count * type.size())
    return bad(fmt::format("{} has {} bytes, but {} {} need {}", fill.path, bytes->size(), *count,
                           type.name, *count * type.size()));
  if (count)
    bytes->resize(*count * type.size());
  return bytes;
}

} // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos)
      return parts;
    begin = end + 1;
  }
}

Result<Fill> parse_fill(std::string_view text) {
  if (text.empty())
    return bad("there is nothing after '='; expected zeros, none, iota, random, file:PATH or a "
               "list of values");
  if (text.starts_with("file:")) {
    if (text.size() == 5)
      return bad("file: needs a path");
    return Fill{Fill::Kind::file, {}, std::string(text.substr(5))};
  }
  std::vector<std::string> parts = split(text, ':');
  std::string name = parts.front();
  parts.erase(parts.begin());
  if (name == "zeros" && parts.empty())
    return Fill{};
  if (name == "none" && parts.empty())
    return Fill{Fill::Kind::none, {}, {}};
  if (name == "iota" && parts.size() <= 2)
    return Fill{Fill::Kind::iota, parts, {}};
  if (name == "random" && parts.size() <= 3 && parts.size() != 2)
    return Fill{Fill::Kind::random, parts, {}};
  if (name == "zeros" || name == "none" || name == "iota" || name == "random" || !parts.empty())
    return bad(fmt::format("'{}' is not understood; expected zeros, none, iota[:START[:STEP]], "
                           "random[:SEED[:LOW:HIGH]], "
                           "file:PATH or VALUE[,VALUE...]",
                           text));
  return Fill{Fill::Kind::values, split(text, ','), {}};
}

Result<Bytes> make_bytes(const ElementType &type, std::optional<size_t> count, const Fill &fill) {
  if (fill.kind == Fill::Kind::file)
    return from_file(type, count, fill);
  if (!count && fill.kind == Fill::Kind::values) {
    if (fill.numbers.size() % type.width != 0)
      return bad(
          fmt::format("{} values are not a whole number of {}", fill.numbers.size(), type.name));
    count = fill.numbers.size() / type.width;
  }
  if (!count)
    return bad("the number of elements is missing");
  switch (fill.kind) {
  case Fill::Kind::iota:
    return iota(type, *count, fill);
  case Fill::Kind::random:
    return random(type, *count, fill);
  case Fill::Kind::values:
    return values(type, *count, fill);
  default:
    return Bytes(*count * type.size());
  }
}

Result<Bytes> read_file(const std::string &path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                        std::fclose);
  if (!file)
    return Error{ErrorKind::io_failure,
                 fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  Bytes bytes;
  std::byte block[65536];
  while (size_t got = std::fread(block, 1, sizeof block, file.get()))
    bytes.insert(bytes.end(), block, block + got);
  if (std::ferror(file.get()))
    return Error{ErrorKind::io_failure,
                 fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  return bytes;
}

Result<void> write_file(const std::string &path, const void *data, size_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
  file.close();
  if (!file)
    return Error{ErrorKind::io_failure,
                 fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  return {};
}

} // namespace lockstep::cli
