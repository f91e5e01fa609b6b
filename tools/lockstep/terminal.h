// Output of the tool: color and progress only on a terminal (NO_COLOR is honored), errors on
// stderr.
#pragma once

#include "support/result.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::cli {

bool has_color(std::FILE *stream);

enum class Color { plain, bold, dim, red, green, yellow };
std::string colored(Color color, std::string_view text, std::FILE *stream = stdout);

// Prints "lockstep: error: ..." to stderr. Returns the exit code: 2 for an invalid request, else 1.
int report(const Error &error);
void report_warning(std::string_view sentence);

// One line on stderr that the next one replaces and that is removed at the end. It prints nothing
// if stderr is not a terminal.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  void show(std::string_view what);
  void clear();

private:
  bool terminal_;
  bool shown_ = false;
};

std::string bytes_text(uint64_t bytes); // "512 KiB"
std::string time_text(double seconds);  // "1.234 ms"

} // namespace lockstep::cli
