// How the tool talks: colour only on a terminal (NO_COLOR is honoured), progress only on a
// terminal, errors on stderr.
#pragma once

#include "support/result.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::cli {

bool has_colour(std::FILE *stream);

enum class Colour { plain, bold, dim, red, green, yellow };
std::string coloured(Colour colour, std::string_view text, std::FILE *stream = stdout);

// "lockstep: error: ..." on stderr. Returns the exit code: 2 for a wrong request, else 1.
int report(const Error &error);
void report_warning(std::string_view sentence);

// One line on stderr that is replaced by the next and removed at the end. Nothing if stderr is no
// terminal.
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
