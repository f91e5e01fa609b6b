#include "platform/linux/output_file.h"

#include "platform/linux/leaked.h"
#include "support/message.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <set>
#include <sys/stat.h>

namespace lockstep {
namespace {

Error refused(std::string why) {
  return {ErrorKind::io_failure, std::move(why)};
}

Error failed(int error) {
  return refused(std::strerror(error));
}

// The number in paths of Linux that refer to an open file of the process.
std::optional<int> open_file_of_process(std::string_view path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = 0;
    const char *end = path.data() + path.size();
    if (path.starts_with(folder) &&
        std::from_chars(path.data() + folder.size(), end, number).ptr == end)
      return number;
  }
  return std::nullopt;
}

Error not_opened(const std::string &path, int error) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    return refused("it is a symbolic link, which is not followed: name the file it leads to");
  return failed(error);
}

Result<void> check(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0)
    return failed(errno);
  if (!S_ISREG(status.st_mode)) // pipes and devices
    return {};
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return refused(fmt::format("it belongs to the user {}, and this process runs as the user {}",
                               status.st_uid, ::geteuid()));
  if (status.st_nlink > 1)
    return refused("it has another name as well (a hard link)");
  return {};
}

Result<void> append(const std::string &path, std::string_view text) {
  auto file = open_output(path, OutputMode::append);
  LOCKSTEP_TRY(file);
  return write_all(file->get(), text);
}

struct Failures {
  std::mutex mutex;
  std::set<std::string> reported; // variables
};

bool is_first_failure(const char *variable) {
  Failures &failures = leaked<AfterFork::make_again>([] { return new Failures; });
  std::lock_guard lock(failures.mutex);
  return failures.reported.insert(variable).second;
}

} // namespace

Result<void> write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failed(errno);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<Descriptor> open_output(const std::string &path, OutputMode mode) {
  if (auto number = open_file_of_process(path)) {
    Descriptor copy(::fcntl(*number, F_DUPFD_CLOEXEC, 0));
    if (!copy)
      return failed(errno);
    return copy;
  }
  const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  Descriptor file(
      ::open(path.c_str(), mode == OutputMode::append ? flags | O_APPEND : flags, 0600));
  if (!file)
    return not_opened(path, errno);
  LOCKSTEP_TRY(check(file.get()));
  // Truncates only after the check, so that a file of another user is not emptied. Pipes and
  // devices cannot be truncated.
  if (mode == OutputMode::replace && ::ftruncate(file.get(), 0) != 0 && errno != EINVAL)
    return failed(errno);
  return file;
}

void append_output(const char *variable, const std::string &path, std::string_view text) {
  if (path.empty() || text.empty())
    return;
  auto done = append(path, text);
  if (!done && is_first_failure(variable))
    print_message("LOCKSTEP_%s=%s: %s", variable, path.c_str(), done.error().message.c_str());
}

} // namespace lockstep
