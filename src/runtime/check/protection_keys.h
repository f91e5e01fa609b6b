// Memory that commands may touch at any time and the program may not, or may only read: closed by protection keys of the CPU
// (pkeys(7)), which are rights of a thread, where those of a page are of all threads alike. So both may have one address for
// it. Threads begin without rights; commands have them.
//
// x86-64 CPUs have keys from Skylake-SP and Zen 3 on, if the hypervisor lets them through.
#pragma once

#include <atomic>
#include <cstddef>

namespace lockstep::runtime {

class ProtectionKeys {
public:
  // Once, before any thread of ours begins. False: the CPU or the system has none.
  static bool start();
  static bool are_there() { return are_there_.load(std::memory_order_relaxed); }

  enum class Rights { none, read, all };
  // What the program may do with whole pages. False: the system has no more mappings.
  static bool give(void *pages, std::size_t size, Rights rights);

private:
  friend class ThreadRights;
  static inline constinit std::atomic<bool> are_there_{false};
};

// While one lives, this thread does the work of a command, or is in the program's own code.
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
