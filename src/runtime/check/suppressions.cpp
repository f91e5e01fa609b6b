#include "runtime/check/suppressions.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fnmatch.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lockstep::runtime {

namespace {

constexpr std::string_view kinds[] = {"any",       "race",     "async-copy",    "divergence",
                                      "deadlock",  "commands", "out-of-bounds", "use-after-release",
                                      "undefined", "no-memory"};

Error wrong(const std::string &file, unsigned line, const std::string &why) {
  return {ErrorKind::invalid_argument, fmt::format("{}:{}: {}", file, line, why)};
}

std::string with_hyphens(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

Result<Suppression> parse_line(const std::string &text, const std::string &file, unsigned number) {
  Suppression suppression;
  suppression.line = number;
  std::istringstream words(text);
  words >> suppression.kind;
  if (std::find(std::begin(kinds), std::end(kinds), suppression.kind) == std::end(kinds))
    return wrong(file, number,
                 fmt::format("'{}' is no kind of finding; there are {}", suppression.kind,
                             fmt::join(kinds, ", ")));
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (value.empty())
      return wrong(file, number, fmt::format("'{}' is not NAME=VALUE", word));
    if (name == "kernel") {
      suppression.kernel = value;
    } else if (name == "argument") {
      suppression.argument = value;
    } else if (name == "at") {
      const std::size_t colon = value.rfind(':');
      const char *end = value.data() + value.size();
      const char *digits = colon == value.npos ? end : value.data() + colon + 1;
      if (const auto parsed = std::from_chars(digits, end, suppression.at_line);
          digits == end || parsed.ec != std::errc() || parsed.ptr != end)
        return wrong(file, number, fmt::format("'{}' is not FILE:LINE", value));
      suppression.file = value.substr(0, colon);
    } else {
      return wrong(file, number, fmt::format("'{}' is none of kernel, at, argument", name));
    }
  }
  return suppression;
}

} // namespace

bool matches(const Suppression &suppression, const SuppressedThing &thing) {
  if (suppression.kind != "any" && suppression.kind != with_hyphens(thing.kind))
    return false;
  if (!suppression.kernel.empty() &&
      fnmatch(suppression.kernel.c_str(), thing.kernel.c_str(), 0) != 0)
    return false;
  if (!suppression.argument.empty() && suppression.argument != thing.argument_name &&
      suppression.argument != std::to_string(thing.argument))
    return false;
  return suppression.at_line == 0 ||
         std::any_of(thing.places.begin(), thing.places.end(), [&](const auto &place) {
           return place.line == suppression.at_line && place.file.ends_with(suppression.file);
         });
}

Result<std::vector<Suppression>> parse_suppressions(std::string_view text,
                                                    const std::string &file) {
  std::vector<Suppression> all;
  std::istringstream lines{std::string(text)};
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == line.npos)
      continue;
    auto suppression = parse_line(line, file, number);
    LOCKSTEP_TRY(suppression);
    all.push_back(std::move(*suppression));
  }
  return all;
}

Result<std::vector<Suppression>> read_suppressions(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad())
    return Error{ErrorKind::invalid_argument, file + " cannot be read"};
  return parse_suppressions(text, file);
}

} // namespace lockstep::runtime
