// Protection keys of the CPU (pkeys(7)) for memory that commands may access at any time but the
// program may not, or may only read. Key rights belong to a thread, whereas page protection applies
// to all threads. Both sides can therefore use the same address. Threads begin without rights;
// commands have them.
//
// x86-64 CPUs have keys from Skylake-SP and Zen 3 on, if the hypervisor exposes them.
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
