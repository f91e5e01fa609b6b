// A file with a random name in $TMPDIR or /tmp, accessible to this user only. The destructor
// removes it.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

class TemporaryFile {
public:
  // `suffix` is the end of its name, such as ".cl".
  explicit TemporaryFile(std::string_view prefix, std::string_view suffix = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  bool is_made() const { return is_made_; } // if not, errno says why
  const std::string &path() const { return path_; }

private:
  std::string path_;
  bool is_made_ = false;
};

} // namespace lockstep
