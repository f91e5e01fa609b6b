#include "tools/lockstep/argument.h"

#include "tools/lockstep/value_text.h"

#include <charconv>
#include <fmt/format.h>

namespace lockstep::cli {
namespace {

Error bad(std::string sentence) {
  return {ErrorKind::invalid_argument, std::move(sentence)};
}

// Parses buf:TYPE[:COUNT][=FILL] without the prefix "buf:".
Result<Argument> parse_buffer(std::string_view text) {
  size_t equals = text.find('=');
  std::vector<std::string> parts = split(text.substr(0, equals), ':');
  if (parts.size() > 2)
    return bad("a buffer is buf:TYPE:COUNT[=FILL]");
  auto type = parse_element_type(parts[0]);
  if (!type)
    return type.take_error();
  std::optional<size_t> count;
  if (parts.size() == 2) {
    auto number = parse_count(parts[1], "number of elements");
    if (!number)
      return number.take_error();
    count = *number;
  }
  auto fill =
      equals == std::string_view::npos ? Result<Fill>(Fill{}) : parse_fill(text.substr(equals + 1));
  if (!fill)
    return fill.take_error();
  auto bytes = make_bytes(*type, count, *fill);
  if (!bytes)
    return bytes.take_error();
  if (bytes->empty())
    return bad("a buffer of no elements cannot be made");
  return Argument{Argument::Kind::buffer,         *type, std::move(*bytes), 0,
                  fill->kind != Fill::Kind::none, {}};
}

Result<Argument> parse_hex(std::string_view digits) {
  Argument argument;
  argument.type = {Scalar::uint8, 1, "uchar"};
  if (digits.empty() || digits.size() % 2 != 0)
    return bad(fmt::format("hex: needs two digits for each byte, and there are {}", digits.size()));
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (error != std::errc() || end != digits.data() + i + 2)
      return bad(fmt::format("'{}' is not a hexadecimal byte", digits.substr(i, 2)));
    argument.bytes.push_back(std::byte(byte));
  }
  return argument;
}

Result<Argument> parse_local(std::string_view text) {
  Argument argument;
  argument.kind = Argument::Kind::local;
  std::vector<std::string> parts = split(text, ':');
  size_t element = 1;
  if (parts.size() == 2) {
    auto type = parse_element_type(parts[0]);
    if (!type)
      return type.take_error();
    element = type->size();
  }
  auto count = parse_count(parts.back(), "size of local memory");
  if (!count || parts.size() > 2)
    return parts.size() > 2 ? bad("local memory is local:BYTES or local:TYPE:COUNT")
                            : count.take_error();
  argument.local_size = *count * element;
  return argument;
}

Result<Argument> parse_value(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return bad("expected buf:TYPE:COUNT[=FILL], TYPE=VALUE, hex:BYTES, local:BYTES or null");
  auto type = parse_element_type(text.substr(0, equals));
  if (!type)
    return type.take_error();
  std::vector<std::string> values = split(text.substr(equals + 1), ',');
  if (values.size() != 1 && values.size() != type->width)
    return bad(fmt::format("{} needs {} values, or one for all, and there are {}", type->name,
                           type->width, values.size()));
  auto bytes = make_bytes(*type, 1, Fill{Fill::Kind::values, values, {}});
  if (!bytes)
    return bytes.take_error();
  return Argument{Argument::Kind::value, *type, std::move(*bytes), 0, true, {}};
}

Result<Argument> parse_kind(std::string_view text) {
  if (text == "null") {
    Argument argument;
    argument.kind = Argument::Kind::null_buffer;
    return argument;
  }
  if (text.starts_with("buf:"))
    return parse_buffer(text.substr(4));
  if (text.starts_with("hex:"))
    return parse_hex(text.substr(4));
  if (text.starts_with("local:"))
    return parse_local(text.substr(6));
  return parse_value(text);
}

} // namespace

Result<size_t> parse_count(std::string_view text, std::string_view what) {
  size_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    return bad(fmt::format("the {} is '{}', which is not a positive whole number", what, text));
  if (value > size_t(1) << 40)
    return bad(fmt::format("the {} is {}, which is more than this tool can hold", what, text));
  return value;
}

Result<Argument> parse_argument(std::string_view text) {
  auto argument = parse_kind(text);
  if (!argument)
    return bad(fmt::format("--arg {}: {}", text, argument.error().message));
  argument->text = text;
  return argument;
}

Result<std::pair<std::string, std::string>> split_at_equals(std::string_view text,
                                                            std::string_view option) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return bad(
        fmt::format("{} {}: expected ARG=..., where ARG is the index or name of a kernel argument",
                    option, text));
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<Expectation> parse_expectation(std::string_view text) {
  auto parts = split_at_equals(text, "--compare");
  if (!parts)
    return parts.take_error();
  Expectation expectation{parts->first, {}, 0};
  std::string content = parts->second;
  if (size_t tilde = content.rfind('~'); tilde != std::string::npos) {
    std::byte bytes[sizeof(double)];
    if (!write_number(Scalar::float64, bytes, content.substr(tilde + 1)))
      return bad(fmt::format("--compare {}: the tolerance '{}' is not a number", text,
                             content.substr(tilde + 1)));
    expectation.tolerance = read_number(Scalar::float64, bytes);
    content.resize(tilde);
  }
  auto fill = parse_fill(content);
  if (!fill)
    return bad(fmt::format("--compare {}: {}", text, fill.error().message));
  if (fill->kind == Fill::Kind::none)
    return bad(fmt::format("--compare {}: there is nothing to compare with", text));
  expectation.fill = *fill;
  return expectation;
}

} // namespace lockstep::cli
