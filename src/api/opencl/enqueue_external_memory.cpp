// clEnqueueAcquireExternalMemObjectsKHR and clEnqueueReleaseExternalMemObjectsKHR
// (cl_khr_external_memory).
//
// An imported object has the same bytes in all APIs and processes, so these commands copy nothing.
// For the tracking of copies and dependencies, an acquire accesses the whole object as read-write,
// because others may have written it. A release reads the whole object.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "runtime/memory/imported_memory.h"

#include <algorithm>

namespace lockstep::opencl {
namespace {

class HandOver : public runtime::HostOperation {
public:
  HandOver(bool acquires, std::span<const cl_mem> objects) : acquires_(acquires) {
    accesses_.reserve(objects.size());
    for (cl_mem object : objects) {
      accesses_.push_back(
          {.memory = {object->buffer, 0, object->size()},
           .mode = acquires ? runtime::AccessMode::read_write : runtime::AccessMode::read});
      memories_.push_back(object->external->memory);
    }
  }
  std::span<const runtime::Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override {
    return std::ranges::none_of(memories_,
                                [](const auto &memory) { return memory->is_of_driver(); });
  }
  Result<void> run(uint64_t, uint64_t) override {
    for (const auto &memory : memories_)
      if (auto done = acquires_ ? memory->begin_access() : memory->end_access(); !done)
        return done.take_error();
    return {};
  }

private:
  const bool acquires_;
  runtime::Accesses accesses_;
  std::vector<std::shared_ptr<const runtime::ImportedMemory>> memories_;
};

struct HandOverRequest {
  static constexpr const char *section =
      "section \"Acquiring and Releasing External Memory Objects\" of cl_khr_external_memory";
  cl_command_type type;
  cl_uint count;
  const cl_mem *objects;
  EventArguments events;

  Check check(const Place &place) const {
    if ((count == 0) != (objects == nullptr))
      return failure(CL_INVALID_VALUE, "num_mem_objects is {} and mem_objects is {}null ({})",
                     count, objects ? "not " : "", section);
    for (cl_uint i = 0; i < count; ++i)
      if (Check broken = check_object(place, i))
        return broken;
    return {};
  }

  Check check_object(const Place &place, cl_uint index) const {
    const cl_mem object = objects[index];
    if (!is_valid(object) || !object->external)
      return failure(CL_INVALID_MEM_OBJECT,
                     "mem_objects[{}] is not a memory object made from an external memory handle "
                     "({})",
                     index, section);
    const std::vector<cl_device_id> &devices = object->external->devices;
    if (!object->context->has_device(place.device) ||
        std::ranges::find(devices, place.device) == devices.end())
      return failure(CL_INVALID_COMMAND_QUEUE,
                     "command_queue is of a device that mem_objects[{}] was not imported for ({})",
                     index, section);
    return {};
  }

  Check make(const Place &, MadeOperation &to) const {
    if (Check broken = check_statuses(events, section))
      return broken;
    to = std::make_unique<HandOver>(type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
                                    std::span(objects, count));
    return {};
  }
};

} // namespace

cl_int clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue command_queue,
                                             cl_uint num_mem_objects, const cl_mem *mem_objects,
                                             cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list, cl_event *event) {
  const EventArguments events{num_events_in_wait_list, event_wait_list, event};
  return enqueue("clEnqueueAcquireExternalMemObjectsKHR", command_queue,
                 HandOverRequest{CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                                 mem_objects, events},
                 events);
}

cl_int clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue command_queue,
                                             cl_uint num_mem_objects, const cl_mem *mem_objects,
                                             cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list, cl_event *event) {
  const EventArguments events{num_events_in_wait_list, event_wait_list, event};
  return enqueue("clEnqueueReleaseExternalMemObjectsKHR", command_queue,
                 HandOverRequest{CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                                 mem_objects, events},
                 events);
}

} // namespace lockstep::opencl
