#include "tools/lockstep/terminal.h"

#include "support/environment.h"

#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace lockstep::cli {

bool has_color(std::FILE *stream) {
  return isatty(fileno(stream)) && !system_variable("NO_COLOR") &&
         system_variable("TERM").value_or("dumb") != "dumb";
}

std::string colored(Color color, std::string_view text, std::FILE *stream) {
  static constexpr std::array<std::string_view, 6> codes = {"", "1", "2", "31", "32", "33"};
  if (color == Color::plain || !has_color(stream))
    return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<size_t>(color)], text);
}

int report(const Error &error) {
  fmt::print(stderr, "lockstep: {} {}\n", colored(Color::red, "error:", stderr), error.message);
  return error.kind == ErrorKind::invalid_argument ? 2 : 1;
}

void report_warning(std::string_view sentence) {
  fmt::print(stderr, "lockstep: {} {}\n", colored(Color::yellow, "warning:", stderr), sentence);
}

Progress::Progress() : terminal_(isatty(fileno(stderr))) {}

Progress::~Progress() {
  clear();
}

void Progress::show(std::string_view what) {
  if (!terminal_)
    return;
  fmt::print(stderr, "\r\033[K{} ...", what);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_)
    fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

std::string bytes_text(uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string time_text(double seconds) {
  if (seconds >= 1)
    return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3)
    return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} µs", seconds * 1e6);
}

} // namespace lockstep::cli
