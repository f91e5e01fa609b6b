#include "platform/linux/status_folder.h"

#include "support/environment.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockstep {

std::string status_folder() {
  if (auto runtime = system_variable("XDG_RUNTIME_DIR"); runtime && runtime->starts_with('/'))
    return *runtime + "/lockstep";
  return "/tmp/lockstep-" + std::to_string(geteuid());
}

bool is_safe_folder(const std::string &folder) {
  struct stat status{};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

int connect_to_status(const std::string &path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path)
    return -1;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  // Limits the wait for a stopped program whose queue is full.
  const timeval patience{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
    return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

} // namespace lockstep
