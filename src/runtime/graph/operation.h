// What a command does, as a record. It is made without a queue, and keeps alive what it uses; then
// it is enqueued once (Command::create), or kept by a command buffer and enqueued many times
// (Command::create_shared). An operation is not changed by running it; everything that belongs to
// one run is in the Command, and who asked for the run is its CommandClient.
//
// The operation is destroyed before its command's status becomes complete, so whoever has waited
// for a command finds what it used given back.
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

struct Access;     // memory/access.h
class HostWork;    // below
class MemorySpace; // memory/memory_space.h
class Launch;      // kernel.h
class MapChange;   // memory/map_change.h

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

  // What it reads and writes, as far as anybody knows before it runs. A program that stores
  // pointers in memory can reach more.
  virtual std::span<const Access> accesses() const { return {}; }
  // Kinds of allocations that it reaches without naming them (memory/allocations.h).
  virtual uint8_t reach() const { return 0; }
  // In which memory it does so. Null: the host's.
  virtual const MemorySpace *memory_space() const { return nullptr; }
  // It runs code of the program on the host, which may touch any memory.
  virtual bool is_host_code() const { return false; }

  // What the program calls it, if its front end says that: a literal, for reports. Null: its front end has no word for it.
  const char *title() const { return title_; }
  void set_title(const char *title) { title_ = title; }

  // Called at most once per run, by the thread that settles the command, before the command's
  // status changes, with no lock held. Also called when the operation was not run because a
  // dependency failed (status dependency_failed, kind ErrorKind::invalid_argument).
  virtual void failed(const Error &) {}

  // A dynamic_cast that costs nothing. An executor knows how to do work for threads of the host,
  // and launches that its own device has prepared.
  virtual HostWork *host() { return nullptr; }
  virtual Launch *launch() { return nullptr; }
  virtual const MapChange *map_change() const { return nullptr; }

private:
  const char *title_ = nullptr;
};

// Work for threads of the host: `parts()` independent parts, each run exactly once, in any
// order, by any number of threads at the same time. A big copy has one part per block.
class HostWork {
public:
  virtual uint64_t parts() const = 0; // 0: nothing to do; the command completes without run()

  // Runs parts first..last-1. After an error no further parts are handed out and the command fails
  // with the first error.
  virtual Result<void> run(uint64_t first, uint64_t last) = 0;

  // True: so short that handing it to another thread costs more than doing it. It is then run, all
  // parts at once, by the thread that finds it ready: the one that enqueues it or that completes
  // its last dependency. Such work must not block.
  virtual bool runs_in_place() const { return false; }

  // What one part is expected to cost, so that short work is not spread over threads that must
  // first be woken. 0: not known; then it is spread. `measured` is told by each thread how long its
  // parts took.
  virtual uint64_t expected_nanoseconds_per_part() const { return 0; }
  virtual void measured(uint64_t /*parts*/, uint64_t /*nanoseconds*/) {}

  // A thread that ran parts runs no more of them. The last one leaves before the command settles. `has_failed`: so has
  // the run.
  virtual void leave(bool /*has_failed*/) {}

protected:
  ~HostWork() = default;
};

class HostOperation : public Operation, public HostWork {
public:
  HostWork *host() final { return this; }
};

enum class TaskPlace { worker, in_place };

// A part of each operation that is host code: how many there are.
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
// (TaskPlace::worker; it may block, but then holds a worker), bookkeeping (TaskPlace::in_place).
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
