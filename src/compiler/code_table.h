// Code that is made once for all who ask for it, and belongs to those who use it.
//
// Whoever asks first makes it, in its own thread; others who ask meanwhile wait for that. Nobody has it any more: then
// it is made again when somebody asks. A failure is told to all who waited. It is kept if trying again would end in the
// same way, and forgotten if not: a program that had no memory left for a moment must not be without its kernel for good.
// What the C++ library throws becomes such a failure here, since nobody above expects an exception.
#pragma once

#include "support/result.h"

#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
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
    return work();
  } catch (const std::exception &thrown) {
    return Error{ErrorKind::out_of_host_memory,
                 "the host has no memory or threads left for " + doing + ": " + thrown.what()};
  }
}

template <class Key, class Code> class CodeTable {
public:
  using Shared = std::shared_ptr<const Code>;

  // `make`: a Result<Shared>(); `doing` says what it does.
  template <class Make>
  Result<Shared> get_or_make(const Key &key, const std::string &doing, Make make) {
    std::promise<Result<Shared>> promise;
    std::shared_future<Result<Shared>> others;
    {
      std::lock_guard lock(mutex_);
      if (known_.size() >= most_known)
        std::erase_if(known_, [](const auto &entry) {
          return !entry.second.making.valid() && entry.second.made.expired();
        });
      Known &known = known_[key];
      if (Shared made = known.made.lock())
        return made;
      if (known.making.valid())
        others = known.making;
      else
        known.making = promise.get_future().share();
    }
    if (others.valid()) // another thread makes it now, or nobody can
      return others.get();
    Result<Shared> code = without_exceptions(doing, make);
    if (code || is_transient(code.error())) {
      std::lock_guard lock(mutex_);
      if (code)
        known_[key] = {{}, *code};
      else
        known_.erase(key);
    }
    promise.set_value(code);
    return code;
  }

  static constexpr std::size_t most_known = 256; // before those that nobody has are dropped

private:
  struct Known {
    std::shared_future<Result<Shared>> making; // or what has failed for good
    std::weak_ptr<const Code> made;
  };

  std::mutex mutex_;
  std::map<Key, Known> known_;
};

} // namespace lockstep::compiler
