// An operation: a record of what a command does. It is made without a queue and keeps alive the
// objects that it uses. Then it is enqueued once (Command::create), or a command buffer keeps it
// and enqueues it many times (Command::create_shared). Running an operation does not change it: the
// Command has the state of one run, and its CommandClient is the object on whose behalf it runs.
//
// The operation is destroyed before its command's status becomes complete. So a thread that has
// waited for the command finds the objects that it used released.
#pragma once

#include "runtime/graph/node_memory.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace lockstep::runtime {

struct Access;      // memory/access.h
class HostWork;     // below
class MemorySpace;  // memory/memory_space.h
class Launch;       // kernel.h
class MapChange;    // memory/map_change.h
class CardTransfer; // launch/nvidia/card_transfers.h

class Operation {
public:
  Operation() = default;
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;
  virtual ~Operation() = default;

  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // The memory that it reads and writes, as far as is known before it runs. A program that stores
  // pointers in memory can reach more.
  virtual std::span<const Access> accesses() const { return {}; }
  // Kinds of allocations that it may access without naming them (memory/allocations.h).
  virtual uint8_t reach() const { return 0; }
  // The memory space that it works in. Null: the host's.
  virtual const MemorySpace *memory_space() const { return nullptr; }
  // True if it runs code of the program on the host, which may access any memory.
  virtual bool is_host_code() const { return false; }

  // A string literal for reports: the API's name of the command. Null: the API has no name for it.
  const char *title() const { return title_; }
  void set_title(const char *title) { title_ = title; }

  // Called at most once per run, by the thread that settles the command, before the command's
  // status changes, with no lock held. Also called when the operation was not run because a
  // dependency failed (status dependency_failed, kind ErrorKind::invalid_argument).
  virtual void failed(const Error &) {}

  // Cheap replacements for dynamic_cast. An executor runs HostWork with host threads, and launches
  // and transfers that its own device has prepared.
  virtual HostWork *host() { return nullptr; }
  virtual Launch *launch() { return nullptr; }
  virtual CardTransfer *card_transfer() { return nullptr; }
  virtual const MapChange *map_change() const { return nullptr; }

private:
  const char *title_ = nullptr;
};

// Work for host threads: `parts()` independent parts, each run exactly once, in any order, by any
// number of threads at the same time. For example, a big copy has one part per block.
class HostWork {
public:
  virtual uint64_t parts() const = 0; // 0: nothing to do; the command completes without run()

  // Runs parts first..last-1. After an error no further parts are handed out and the command fails
  // with the first error.
  virtual Result<void> run(uint64_t first, uint64_t last) = 0;

  // True: so short that handing it to another thread costs more than doing it. The thread that
  // finds it ready runs all parts at once: the thread that enqueues it or that completes its last
  // dependency. Such work must not block.
  virtual bool runs_in_place() const { return false; }

  // Expected cost of one part, so that short work is not spread over threads that must first be
  // woken. 0: unknown; then the work is spread. Each thread reports to `measured` how long its
  // parts took.
  virtual uint64_t expected_nanoseconds_per_part() const { return 0; }
  virtual void measured(uint64_t /*parts*/, uint64_t /*nanoseconds*/) {}

  // A thread that ran parts calls this when it runs no more of them. The last call comes before the
  // command settles. `has_failed`: the run has failed.
  virtual void leave(bool /*has_failed*/) {}

protected:
  ~HostWork() = default;
};

class HostOperation : public Operation, public HostWork {
public:
  HostWork *host() final { return this; }
};

enum class TaskPlace { worker, in_place };

// Base of each operation that is host code; counts how many exist.
class CountsHostCode {
public:
  CountsHostCode() { count_.fetch_add(1, std::memory_order_seq_cst); }
  ~CountsHostCode() { count_.fetch_sub(1, std::memory_order_seq_cst); }
  CountsHostCode(const CountsHostCode &) = delete;
  CountsHostCode &operator=(const CountsHostCode &) = delete;
  static int count() { return count_.load(std::memory_order_seq_cst); }

private:
  inline static constinit std::atomic<int> count_{0};
};

// A callable `Result<void>()` or `void()` as an operation: native kernels, host tasks
// (TaskPlace::worker; may block, and then blocks a worker), bookkeeping (TaskPlace::in_place).
template <class Function> class Task : public HostOperation {
public:
  Task(TaskPlace place, Function function) : function_(std::move(function)), place_(place) {}

  bool is_host_code() const override { return true; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return place_ == TaskPlace::in_place; }
  Result<void> run(uint64_t, uint64_t) override {
    if constexpr (std::is_void_v<std::invoke_result_t<Function &>>) {
      function_();
      return {};
    } else {
      return function_();
    }
  }

private:
  Function function_;
  TaskPlace place_;
  CountsHostCode counts_;
};

} // namespace lockstep::runtime
