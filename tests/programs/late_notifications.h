// Collects the messages of a context's notify callback, which may arrive late.
#pragma once

#include <CL/cl_platform.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace lockstep::test {

// Collects the messages of a context's notify callback. Lockstep reports a failed command from
// another thread, shortly after a wait for it has returned, perhaps after the end of the test.
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
  // Returns all messages as soon as they contain `words`, or after 10 s.
  std::string with(const char *words) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (all().find(words) == std::string::npos && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return all();
  }
  bool have(const char *words) const { return with(words).find(words) != std::string::npos; }

private:
  static inline std::mutex mutex;
  // Never freed: a late message must not reach another test.
  static inline std::deque<std::string> all_sentences;
  std::string &sentences_ = all_sentences.emplace_back();
};

} // namespace lockstep::test
