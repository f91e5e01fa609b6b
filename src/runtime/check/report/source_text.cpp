#include "runtime/check/report/source_text.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace lockstep::runtime {

std::string line_of_source(const std::string &directory, const std::string &name, uint32_t line) {
  if (name.empty() || line == 0)
    return {};
  const auto file = std::filesystem::path(directory) / name; // `name`, if it is absolute
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(file, failed);
  if (failed || !std::filesystem::is_regular_file(file, failed))
    return {};
  const auto built = std::filesystem::last_write_time("/proc/self/exe", failed);
  if (failed || written > built)
    return {};
  std::ifstream source(file);
  std::string text;
  for (uint32_t i = 0; i != line; ++i)
    if (!std::getline(source, text))
      return {};
  constexpr std::size_t longest = 200;
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos)
    return {};
  text = text.substr(begin, longest);
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

} // namespace lockstep::runtime
