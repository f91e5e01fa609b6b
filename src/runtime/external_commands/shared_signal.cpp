#include "runtime/external_commands/shared_signal.h"

#include "runtime/events/status.h"
#include "runtime/threads/file_waits.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

Error no_file() {
  return {ErrorKind::out_of_host_memory,
          fmt::format("the kernel gives no file: {}", strerror(errno))};
}

bool is_readable(int file) {
  pollfd request{file, POLLIN, 0};
  return poll(&request, 1, 0) == 1;
}

// Checks that the descriptor is an eventfd: a wait for another kind of file might never end.
bool is_eventfd(int file) {
  char name[32] = {};
  const std::string link = fmt::format("/proc/self/fd/{}", file);
  return readlink(link.c_str(), name, sizeof name - 1) > 0 &&
         std::string(name) == "anon_inode:[eventfd]";
}

// Whether a signaled sync file reports failed work. False for other files.
bool has_failed(int file) {
  sync_file_info info{};
  return ioctl(file, SYNC_IOC_FILE_INFO, &info) == 0 && info.status < 0;
}

} // namespace

Result<std::shared_ptr<SharedSignal>> SharedSignal::make() {
  LOCKSTEP_TRY(start_file_waits());
  const int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
  if (file < 0)
    return no_file();
  return std::shared_ptr<SharedSignal>(new SharedSignal(file, true));
}

Result<std::shared_ptr<SharedSignal>> SharedSignal::import(int file) {
  if (!is_eventfd(file))
    return Error{ErrorKind::invalid_argument, "the file descriptor is not that of a semaphore"};
  LOCKSTEP_TRY(start_file_waits());
  return std::shared_ptr<SharedSignal>(new SharedSignal(file, false));
}

SharedSignal::~SharedSignal() {
  if (is_own_)
    close(file_);
}

Result<int> SharedSignal::duplicate() const {
  const int copy = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return no_file();
  return copy;
}

void SharedSignal::give() {
  const uint64_t one = 1;
  (void)!write(file_, &one, sizeof one); // fails only beyond 2^64 - 2 signals
}

bool SharedSignal::take() {
  uint64_t count = 0;
  return read(file_, &count, sizeof count) == sizeof count;
}

bool SharedSignal::is_there() const {
  return is_readable(file_);
}

Result<CommandRef> SharedSignal::wait() {
  CommandRef gate = Command::create_user_event();
  if (take()) {
    gate->set_user_status(status::complete);
    return gate;
  }
  LOCKSTEP_TRY(when_readable(file_, [self = shared_from_this(), gate] {
    if (!self->take())
      return false;
    gate->set_user_status(status::complete);
    return true;
  }));
  return gate;
}

namespace {

struct ClosedFile { // closes the file in its destructor
  explicit ClosedFile(int its) : file(its) {}
  ~ClosedFile() {
    if (file >= 0)
      close(file);
  }
  ClosedFile(const ClosedFile &) = delete;
  ClosedFile &operator=(const ClosedFile &) = delete;
  int file;
};

} // namespace

Result<CommandRef> wait_for_sync_file(int file) {
  CommandRef gate = Command::create_user_event();
  if (file == -1) {
    gate->set_user_status(status::complete);
    return gate;
  }
  if (fcntl(file, F_GETFD) < 0)
    return Error{ErrorKind::invalid_argument, "the file descriptor is not open"};
  const auto owned = std::make_shared<ClosedFile>(file);
  auto waits = when_readable(file, [owned, gate] {
    gate->set_user_status(has_failed(owned->file) ? status::dependency_failed : status::complete);
    return true;
  });
  if (!waits) {
    owned->file = -1;
    return waits.take_error();
  }
  return gate;
}

} // namespace lockstep::runtime
