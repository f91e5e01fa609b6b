// clEnqueueMapBuffer, UnmapMemObject and MigrateMemObjects (OpenCL 3.0 API sections 5.2.4, 5.5.2
// and 5.5.4).
//
// Buffers lie in memory that host and device share, so these commands move nothing. Their place in
// the order of commands is what they are for; the account of mapped regions is kept at the call
// (mapped_regions.h).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"

namespace lockstep::opencl {
namespace {

constexpr const char *map_section = "section 5.2.4";
constexpr const char *unmap_section = "section 5.5.2";
constexpr const char *migrate_section = "section 5.5.4";
constexpr cl_map_flags write_flags = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

struct Map {
  cl_command_queue queue;
  cl_mem buffer;
  cl_map_flags flags;
  size_t offset, size;
  EventArguments events;
  WaitList wait_list{};
};

Check check_flags(cl_map_flags flags) {
  constexpr cl_map_flags known = CL_MAP_READ | write_flags;
  if (flags & ~known)
    return failure(CL_INVALID_VALUE, "map_flags has bits {:#x}, which are no map flags ({})",
                   flags & ~known, map_section);
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))
    return failure(CL_INVALID_VALUE,
                   "map_flags has CL_MAP_WRITE_INVALIDATE_REGION together with CL_MAP_READ or "
                   "CL_MAP_WRITE ({})",
                   map_section);
  return {};
}

Check check(EntryPoint &api, Map &map) {
  if (Check broken = check_queue(api, map.queue, map_section))
    return broken;
  if (Check broken = check_memory(map.queue, map.buffer, "buffer", map_section))
    return broken;
  if (Check broken = check_inside(*map.buffer, "buffer", map.offset, map.size, map_section))
    return broken;
  if (map.size == 0)
    return failure(CL_INVALID_VALUE, "size is 0 ({})", map_section);
  if (Check broken = check_flags(map.flags))
    return broken;
  if (Check broken = read_wait_list(map.queue, map.events, map.wait_list, map_section))
    return broken;
  if (map.flags & CL_MAP_READ)
    if (Check broken = check_host_access(*map.buffer, HostAccess::read, map_section))
      return broken;
  if (map.flags & write_flags)
    return check_host_access(*map.buffer, HostAccess::write, map_section);
  return {};
}

// A map that fails leaves nothing mapped.
class MapOperation : public Holding<NoWork, 1> {
public:
  MapOperation(cl_command_queue queue, cl_mem buffer, const std::byte *pointer)
      : Holding(queue, {buffer}), buffer_(buffer), pointer_(pointer) {}
  void failed(const Error &error) override {
    buffer_->root().mapped.remove(buffer_, pointer_);
    Holding::failed(error);
  }

private:
  const cl_mem buffer_; // kept alive by the base
  const std::byte *const pointer_;
};

struct Unmap {
  cl_command_queue queue;
  cl_mem memory;
  const void *pointer;
  EventArguments events;
  WaitList wait_list{};
};

Check check(EntryPoint &api, Unmap &unmap) {
  if (Check broken = check_queue(api, unmap.queue, unmap_section))
    return broken;
  if (Check broken = check_memory(unmap.queue, unmap.memory, "memobj", unmap_section))
    return broken;
  if (!unmap.memory->root().mapped.contains(unmap.memory, unmap.pointer))
    return failure(CL_INVALID_VALUE, "mapped_ptr {} is not mapped from memobj ({})", unmap.pointer,
                   unmap_section);
  return read_wait_list(unmap.queue, unmap.events, unmap.wait_list, unmap_section);
}

struct Migration {
  cl_command_queue queue;
  cl_uint count;
  const cl_mem *memories;
  cl_mem_migration_flags flags;
  EventArguments events;
  WaitList wait_list{};
};

Check check(EntryPoint &api, Migration &migration) {
  if (Check broken = check_queue(api, migration.queue, migrate_section))
    return broken;
  if (migration.count == 0)
    return failure(CL_INVALID_VALUE, "num_mem_objects is 0 ({})", migrate_section);
  if (!migration.memories)
    return failure(CL_INVALID_VALUE, "mem_objects is null ({})", migrate_section);
  for (cl_mem memory : std::span(migration.memories, migration.count))
    if (Check broken =
            check_memory(migration.queue, memory, "an element of mem_objects", migrate_section))
      return broken;
  constexpr cl_mem_migration_flags known =
      CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  if (migration.flags & ~known)
    return failure(CL_INVALID_VALUE, "flags has bits {:#x}, which are no migration flags ({})",
                   migration.flags & ~known, migrate_section);
  return read_wait_list(migration.queue, migration.events, migration.wait_list, migrate_section);
}

} // namespace

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                         cl_map_flags map_flags, size_t offset, size_t size,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event, cl_int *errcode_ret) {
  EntryPoint api("clEnqueueMapBuffer", errcode_ret);
  Map map{command_queue, buffer, map_flags,
          offset,        size,   {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, map))
    return api.fail(broken);
  std::byte *pointer = buffer->data() + offset;
  auto command = runtime::Command::create<MapOperation>(command_queue, buffer, pointer);
  // The last rule is checked with the act: two threads could map the same region.
  if (!buffer->root().mapped.add({buffer, pointer, size, (map_flags & write_flags) != 0}))
    return api.fail(CL_INVALID_OPERATION,
                    "a region that overlaps is mapped for writing already ({})", map_section);
  if (Check broken = submit(
          {command_queue, CL_COMMAND_MAP_BUFFER, map.wait_list, event, blocking_map != CL_FALSE},
          command))
    return api.fail(broken);
  return api.success(static_cast<void *>(pointer));
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  EntryPoint api("clEnqueueUnmapMemObject");
  Unmap unmap{command_queue, memobj, mapped_ptr, {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, unmap))
    return api.fail(broken);
  auto command = runtime::Command::create<Holding<NoWork, 1>>(command_queue, std::array{memobj});
  if (!memobj->root().mapped.remove(memobj, mapped_ptr)) // another thread was faster
    return api.fail(CL_INVALID_VALUE, "mapped_ptr {} is not mapped from memobj ({})", mapped_ptr,
                    unmap_section);
  if (Check broken =
          submit({command_queue, CL_COMMAND_UNMAP_MEM_OBJECT, unmap.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                  const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                  cl_event *event) {
  EntryPoint api("clEnqueueMigrateMemObjects");
  Migration migration{command_queue,
                      num_mem_objects,
                      mem_objects,
                      flags,
                      {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, migration))
    return api.fail(broken);
  std::vector<Ref<_cl_mem>> keep;
  for (cl_mem memory : std::span(mem_objects, num_mem_objects))
    keep.emplace_back(memory);
  auto command = runtime::Command::create_task(
      runtime::TaskPlace::in_place,
      [keep = std::move(keep), queue = Ref<_cl_command_queue>(command_queue)] {});
  if (Check broken = submit(
          {command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, migration.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
