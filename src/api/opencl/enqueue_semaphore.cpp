// clEnqueueWaitSemaphoresKHR and clEnqueueSignalSemaphoresKHR. Their commands have dependencies,
// but do no work, except that signals to other processes are sent.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/semaphore.h"
#include "runtime/memory/transfers.h"

#include <algorithm>
#include <span>

namespace lockstep::opencl {
namespace {

constexpr const char *section =
    "section \"Waiting On and Signaling Semaphores\" of cl_khr_semaphore";

using Semaphores = std::span<const cl_semaphore_khr>;

Check check_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *list) {
  if (count == 0 || !list)
    return failure(CL_INVALID_VALUE, "num_sema_objects is {} and sema_objects is {}null ({})",
                   count, list ? "not " : "", section);
  for (cl_uint i = 0; i < count; ++i) {
    if (!is_valid(list[i]))
      return failure(CL_INVALID_SEMAPHORE_KHR, "sema_objects[{}] is not a valid semaphore ({})", i,
                     section);
    if (list[i]->context.get() != queue->context.get())
      return failure(CL_INVALID_CONTEXT,
                     "sema_objects[{}] and command_queue are of different contexts ({})", i,
                     section);
    if (std::ranges::find(list[i]->devices, queue->device.get()) == list[i]->devices.end())
      return failure(CL_INVALID_COMMAND_QUEUE,
                     "command_queue is of a device that sema_objects[{}] was not made for ({})", i,
                     section);
  }
  return {};
}

// Locks all semaphores, each once and in the order of addresses, so that two threads cannot
// deadlock.
class LockedSemaphores {
public:
  explicit LockedSemaphores(Semaphores given) : all_(given.begin(), given.end()) {
    std::ranges::sort(all_);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    for (cl_semaphore_khr one : all_)
      one->mutex.lock();
  }
  ~LockedSemaphores() {
    for (cl_semaphore_khr one : all_)
      one->mutex.unlock();
  }
  LockedSemaphores(const LockedSemaphores &) = delete;
  LockedSemaphores &operator=(const LockedSemaphores &) = delete;
  const std::vector<cl_semaphore_khr> &all() const { return all_; }

private:
  std::vector<cl_semaphore_khr> all_;
};

// Signals semaphores that other processes share. It also signals if the command failed, because the
// other process could not be notified that no signal will follow.
class GiveSignals : public runtime::HostOperation {
public:
  explicit GiveSignals(std::vector<_cl_semaphore_khr::SharedSignal> signals)
      : signals_(std::move(signals)) {}
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override {
    give();
    return {};
  }
  void failed(const Error &) override { give(); }

private:
  void give() const {
    for (const auto &signal : signals_)
      signal->give();
  }
  const std::vector<_cl_semaphore_khr::SharedSignal> signals_;
};

std::unique_ptr<runtime::Operation> make_operation(const LockedSemaphores &locked, bool waits) {
  std::vector<_cl_semaphore_khr::SharedSignal> signals;
  for (cl_semaphore_khr semaphore : locked.all())
    if (!waits && semaphore->shared)
      signals.push_back(semaphore->shared);
  if (signals.empty())
    return std::make_unique<runtime::NoWork>();
  return std::make_unique<GiveSignals>(std::move(signals));
}

struct Call {
  cl_command_type type;
  cl_command_queue queue;
  cl_uint count;
  const cl_semaphore_khr *semaphores;
  EventArguments events;
};

Check enqueue_semaphores(EntryPoint &api, const Call &call) {
  if (Check broken = check_queue(api, call.queue, section))
    return broken;
  if (Check broken = check_semaphores(call.queue, call.count, call.semaphores))
    return broken;
  WaitList wait_list;
  if (Check broken = read_wait_list(call.queue, call.events, wait_list, section))
    return broken;
  if (Check broken = check_statuses(call.events, section))
    return broken;
  const LockedSemaphores locked({call.semaphores, call.count});
  const bool waits = call.type == CL_COMMAND_SEMAPHORE_WAIT_KHR;
  const runtime::CommandRef command = runtime::Command::create(make_operation(locked, waits));
  command->reserve_dependencies(locked.all().size() + call.events.count + 1);
  if (waits)
    for (cl_semaphore_khr semaphore : locked.all()) {
      const auto signal = semaphore->take_signal(*command);
      if (!signal)
        return failure(code_of(signal.error().kind), "{} ({})", signal.error().message, section);
      command->depend_on(**signal, runtime::EdgeKind::needs);
    }
  if (Check broken = submit({call.queue, call.type, wait_list, call.events.event, false}, command))
    return broken;
  if (!waits)
    for (cl_semaphore_khr semaphore : locked.all())
      if (!semaphore->shared)
        semaphore->give_signal(*command);
  return {};
}

} // namespace

// Binary semaphores have no payload, so the payload list is ignored.
cl_int clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                  const cl_semaphore_khr *sema_objects,
                                  const cl_semaphore_payload_khr *, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueWaitSemaphoresKHR");
  if (Check broken = enqueue_semaphores(api, {CL_COMMAND_SEMAPHORE_WAIT_KHR,
                                              command_queue,
                                              num_sema_objects,
                                              sema_objects,
                                              {num_events_in_wait_list, event_wait_list, event}}))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                    const cl_semaphore_khr *sema_objects,
                                    const cl_semaphore_payload_khr *,
                                    cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueSignalSemaphoresKHR");
  if (Check broken = enqueue_semaphores(api, {CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
                                              command_queue,
                                              num_sema_objects,
                                              sema_objects,
                                              {num_events_in_wait_list, event_wait_list, event}}))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
