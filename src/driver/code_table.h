// A table of compiled code, keyed by what the code was compiled for.
//
// The first caller compiles on its own thread; concurrent callers for the same key wait. Entries
// are weak references: code that is no longer used is compiled again on demand. All waiting callers
// receive a failure. The table keeps a failure that would recur and drops a transient one, so that
// a temporary lack of memory does not disable a kernel permanently.
//
// Exceptions of the C++ library during compilation become such a failure, so that waiting callers
// receive it. Once other callers may wait, only the work itself allocates memory; a std::promise
// would allocate at its end.
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

// True if the same work may succeed when it is tried again.
inline bool is_transient(const Error &error) {
  return error.kind == ErrorKind::out_of_host_memory || error.kind == ErrorKind::io_failure;
}

// Converts exceptions of the C++ library (no more threads or memory) to an Error.
template <class Work>
auto without_exceptions(const std::string &doing, Work work) -> decltype(work()) {
  try {
    try {
      return work();
    } catch (const std::exception &thrown) {
      return Error{ErrorKind::out_of_host_memory,
                   "the host has no memory or threads left for " + doing + ": " + thrown.what()};
    }
  } catch (const std::bad_alloc &) { // no memory for the message
    return out_of_memory_error();
  }
}

template <class Key, class Code> class CodeTable {
public:
  using Shared = std::shared_ptr<const Code>;

  // `make`: a Result<Shared>(); `doing` describes it in errors.
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
    if (!is_first) // another thread compiles it now, or compiling it has failed permanently
      return making->wait();
    Result<Shared> code = without_exceptions(doing, make);
    if (code || is_transient(code.error())) {
      std::lock_guard lock(mutex_);
      const auto known = known_.find(key); // the entry exists while it is being compiled
      if (code)
        known->second = {nullptr, *code};
      else
        known_.erase(known);
    }
    making->end(std::move(code));
    return making->wait();
  }

  static constexpr std::size_t most_known = 256; // entries before the expired ones are dropped

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
    std::shared_ptr<Making> making; // compilation in progress, or a permanent failure
    std::weak_ptr<const Code> made;
  };

  std::mutex mutex_;
  std::map<Key, Known> known_;
};

} // namespace lockstep::compiler
