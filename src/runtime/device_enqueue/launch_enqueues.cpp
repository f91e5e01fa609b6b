// A fault of a kernel's pointer ends in a jump, like any kernel fault
// (diagnostics/fault_handling.h), and a jump runs no destructors. So each call first accesses all
// memory that the kernel points to (access_arguments), before it locks or owns anything.
#include "runtime/device_enqueue/launch_enqueues.h"

#include "runtime/device/device.h"
#include "runtime/observers/observer.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace lockstep::runtime {

using compiler::EnqueueCall;
using compiler::EnqueueWords;
using compiler::GroupInfo;

namespace {

// CLK_* constants of OpenCL C 6.15.17.
constexpr int64_t success = 0, failure = -101, invalid_queue = -102, invalid_range = -160,
                  invalid_wait_list = -57, queue_full = -161, invalid_local_size = -51,
                  no_event = -100, out_of_resources = -5;
enum Flags : uint64_t { no_wait, wait_kernel, wait_work_group };

// Reads one byte of each page, since faults concern whole pages.
void read_pages(const void *begin, std::size_t bytes) {
  constexpr std::size_t page_size = 4096;
  const auto *at = static_cast<const volatile char *>(begin);
  for (std::size_t i = 0; i < bytes; i += page_size)
    (void)at[i];
  if (bytes)
    (void)at[bytes - 1];
}

void rewrite(uint64_t *word) {
  auto *at = static_cast<volatile uint64_t *>(word);
  *at = *at;
}

// Accesses all memory whose address is an argument of enqueue_kernel or enqueue_marker.
void access_arguments(const EnqueueWords &words) {
  if (words.event)
    rewrite(words.event);
  if (words.range)
    read_pages(words.range, sizeof *words.range);
  if (words.block) {
    read_pages(words.block, sizeof(compiler::BlockHead));
    read_pages(words.block, static_cast<const compiler::BlockHead *>(words.block)->size);
  }
  if (words.events)
    read_pages(words.events, words.event_count * sizeof *words.events);
  if (words.local_sizes)
    read_pages(words.local_sizes, words.local_count * sizeof *words.local_sizes);
}

constexpr std::size_t literal_alignment = 128;
// Approximate memory of the runtime for a launch, besides the block's captures.
constexpr uint64_t bytes_of_launch = 512;

} // namespace

// ---- completion

// Handles completions iteratively, so that a long chain cannot overflow the stack: those that end
// during another one's completion are deferred.
void Completion::drop() {
  if (open_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  thread_local std::shared_ptr<Completion> *put_off = nullptr; // first of the deferred completions
  if (put_off) {
    put_off_ = std::move(*put_off);
    *put_off = shared_from_this();
    return;
  }
  std::shared_ptr<Completion> open = shared_from_this();
  put_off = &open;
  while (open) {
    const std::shared_ptr<Completion> next = std::move(open);
    open = std::move(next->put_off_);
    next->complete(next->failure_); // no other thread writes it any more
  }
  put_off = nullptr;
}

void Completion::record_failure(const std::string &sentence) {
  std::lock_guard lock(mutex_);
  if (failure_)
    return;
  try {
    failure_ = sentence;
  } catch (const std::bad_alloc &) {
    failure_.emplace(); // it has failed, without a text
  }
}

namespace {

class RootCompletion final : public Completion {
public:
  void launch_ended(Command &command, Result<void> result) {
    command_ = &command; // the graph's reference keeps it alive
    result_ = std::move(result);
    command.note_end();
    drop();
  }

private:
  void complete(const std::optional<std::string> &failed) override {
    try {
      if (result_ && failed)
        result_ = Error{ErrorKind::kernel_fault, "a kernel that it enqueued failed: " + *failed};
    } catch (const std::bad_alloc &) {
      result_ = out_of_memory_error();
    }
    command_->settle(std::move(result_));
  }

  Command *command_ = nullptr;
  Result<void> result_;
};

} // namespace

void EventCompletion::capture_times(uint64_t *to) {
  std::lock_guard lock(mutex_);
  if (completed_)
    write_times(to);
  else
    captures_.push_back(to);
}

void EventCompletion::write_times(uint64_t *to) const {
  const uint64_t ended = std::min(ended_.load(std::memory_order_acquire), completed_);
  const uint64_t started = launch_->times().started;
  const bool has_run = started && started <= ended;
  to[0] = has_run ? std::max<uint64_t>(ended - started, 1) : 0;
  to[1] = has_run ? std::max<uint64_t>(completed_ - started, 1) : 0;
}

// Writes the times before the event settles, so that its dependants find them.
void EventCompletion::complete(const std::optional<std::string> &failed) {
  {
    std::lock_guard lock(mutex_);
    completed_ = now_nanoseconds();
    for (uint64_t *to : captures_)
      write_times(to);
    captures_.clear();
  }
  if (parent_->known())
    order_->join(parent_->known(), known_);
  settle_marker(*event_, failed ? status::out_of_resources : status::complete);
  if (failed)
    parent_->record_failure(*failed);
  parent_->drop();
}

// ---- the launch

LaunchEnqueues::LaunchEnqueues(std::shared_ptr<const EnqueueContext> place)
    : place_(std::move(place)), completion_(std::make_shared<RootCompletion>()),
      order_(observer().of_enqueues()), node_(order_->add()) {}

LaunchEnqueues::LaunchEnqueues(const LaunchEnqueues &parent, const void *literal, uint32_t size)
    : place_(parent.place_), completion_(parent.completion_), order_(parent.order_) {
  const std::size_t rounded =
      (std::max<std::size_t>(size, 1) + literal_alignment - 1) & ~(literal_alignment - 1);
  literal_ = std::aligned_alloc(literal_alignment, rounded);
  if (!literal_)
    throw std::bad_alloc();
  std::memcpy(literal_, literal, size);
}

// Destroyed with the operation, before its command's status changes; also for a child that was not
// run or not started.
LaunchEnqueues::~LaunchEnqueues() {
  std::free(literal_);
  if (queue_)
    queue_->give_back(taken_);
  if (is_counted_)
    completion_->drop();
}

void LaunchEnqueues::failed(const Error &error) {
  if (is_counted_)
    completion_->record_failure(error.message);
}

void LaunchEnqueues::Gate::open() {
  if (marker)
    settle_marker(*marker, status::complete);
}

bool LaunchEnqueues::ended(Command &command, Result<void> &result) {
  std::map<GroupId, Gate> gates;
  Gate gate;
  {
    std::lock_guard lock(mutex_);
    gates.swap(group_gates_);
    gate = std::exchange(gate_, {});
  }
  if (node_) {
    order_->end(node_);
    order_->add_ended(node_, gate.known);
    order_->add_ended(node_, completion_->known());
    for (const auto &[id, group_gate] : gates)
      order_->add_ended(node_, group_gate.known);
  }
  if (own_completion_)
    own_completion_->launch_ended(now_nanoseconds());
  // A child that becomes ready may be all that keeps the parent alive, so the parent ends last.
  for (auto &[id, group_gate] : gates)
    group_gate.open();
  gate.open();
  if (is_child())
    return false;
  const std::shared_ptr<Completion> keep = completion_; // the operation destroys this object
  static_cast<RootCompletion &>(*keep).launch_ended(command, std::move(result));
  return true;
}

void LaunchEnqueues::group_ended(const GroupInfo &group) {
  if (!has_group_gates_.load(std::memory_order_acquire))
    return;
  Gate gate;
  {
    std::lock_guard lock(mutex_);
    const auto found = group_gates_.find(std::to_array(group.group_id));
    if (found == group_gates_.end())
      return;
    gate = std::move(found->second);
    group_gates_.erase(found);
  }
  if (gate.known)
    order_->reach(node_, gate.known);
  gate.open();
}

// ---- enqueuing

struct LaunchEnqueues::Request {
  Kernel *kernel = nullptr;
  std::shared_ptr<DeviceQueue> queue;
  uint64_t flags = 0;
  LaunchGeometry geometry;
  std::vector<DeviceQueues::Event> events;
  std::vector<uint64_t> local_sizes; // by argument
  std::unique_ptr<LaunchEnqueues> child;
  uint32_t literal_size = 0;
  uint64_t *event = nullptr;
};

// Warns once for each launch, because a kernel may fill its queue and handle that.
int64_t LaunchEnqueues::fail(int64_t code, const std::string &sentence) {
  if (place_->client && !has_warned_.exchange(true, std::memory_order_relaxed))
    place_->client->warn(
        fmt::format("a kernel could not enqueue: {} (OpenCL C 6.15.17)", sentence));
  return place_->explains_failures ? code : failure;
}

Kernel *LaunchEnqueues::find_block(const char *name) const {
  for (const auto &kernel : *place_->blocks)
    if (kernel->info().name == name)
      return kernel.get();
  return nullptr;
}

int64_t LaunchEnqueues::find_events(std::span<const uint64_t> numbers,
                                    std::vector<DeviceQueues::Event> &to) {
  for (uint64_t number : numbers) {
    DeviceQueues::Event event = place_->queues->find_event(number);
    if (!event.command)
      return fail(invalid_wait_list, "an event in event_wait_list is not valid");
    to.push_back(std::move(event));
  }
  return success;
}

int64_t LaunchEnqueues::check_range(const Request &request) {
  const LaunchGeometry &range = request.geometry;
  if (range.work_dim < 1 || range.work_dim > 3)
    return fail(invalid_range, fmt::format("ndrange has {} dimensions", range.work_dim));
  uint64_t items = 1, all_items = 1;
  const bool chooses = range.local_size == std::array<uint64_t, 3>{};
  for (uint32_t d = 0; d < range.work_dim; ++d) {
    const uint64_t local = range.local_size[d], global = range.global_size[d];
    if (range.global_offset[d] > ~uint64_t{0} - global ||
        (global && __builtin_mul_overflow(all_items, global, &all_items)))
      return fail(invalid_range, "ndrange has more work-items than 64 bits can count");
    if (chooses)
      continue;
    if (local == 0)
      return fail(invalid_range, fmt::format("the local size of ndrange is 0 in dimension {}", d));
    if (local > place_->device->limits().max_work_item_sizes[d] ||
        (items *= local) > request.kernel->largest_group(*place_->device))
      return fail(invalid_range,
                  fmt::format("the local size of ndrange has more than {} work-items",
                              request.kernel->largest_group(*place_->device)));
    if (place_->needs_uniform_groups && global % local != 0)
      return fail(invalid_range, "the global size of ndrange is not a multiple of the local size, "
                                 "and the program was built for uniform work-groups");
  }
  return success;
}

namespace {

LaunchGeometry geometry_of(const compiler::NdRange &range) {
  LaunchGeometry geometry;
  geometry.work_dim = range.work_dim;
  for (uint32_t d = 0; d < std::min(range.work_dim, 3u); ++d) {
    geometry.global_offset[d] = range.global_offset[d];
    geometry.global_size[d] = range.global_size[d];
    geometry.local_size[d] = range.local_size[d];
  }
  const auto &local = geometry.local_size;
  if (local[0] | local[1] | local[2])
    for (uint32_t d = range.work_dim; d < 3; ++d)
      geometry.local_size[d] = 1;
  return geometry;
}

} // namespace

int64_t LaunchEnqueues::read(const EnqueueWords &words, Request &to) {
  to.event = words.event;
  if (to.event)
    *to.event = compiler::null_event;
  to.kernel = find_block(words.kernel);
  if (!to.kernel)
    return fail(failure, "the block is not one of the program");
  to.geometry = geometry_of(*words.range);
  const auto head = *static_cast<const compiler::BlockHead *>(words.block);
  to.literal_size = head.size;
  to.child.reset(new LaunchEnqueues(*this, words.block, head.size));
  to.local_sizes.assign(to.kernel->info().args.size(), 0);
  for (uint64_t i = 0; i < words.local_count && i + 1 < to.local_sizes.size(); ++i)
    to.local_sizes[i + 1] = words.local_sizes[i];

  to.queue = place_->queues->find(words.queue);
  if (!to.queue || !to.queue->is_of(*place_->device))
    return fail(invalid_queue, "queue is not a queue of the device that runs the kernel");
  to.flags = words.flags;
  if (to.flags > wait_work_group)
    return fail(failure, fmt::format("flags are {:#x}", to.flags));
  if ((words.event_count > 0) != (words.events != nullptr))
    return fail(invalid_wait_list, "num_events_in_wait_list does not fit event_wait_list");
  for (uint64_t i = 0; i < words.event_count; ++i)
    if (const uint64_t number = words.events[i];
        const int64_t broken = find_events({&number, 1}, to.events))
      return broken;
  for (uint64_t i = 0; i < words.local_count; ++i)
    if (i + 1 >= to.local_sizes.size() || to.local_sizes[i + 1] == 0)
      return fail(invalid_local_size, "the size of a local argument is 0");
  return check_range(to);
}

// Null: the child waits for neither the launch nor its group.
LaunchEnqueues::Gate *LaunchEnqueues::gate_for(uint64_t flags, const GroupInfo &group) {
  if (flags == no_wait)
    return nullptr;
  std::lock_guard lock(mutex_);
  Gate &gate = flags == wait_kernel ? gate_ : group_gates_[std::to_array(group.group_id)];
  if (!gate.marker)
    gate = {Command::create_marker(), order_->known_after({})};
  if (flags == wait_work_group)
    has_group_gates_.store(true, std::memory_order_release);
  return &gate; // neither gate opens while this thread runs the group
}

static std::vector<EnqueueObserver::KnownRef>
known_of(std::span<const DeviceQueues::Event> events) {
  std::vector<EnqueueObserver::KnownRef> known;
  for (const DeviceQueues::Event &event : events)
    known.push_back(event.known);
  return known;
}

int64_t LaunchEnqueues::start(Request &request, const GroupInfo &group) {
  LaunchEnqueues &child = *request.child;
  const uint64_t bytes =
      bytes_of_launch + request.literal_size + sizeof(uint64_t) * request.local_sizes.size();
  if (!request.queue->take(bytes))
    return fail(queue_full,
                fmt::format("the device queue of {} bytes is full", request.queue->size()));
  child.queue_ = request.queue;
  child.taken_ = bytes;

  const Gate *gate = gate_for(request.flags, group);
  if (node_) {
    auto known = known_of(request.events);
    if (gate)
      known.push_back(gate->known);
    child.node_ = order_->add_child(node_, EnqueueObserver::Wait(request.flags), std::move(known));
  }
  const compiler::KernelInfo &info = request.kernel->info();
  std::vector<std::byte> block(info.argument_block_size);
  std::memcpy(block.data() + info.args[0].offset, &child.literal_, sizeof(void *));
  LaunchArguments arguments{.block = block,
                            .local_sizes = request.local_sizes,
                            .memories = place_->memories,
                            .reach = place_->reach};
  arguments.enqueues = std::move(request.child);
  auto launch = request.kernel->prepare(*place_->device, request.geometry, std::move(arguments));
  if (!launch)
    return fail(out_of_resources, launch.error().message);

  uint64_t number = 0;
  if (request.event) {
    child.own_completion_ = std::make_shared<EventCompletion>(completion_);
    child.own_completion_->set_order(order_, child.node_);
    child.completion_ = child.own_completion_;
    child.is_counted_ = true; // from here on the child's end completes the event
    number = place_->queues->add_event({.command = CommandRef(&child.own_completion_->event()),
                                        .launch = child.own_completion_,
                                        .known = child.own_completion_->known()});
    if (!number)
      return fail(no_event, fmt::format("kernels have {} events already", most_device_events));
  } else {
    completion_->add();
    child.is_counted_ = true;
  }
  CommandRef command = Command::create(std::move(*launch));
  if (request.event) {
    command->record_times();
    child.own_completion_->set_launch(command);
  }
  command->reserve_dependencies(request.events.size() + 1);
  command->bind(place_->device.get(), place_->client);
  for (const DeviceQueues::Event &event : request.events)
    command->depend_on(*event.command, EdgeKind::needs);
  if (gate)
    command->depend_on(*gate->marker, EdgeKind::after);
  if (request.event)
    *request.event = number;
  command->start(); // the command may be destroyed after that
  return success;
}

int64_t LaunchEnqueues::enqueue_kernel(const GroupInfo &group, const EnqueueWords &words) {
  access_arguments(words);
  Request request;
  if (const int64_t broken = read(words, request))
    return broken;
  return start(request, group);
}

int64_t LaunchEnqueues::enqueue_marker(const EnqueueWords &words) {
  access_arguments(words);
  if (words.event)
    *words.event = compiler::null_event;
  const std::shared_ptr<DeviceQueue> queue = place_->queues->find(words.queue);
  if (!queue || !queue->is_of(*place_->device))
    return fail(invalid_queue, "queue is not a queue of the device that runs the kernel");
  if ((words.event_count > 0) != (words.events != nullptr))
    return fail(invalid_wait_list, "num_events_in_wait_list does not fit event_wait_list");
  std::vector<DeviceQueues::Event> events;
  for (uint64_t i = 0; i < words.event_count; ++i)
    if (const uint64_t number = words.events[i];
        const int64_t broken = find_events({&number, 1}, events))
      return broken;
  CommandRef marker = Command::create_marker();
  marker->reserve_dependencies(events.size());
  marker->bind(nullptr);
  for (const DeviceQueues::Event &event : events)
    marker->depend_on(*event.command, EdgeKind::needs);
  if (words.event) {
    uint64_t number = 0;
    try {
      number = place_->queues->add_event(
          {.command = marker, .known = order_->known_after(known_of(events))});
    } catch (const std::bad_alloc &) {
      marker->start(); // the events already point to it
      throw;
    }
    if (!number) {
      marker->start();
      return fail(no_event, fmt::format("kernels have {} events already", most_device_events));
    }
    *words.event = number;
  }
  marker->start();
  return success;
}

// ---- events

int64_t LaunchEnqueues::make_user_event() {
  const uint64_t number = place_->queues->add_event(
      {.command = Command::create_marker(), .is_user = true, .known = order_->known_after({})});
  if (number)
    return int64_t(number);
  fail(no_event, fmt::format("kernels have {} events already", most_device_events));
  return int64_t(compiler::null_event);
}

int64_t LaunchEnqueues::set_user_event(uint64_t number, Status status) {
  if (int64_t(status) > 0)
    return fail(failure,
                "a user event was set to a status that is neither CL_COMPLETE nor an error");
  if (node_)
    if (const EnqueueObserver::KnownRef known = place_->queues->find_event(number).known)
      order_->reach(node_, known);
  if (!place_->queues->set_user_event(number, status))
    return fail(failure, "set_user_event_status was not given a user event that was not set yet");
  return success;
}

void LaunchEnqueues::capture(const EnqueueWords &words) {
  constexpr uint64_t exec_time = 1; // CLK_PROFILING_COMMAND_EXEC_TIME
  auto *to = static_cast<volatile uint64_t *>(words.to);
  to[0] = to[0];
  to[1] = to[1];
  const DeviceQueues::Event event = place_->queues->find_event(words.queue);
  if (event.launch)
    event.launch->record_times_are_read();
  if (!event.launch)
    fail(failure, "capture_event_profiling_info was not given the event of a kernel");
  else if (words.flags != exec_time)
    fail(failure, "capture_event_profiling_info was asked for what there is not");
  else
    event.launch->capture_times(static_cast<uint64_t *>(words.to));
}

// ---- queries

int64_t LaunchEnqueues::answer(EnqueueCall call, const EnqueueWords &words) {
  Kernel *kernel = find_block(words.kernel);
  if (!kernel)
    return 0;
  if (call == EnqueueCall::work_group_size)
    return int64_t(kernel->largest_group(*place_->device));
  if (call == EnqueueCall::preferred_multiple)
    return kernel->preferred_multiple();
  Request request;
  request.kernel = kernel;
  request.geometry = geometry_of(*words.range);
  if (check_range(request) != success)
    return 0;
  auto local = request.geometry.local_size;
  if (local == std::array<uint64_t, 3>{})
    local = kernel->choose_local_size(*place_->device, request.geometry);
  const uint64_t items = local[0] * local[1] * local[2];
  const auto size =
      kernel->sub_group_size({uint32_t(local[0]), uint32_t(local[1]), uint32_t(local[2])});
  if (!size) {
    fail(out_of_resources, size.error().message);
    return 0;
  }
  const uint64_t largest = std::min<uint64_t>(*size, items);
  return int64_t(call == EnqueueCall::max_sub_group_size ? largest
                                                         : (items + largest - 1) / largest);
}

int64_t LaunchEnqueues::call(EnqueueCall call, const GroupInfo &group, const EnqueueWords &words) {
  const uint64_t event = words.queue; // in calls about an event
  try {
    switch (call) {
    case EnqueueCall::enqueue_kernel:
      return enqueue_kernel(group, words);
    case EnqueueCall::enqueue_marker:
      return enqueue_marker(words);
    case EnqueueCall::create_user_event:
      return make_user_event();
    case EnqueueCall::set_user_event_status:
      set_user_event(event, Status(int64_t(words.flags)));
      return success;
    case EnqueueCall::retain_event:
      if (!place_->queues->retain_event(event))
        fail(failure, "retain_event was given an event that is not valid");
      return success;
    case EnqueueCall::release_event:
      if (!place_->queues->release_event(event))
        fail(failure, "release_event was given an event that is not valid");
      return success;
    case EnqueueCall::is_valid_event:
      return bool(place_->queues->find_event(event).command);
    case EnqueueCall::capture_profiling:
      capture(words);
      return success;
    case EnqueueCall::default_queue:
      return int64_t(place_->default_queue);
    case EnqueueCall::work_group_size:
    case EnqueueCall::preferred_multiple:
    case EnqueueCall::max_sub_group_size:
    case EnqueueCall::sub_group_count:
      return answer(call, words);
    }
  } catch (const std::bad_alloc &) {
    if (call == EnqueueCall::create_user_event)
      return int64_t(compiler::null_event);
    if (call <= EnqueueCall::enqueue_marker)
      return place_->explains_failures ? out_of_resources : failure;
  }
  return 0;
}

} // namespace lockstep::runtime
