// What a context's notify callback says of commands: from another thread, soon after a wait for the command has returned.
#pragma once

#include <CL/cl_platform.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace lockstep::test {

// Collects what the context's notify callback says. Of a command that fails it says so soon after a wait for the command has
// returned, perhaps when the test is over.
class LateNotifications {
public:
  static void CL_CALLBACK receive(const char *sentence, const void *, size_t, void *user_data) {
    const std::lock_guard lock(mutex);
    *static_cast<std::string *>(user_data) += std::string(sentence) + "\n";
  }
  void *user_data() { return &sentences_; }
  std::string all() const {
    const std::lock_guard lock(mutex);
    return sentences_;
  }
  // The same once `words` are there, or after a while.
  std::string with(const char *words) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (all().find(words) == std::string::npos && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return all();
  }
  bool have(const char *words) const { return with(words).find(words) != std::string::npos; }

private:
  static inline std::mutex mutex;
  static inline std::deque<std::string> all_sentences; // they stay: a late one is of no other test
  std::string &sentences_ = all_sentences.emplace_back();
};

} // namespace lockstep::test
