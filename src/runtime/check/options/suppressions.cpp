#include "runtime/check/options/suppressions.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fnmatch.h>
#include <fstream>
#include <iterator>
#include <set>
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

// For example "sum.cl:117"; lines start at 1.
bool read_place(const std::string &value, Suppression &suppression) {
  const std::size_t colon = value.rfind(':');
  if (colon == value.npos)
    return false;
  const char *digits = value.data() + colon + 1, *end = value.data() + value.size();
  const auto parsed = std::from_chars(digits, end, suppression.at_line);
  suppression.file = value.substr(0, colon);
  return parsed.ec == std::errc() && parsed.ptr == end && suppression.at_line != 0;
}

// Matches whole names of folders and files from the end. A source without a name is called
// <source>, as in reports.
bool is_end_of_path(std::string_view end, std::string_view path) {
  if (end.empty() || (path.empty() && end == "<source>"))
    return true;
  return path.ends_with(end) && (path.size() == end.size() || end.front() == '/' ||
                                 path[path.size() - end.size() - 1] == '/');
}

Result<Suppression> parse_line(const std::string &text, const std::string &file, unsigned number) {
  Suppression suppression;
  suppression.line = number;
  std::istringstream words(text);
  words >> suppression.kind;
  if (std::find(std::begin(kinds), std::end(kinds), suppression.kind) == std::end(kinds))
    return wrong(file, number,
                 fmt::format("'{}' is not a kind of finding; there are {}", suppression.kind,
                             fmt::join(kinds, ", ")));
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (value.empty())
      return wrong(file, number, fmt::format("'{}' is not NAME=VALUE", word));
    if (!seen.insert(name).second)
      return wrong(file, number, fmt::format("'{}' is given twice; a line has it once", name));
    if (name == "kernel") {
      suppression.kernel = value;
    } else if (name == "argument") {
      suppression.argument = value;
    } else if (name == "at") {
      if (!read_place(value, suppression))
        return wrong(file, number, fmt::format("'{}' is not FILE:LINE", value));
    } else {
      return wrong(file, number, fmt::format("'{}' is none of kernel, at, argument", name));
    }
  }
  return suppression;
}

} // namespace

bool matches_name(const std::string &pattern, const std::string &name, const std::string &title) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
         (!title.empty() && fnmatch(pattern.c_str(), title.c_str(), 0) == 0);
}

bool matches(const Suppression &suppression, const SuppressedThing &thing) {
  if (suppression.kind != "any" && suppression.kind != with_hyphens(thing.kind))
    return false;
  if (!suppression.kernel.empty() && !matches_name(suppression.kernel, thing.kernel, thing.title))
    return false;
  if (!suppression.argument.empty() && suppression.argument != thing.argument_name &&
      suppression.argument != std::to_string(thing.argument))
    return false;
  return suppression.at_line == 0 ||
         std::any_of(thing.places.begin(), thing.places.end(), [&](const auto &place) {
           return place.line == suppression.at_line && is_end_of_path(suppression.file, place.file);
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
  std::string text;
  // A folder can be opened, too; an istream iterator would throw then.
  for (char some[4096]; stream.read(some, sizeof some), stream.gcount() > 0;)
    text.append(some, std::size_t(stream.gcount()));
  if (!stream.is_open() || stream.bad())
    return Error{ErrorKind::invalid_argument, file + " cannot be read"};
  return parse_suppressions(text, file);
}

} // namespace lockstep::runtime
