#include "runtime/check/bounds/released_memory.h"

#include "platform/linux/leaked.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"
#include "runtime/memory/transfer_name.h"

#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

// The commands in progress, by the memory that they name.
class ReleasedMemory::CommandsInFlight final : public Listener {
public:
  void command_enqueued(const Command &command, const CommandQueue &) override {
    Operation *operation = command.operation();
    if (!operation || !Allocations::instance().any())
      return;
    Use use;
    if (const Launch *launch = operation->launch()) {
      use.name = launch->kernel().name;
      use.title = launch->kernel().title;
    } else {
      use.name = operation->is_host_code() ? "host task" : transfer_name(operation->accesses());
      use.title = operation->title() ? operation->title() : "";
    }
    for (const Access &access : operation->accesses())
      if (const auto &buffer = access.memory.buffer())
        use.memories.emplace_back(&buffer->root(), access.argument);
    if (use.memories.empty())
      return;
    std::lock_guard lock(mutex_);
    uses_[&command] = std::move(use);
  }
  void command_ended(const Command &command, Status) override { forget(command); }
  void command_gone(const Command &command) override { forget(command); }

  static CommandsInFlight &instance() {
    return leaked<AfterFork::make_again>([] { return new CommandsInFlight; });
  }

  void removed(const Allocation &allocation) {
    if (allocation.kind == AllocationKind::buffer)
      return;
    std::lock_guard lock(mutex_);
    for (const auto &[command, use] : uses_)
      for (const auto &[memory, argument] : use.memories)
        if (memory == allocation.memory.get())
          return report(use, argument, allocation);
  }

private:
  struct Use {
    std::string name;  // of the kernel, or of the operation
    std::string title; // for SYCL: its name in the program
    std::vector<std::pair<const Buffer *, int32_t>> memories;
  };

  void forget(const Command &command) {
    std::lock_guard lock(mutex_);
    uses_.erase(&command);
  }

  static void report(const Use &use, int32_t argument, const Allocation &allocation) {
    if (!Findings::instance().is_first("released", std::hash<std::string>()(use.name),
                                       uint64_t(argument + 1)))
      return;
    Finding finding;
    finding.kind = "use after release";
    finding.kernel = use.name;
    finding.title = use.title;
    finding.argument = argument;
    finding.headline =
        fmt::format("{} bytes are freed that it uses, and it has not ended", allocation.size());
    if (argument >= 0)
      finding.explanation.push_back(fmt::format("argument {} points into them", argument));
    finding.explanation.push_back("the program must wait for the command before it frees the "
                                  "memory, or free it by a command after it");
    Findings::instance().report(finding);
  }

  std::mutex mutex_;
  std::unordered_map<const Command *, Use> uses_;
};

void ReleasedMemory::start() {
  add_listener(CommandsInFlight::instance());
  Allocations::instance().on_removal([](const Allocations::Known &memory) {
    CommandsInFlight::instance().removed(*memory);
    instance().keep(memory);
  });
}

ReleasedMemory &ReleasedMemory::instance() {
  return leaked<AfterFork::make_again>([] { return new ReleasedMemory; });
}

void ReleasedMemory::keep(Allocations::Known memory) {
  std::vector<Allocations::Known> dropped; // destroyed after the lock: a destructor may call back
  std::lock_guard lock(mutex_);
  bytes_ += memory->size();
  by_address_[reinterpret_cast<uintptr_t>(memory->begin())] = memory;
  kept_.push_back(std::move(memory));
  while (bytes_ > most_bytes || kept_.size() > most) {
    bytes_ -= kept_.front()->size();
    by_address_.erase(reinterpret_cast<uintptr_t>(kept_.front()->begin()));
    dropped.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
}

Allocations::Known ReleasedMemory::find(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin())
    return nullptr;
  const Allocations::Known &candidate = std::prev(after)->second;
  return candidate->holds(reinterpret_cast<const void *>(address), 1) ? candidate : nullptr;
}

bool ReleasedMemory::has(const void *address) const {
  return find(reinterpret_cast<uintptr_t>(address)) != nullptr;
}

std::string ReleasedMemory::text_of(uint64_t address) const {
  const auto known = find(address);
  if (!known)
    return {};
  return fmt::format("byte {} of an allocation of {} bytes that the program has freed",
                     address - reinterpret_cast<uintptr_t>(known->begin()), known->size());
}

} // namespace lockstep::runtime
