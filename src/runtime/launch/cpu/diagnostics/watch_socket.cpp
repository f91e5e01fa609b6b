#include "runtime/launch/cpu/diagnostics/watch_socket.h"

#include "platform/linux/fork.h"
#include "platform/linux/process_end.h"
#include "platform/linux/status_folder.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

struct SocketFile {
  std::string path;
  pid_t process; // a forked child leaves the file to its parent
  const SocketFile *older;
};
constinit std::atomic<const SocketFile *> newest_file{nullptr};

void remove_own_ones() {
  for (const SocketFile *file = newest_file.load(); file; file = file->older)
    if (file->process == getpid())
      unlink(file->path.c_str());
}

void remove_stale_ones(const std::string &folder) {
  DIR *files = opendir(folder.c_str());
  if (!files)
    return;
  while (const dirent *entry = readdir(files)) {
    const std::string name = entry->d_name;
    if (!name.ends_with(".sock"))
      continue;
    const std::string path = folder + "/" + name;
    const int fd = connect_to_status(path);
    if (fd >= 0)
      close(fd);
    else if (errno == ECONNREFUSED)
      unlink(path.c_str());
  }
  closedir(files);
}

} // namespace

int listen_for_top() {
  const std::string folder = status_folder();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return -1;
  if (!is_safe_folder(folder))
    return -1;
  remove_stale_ones(folder);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A process in another PID namespace may have the same process ID.
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string name = folder + "/" + std::to_string(getpid()) + "." +
                           std::to_string(now.tv_sec) + std::to_string(now.tv_nsec);
  // Others remove a .sock that refuses connections, so it gets this name when it listens.
  const std::string path = name + ".sock", path_until_listening = name + ".new";
  if (path.size() >= sizeof address.sun_path)
    return -1;
  std::memcpy(address.sun_path, path_until_listening.c_str(), path_until_listening.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  const bool is_bound = bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
  if (!is_bound || listen(fd, 8) != 0 || rename(address.sun_path, path.c_str()) != 0) {
    if (is_bound)
      unlink(address.sun_path);
    close(fd);
    return -1;
  }
  // otherwise `lockstep top` would find it open after the parent has ended
  close_in_forked_child(fd);
  // never freed: read until the process ends
  auto *file = new SocketFile{path, getpid(), newest_file.load()};
  while (!newest_file.compare_exchange_weak(file->older, file))
    ;
  at_end_of_process(remove_own_ones);
  return fd;
}

bool has_requests(int listening) {
  pollfd request{listening, POLLIN, 0};
  return listening >= 0 && poll(&request, 1, 0) > 0;
}

bool answer_top(int listening, const std::string &line) {
  for (;;) {
    const int fd = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (fd < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK;
    const timeval patience{0, 200'000}; // a client that does not read may get a truncated answer
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t count = send(fd, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (count <= 0)
        break;
      sent += std::size_t(count);
    }
    close(fd);
  }
}

} // namespace lockstep::runtime
