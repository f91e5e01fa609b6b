// Closes memory to the program, or to its writes, while commands may access it at any time.
//
// Requires: protection keys of the CPU (pkeys(7)): x86-64 from Skylake-SP and Zen 3 on, if the
// hypervisor exposes them. Without keys, `start` returns false.
// Ensures: threads begin without rights, and ThreadRights gives commands theirs.
//
// Key rights belong to a thread, whereas page protection applies to all threads. So the program and
// commands can use the same address.
#pragma once

#include <atomic>
#include <cstddef>

namespace lockstep::runtime {

class ProtectionKeys {
public:
  // Call once, before any thread of Lockstep begins. False: the CPU or the system has no keys.
  static bool start();
  static bool are_there() { return are_there_.load(std::memory_order_relaxed); }

  enum class Rights { none, read, all };
  // Sets what the program may do with whole pages. False: the system has no more mappings.
  static bool give(void *pages, std::size_t size, Rights rights);

private:
  friend class ThreadRights;
  static inline constinit std::atomic<bool> are_there_{false};
};

// During its lifetime, this thread does the work of a command, or runs the program's own code.
class ThreadRights {
public:
  enum class Whose { command, program };
  explicit ThreadRights(Whose whose) {
    if (ProtectionKeys::are_there())
      set(whose);
  }
  ~ThreadRights() {
    if (is_set_)
      restore();
  }
  ThreadRights(const ThreadRights &) = delete;
  ThreadRights &operator=(const ThreadRights &) = delete;

private:
  void set(Whose whose);
  void restore() const;
  bool is_set_ = false;
  int closed_before_ = 0, read_only_before_ = 0;
};

} // namespace lockstep::runtime
