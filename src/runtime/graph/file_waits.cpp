#include "runtime/graph/file_waits.h"

#include "runtime/graph/blocked_signals.h"
#include "runtime/graph/host_threads.h"
#include "support/fork.h"
#include "support/leaked.h"

#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockstep::runtime {
namespace {

struct Wait {
  int file;
  std::function<bool()> is_done;
};

// Never destroyed and never joined, as the callback thread.
class FileWaits {
public:
  FileWaits() : wake_(eventfd(0, EFD_CLOEXEC)) {
    close_in_forked_child(wake_);
    BlockedSignals blocked;
    std::thread([this] { run(); }).detach();
  }

  void add(Wait wait) {
    {
      std::lock_guard lock(mutex_);
      added_.push_back(std::move(wait));
    }
    const uint64_t one = 1;
    (void)!write(wake_, &one, sizeof one);
  }

private:
  [[noreturn]] void run() {
    const ServiceThread this_one;
    std::list<Wait> waits;
    std::vector<pollfd> files;
    for (;;) {
      files.assign(1, {wake_, POLLIN, 0});
      for (const Wait &wait : waits)
        files.push_back({wait.file, POLLIN, 0});
      if (poll(files.data(), files.size(), -1) < 0)
        continue;
      auto wait = waits.begin();
      for (std::size_t i = 1; i < files.size(); ++i) {
        const auto here = wait++;
        if (files[i].revents != 0 && here->is_done())
          waits.erase(here);
      }
      if (files[0].revents != 0) {
        uint64_t count = 0;
        (void)!read(wake_, &count, sizeof count);
        std::lock_guard lock(mutex_);
        waits.splice(waits.end(), added_);
      }
    }
  }

  const int wake_;
  std::mutex mutex_;
  std::list<Wait> added_;
};

} // namespace

void when_readable(int file, std::function<bool()> is_done) {
  leaked<AfterFork::make_again>([] { return new FileWaits; }).add({file, std::move(is_done)});
}

} // namespace lockstep::runtime
