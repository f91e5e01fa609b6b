// The place in the program that has called the library, for reports: file, line and column, or the
// line of a Python program.
//
// Requires: here() is called by the thread of the program, below the call.
//
// Ensures: here() stores addresses only, since each launch has one. text() looks them up, and
// leaves out frames of the library, of SYCL's headers and of Python packages.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace lockstep::runtime {

class CallSite {
public:
  static CallSite here();
  std::string text() const; // empty: not known

private:
  static constexpr std::size_t most_frames = 32;
  std::array<void *, most_frames> frames_{};
  std::size_t count_ = 0;
  std::string python_; // file and line
};

} // namespace lockstep::runtime
