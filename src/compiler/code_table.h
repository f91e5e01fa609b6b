// Code that is made once for all who ask for it, and belongs to those who use it.
//
// Whoever asks first makes it, in its own thread; others who ask meanwhile wait for that. Nobody has it any more: then
// it is made again when somebody asks. A failure is told to all who waited. It is kept if trying again would end in the
// same way, and forgotten if not: a program that had no memory left for a moment must not be without its kernel for good.
// What the C++ library throws while code is made becomes such a failure here, so that those who wait hear of it. From the
// moment that others may wait, nothing allocates but the work itself: a std::promise would, at its end.
#pragma once

#include "support/result.h"

#include "support/out_of_memory.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

namespace lockstep::compiler {

// Would the same work end otherwise when it is tried again?
inline bool is_transient(const Error &error) {
  return error.kind == ErrorKind::out_of_host_memory || error.kind == ErrorKind::io_failure;
}

// The border for what the C++ library throws where the system has nothing left (a thread, memory).
template <class Work>
auto without_exceptions(const std::string &doing, Work work) -> decltype(work()) {
  try {
    try {
      return work();
    } catch (const std::exception &thrown) {
      return Error{ErrorKind::out_of_host_memory,
                   "the host has no memory or threads left for " + doing + ": " + thrown.what()};
    }
  } catch (const std::bad_alloc &) { // for the sentence
    return out_of_memory_error();
  }
}

template <class Key, class Code> class CodeTable {
public:
  using Shared = std::shared_ptr<const Code>;

  // `make`: a Result<Shared>(); `doing` says what it does.
  template <class Make>
  Result<Shared> get_or_make(const Key &key, const std::string &doing, Make make) {
    std::shared_ptr<Making> making;
    bool is_first = false;
    {
      std::lock_guard lock(mutex_);
      if (known_.size() >= most_known)
        std::erase_if(known_, [](const auto &entry) {
          return !entry.second.making && entry.second.made.expired();
        });
      Known &known = known_[key];
      if (Shared made = known.made.lock())
        return made;
      if ((is_first = !known.making))
        known.making = std::make_shared<Making>();
      making = known.making;
    }
    if (!is_first) // another thread makes it now, or nobody can
      return making->wait();
    Result<Shared> code = without_exceptions(doing, make);
    if (code || is_transient(code.error())) {
      std::lock_guard lock(mutex_);
      const auto known = known_.find(key); // is there as long as it is being made
      if (code)
        known->second = {nullptr, *code};
      else
        known_.erase(known);
    }
    making->end(std::move(code));
    return making->wait();
  }

  static constexpr std::size_t most_known = 256; // before those that nobody has are dropped

private:
  class Making {
  public:
    void end(Result<Shared> result) {
      std::lock_guard lock(mutex_);
      result_ = std::move(result);
      ended_.notify_all();
    }
    Result<Shared> wait() {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, [this] { return result_.has_value(); });
      return *result_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable ended_;
    std::optional<Result<Shared>> result_;
  };
  struct Known {
    std::shared_ptr<Making> making; // or what has failed for good
    std::weak_ptr<const Code> made;
  };

  std::mutex mutex_;
  std::map<Key, Known> known_;
};

} // namespace lockstep::compiler
