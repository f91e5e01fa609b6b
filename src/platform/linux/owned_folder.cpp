#include "platform/linux/owned_folder.h"

#include "support/environment.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;

Error refused(const std::string &path, const std::string &why) {
  return {ErrorKind::io_failure, path + " " + why};
}

Error not_opened(int parent, const std::string &name, const std::string &path, int error) {
  struct stat status{};
  if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISLNK(status.st_mode))
      return refused(path,
                     "is a symbolic link, which is not followed: name the folder it leads to");
    if (!S_ISDIR(status.st_mode))
      return refused(path, "is not a directory");
  }
  return refused(path, fmt::format("cannot be opened: {}", std::strerror(error)));
}

Result<Descriptor> open_checked(int parent, const std::string &name, const std::string &path) {
  Descriptor folder(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder)
    return not_opened(parent, name, path, errno);
  struct stat status{};
  if (::fstat(folder.get(), &status) != 0)
    return refused(path, fmt::format("cannot be checked: {}", std::strerror(errno)));
  if (status.st_uid != ::geteuid())
    return refused(path, fmt::format("belongs to the user {}, and this process runs as the user {}",
                                     status.st_uid, ::geteuid()));
  if ((status.st_mode & writable_by_others) != 0)
    return refused(path, fmt::format("can be written by other users (mode {:04o}): chmod go-w it",
                                     status.st_mode & 07777));
  return folder;
}

Result<void> check_parent(const std::string &path, const std::string &parent) {
  struct stat status{};
  if (::stat(parent.c_str(), &status) == 0 && status.st_uid != ::geteuid() && status.st_uid != 0 &&
      (status.st_mode & S_ISVTX) == 0)
    return refused(path, fmt::format("cannot be created: {} belongs to the user {}, and this "
                                     "process runs as the user {}",
                                     parent, status.st_uid, ::geteuid()));
  return {};
}

} // namespace

Result<Descriptor> open_owned_folder(const std::string &path) {
  // A trailing "/" or "/." would make open follow a link.
  std::string_view last = path;
  while (last.size() > 1 && (last.ends_with('/') || last.ends_with("/.")))
    last.remove_suffix(1);
  return open_checked(AT_FDCWD, std::string(last), path);
}

Result<Descriptor> open_owned_folder_in(int parent, const std::string &name) {
  return open_checked(parent, name, name);
}

Result<void> make_owned_folder(const std::string &path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0)
    return {};
  const bool is_missing = errno == ENOENT;
  const std::string parent = fs::path(path).parent_path().string();
  if (is_missing && !parent.empty() && parent != path)
    LOCKSTEP_TRY(make_owned_folder(parent));
  LOCKSTEP_TRY(check_parent(path, parent.empty() ? "." : parent));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return refused(path, fmt::format("cannot be created: {}", std::strerror(errno)));
  return {};
}

Result<std::string> make_owned_temporary_folder(const std::string &name) {
  std::string path =
      system_variable("TMPDIR").value_or("/tmp") + "/" + name + "-" + std::to_string(::geteuid());
  LOCKSTEP_TRY(make_owned_folder(path));
  LOCKSTEP_TRY(open_owned_folder(path));
  return path;
}

bool is_owned_file(int file) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & writable_by_others) == 0;
}

} // namespace lockstep
