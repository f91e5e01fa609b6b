#include "platform/linux/temporary_file.h"

#include "platform/linux/descriptor.h"
#include "support/environment.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>

namespace lockstep {

TemporaryFile::TemporaryFile(std::string_view prefix, std::string_view suffix)
    : path_(std::filesystem::absolute(system_variable("TMPDIR").value_or("/tmp")).string() + "/") {
  path_ += prefix;
  path_ += "XXXXXX";
  path_ += suffix;
  is_made_ =
      bool(Descriptor(::mkostemps(path_.data(), static_cast<int>(suffix.size()), O_CLOEXEC)));
}

TemporaryFile::~TemporaryFile() {
  if (is_made_)
    ::unlink(path_.c_str());
}

} // namespace lockstep
