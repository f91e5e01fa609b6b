#include "runtime/threads/file_waits.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/start_thread.h"
#include "runtime/threads/host_threads.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <list>
#include <mutex>
#include <optional>
#include <sys/epoll.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace lockstep::runtime {
namespace {

Error no_descriptor(const char *what) {
  return {ErrorKind::out_of_resources, fmt::format("{}: {}", what, std::strerror(errno))};
}

// Never destroyed and never joined, like the callback thread.
class FileWaits {
public:
  Result<void> start() {
    std::lock_guard lock(mutex_);
    if (epoll_ < 0 && (epoll_ = epoll_create1(EPOLL_CLOEXEC)) < 0)
      return no_descriptor("the system has no descriptor to wait for files");
    if (is_started_)
      return {};
    close_in_forked_child(epoll_);
    LOCKSTEP_TRY(
        start_thread({"that waits for files",
                      [](void *self) -> void * { static_cast<FileWaits *>(self)->run(); }, this}));
    is_started_ = true;
    return {};
  }

  Result<void> add(int file, std::function<bool()> is_done) {
    LOCKSTEP_TRY(start());
    std::lock_guard lock(mutex_);
    Waits added;
    added.push_back(std::move(is_done));
    File &one = files_[file];
    if (!one.is_watched) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = file;
      if (epoll_ctl(epoll_, EPOLL_CTL_ADD, file, &event) != 0)
        return no_descriptor("the system cannot wait for the file");
      one.is_watched = true;
    }
    one.waits.splice(one.waits.end(), added);
    if (open_++ == 0)
      help_.emplace();
    return {};
  }

private:
  using Waits = std::list<std::function<bool()>>;
  struct File {
    bool is_watched = false; // by epoll
    Waits waits;
  };

  [[noreturn]] void run() {
    const ServiceThread this_one;
    for (;;) {
      std::array<epoll_event, 16> ready;
      const int count = epoll_wait(epoll_, ready.data(), int(ready.size()), -1);
      for (int i = 0; i < count; ++i)
        serve(ready[std::size_t(i)].data.fd);
      if (count < 0 && errno != EINTR) // not documented to happen, but the thread must not spin
        sleep(1);
    }
  }

  // Destroys finished waits only after epoll has stopped watching the file. Their destruction may
  // close the file, and another file may then get its number.
  void serve(int file) {
    Waits waits, done;
    File *one = nullptr; // only this thread erases it
    {
      std::lock_guard lock(mutex_);
      const auto found = files_.find(file);
      if (found == files_.end())
        return;
      one = &found->second;
      waits.swap(one->waits);
    }
    for (auto wait = waits.begin(); wait != waits.end();) {
      const auto here = wait++;
      if ((*here)()) // may settle commands, so without the lock
        done.splice(done.end(), waits, here);
    }
    std::lock_guard lock(mutex_);
    if ((open_ -= done.size()) == 0)
      help_.reset();
    one->waits.splice(one->waits.begin(), waits);
    if (!one->waits.empty())
      return;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, file, nullptr);
    files_.erase(file);
  }

  std::mutex mutex_;
  int epoll_ = -1;
  bool is_started_ = false;
  std::size_t open_ = 0; // waits
  std::optional<OutsideHelp> help_;
  std::unordered_map<int, File> files_;
};

FileWaits &file_waits() {
  return leaked<AfterFork::make_again>([] { return new FileWaits; });
}

} // namespace

Result<void> start_file_waits() {
  return file_waits().start();
}

Result<void> when_readable(int file, std::function<bool()> is_done) {
  return file_waits().add(file, std::move(is_done));
}

} // namespace lockstep::runtime
