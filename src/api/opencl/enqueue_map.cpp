// clEnqueueMapBuffer, MapImage, UnmapMemObject and MigrateMemObjects (OpenCL 3.0 API sections
// 5.2.4, 5.3.6, 5.5.2 and 5.5.4).
//
// The program receives a pointer to the host's copy of a buffer, so these commands move no data
// themselves. If a device has its own memory, the runtime moves data as their declared accesses
// require. The commands exist for their position in the command order. The record of mapped regions
// is updated during the call (mapped_regions.h).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image.h"
#include "api/opencl/map_undo.h"
#include "runtime/memory/map_change.h"
#include "runtime/memory/transfers.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>

namespace lockstep::opencl {
namespace {

constexpr cl_map_flags write_flags = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// If the command fails, the region is not mapped.
class MapOperation : public runtime::MapChange {
public:
  explicit MapOperation(Region region) : MapChange(Kind::begins, std::move(region)) {}
  void failed(const Error &) override {
    const runtime::MemoryView &memory = region().memory;
    memory.buffer()->root().mapped().remove(memory.buffer().get(), memory.data());
  }
};

runtime::MapChange::Region region_of(const _cl_mem &memory, const runtime::MappedRegion &region) {
  return {{memory.buffer, size_t(region.begin - memory.data()), region.size},
          region.for_writing,
          region.extent[0] != 0};
}

Check check_map_flags(cl_map_flags flags, const _cl_mem &memory, const char *section) {
  constexpr cl_map_flags known = CL_MAP_READ | write_flags;
  if (flags & ~known)
    return failure(CL_INVALID_VALUE, "map_flags has bits {:#x}, which are not map flags ({})",
                   flags & ~known, section);
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))
    return failure(CL_INVALID_VALUE,
                   "map_flags has CL_MAP_WRITE_INVALIDATE_REGION together with CL_MAP_READ or "
                   "CL_MAP_WRITE ({})",
                   section);
  if (flags & CL_MAP_READ)
    if (Check broken = check_host_access(memory, HostAccess::read, section))
      return broken;
  if (flags & write_flags)
    return check_host_access(memory, HostAccess::write, section);
  return {};
}

// Checks the last rule while adding the region, because two threads may map the same region.
Check make_map(const _cl_mem &memory, const runtime::MappedRegion &region, const char *section,
               MadeOperation &to, MapUndo &undo) {
  to = std::make_unique<MapOperation>(region_of(memory, region));
  const auto &root = memory.root().buffer;
  if (root->mapped().add(region)) {
    undo.has_added(root, region);
    return {};
  }
  return failure(CL_INVALID_OPERATION, "a region that overlaps is mapped for writing already ({})",
                 section);
}

struct Map {
  static constexpr const char *section = "section 5.2.4";
  static constexpr cl_command_type type = CL_COMMAND_MAP_BUFFER;
  cl_mem buffer;
  cl_map_flags flags;
  size_t offset, size;
  MapUndo undo = {};

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, buffer, "buffer", section))
      return broken;
    if (Check broken = check_inside(*buffer, "buffer", offset, size, section))
      return broken;
    if (size == 0)
      return failure(CL_INVALID_VALUE, "size is 0 ({})", section);
    return check_map_flags(flags, *buffer, section);
  }

  Check make(const Place &, MadeOperation &to) {
    return make_map(*buffer, {buffer->buffer.get(), pointer(), size, (flags & write_flags) != 0},
                    section, to, undo);
  }

  std::byte *pointer() const { return buffer->data() + offset; }
};

struct ImageMap {
  static constexpr const char *section = "section 5.3.6";
  static constexpr cl_command_type type = CL_COMMAND_MAP_IMAGE;
  cl_mem image;
  cl_map_flags flags;
  const size_t *origin, *region;
  size_t *row_pitch, *slice_pitch; // written by the call
  MapUndo undo = {};

  bool has_slices() const {
    return image->image->has_slices() ||
           image->image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  }

  Check check(const Place &place) const {
    if (Check broken = check_image(place, image, "image", section))
      return broken;
    if (Check broken = check_region(*image->image, origin, region, "origin", section))
      return broken;
    if (Check broken = check_map_flags(flags, *image, section))
      return broken;
    if (!row_pitch)
      return failure(CL_INVALID_VALUE, "image_row_pitch is null ({})", section);
    if (!slice_pitch && has_slices())
      return failure(CL_INVALID_VALUE,
                     "image_slice_pitch is null, but the image has slices or layers ({})", section);
    return {};
  }

  Check make(const Place &, MadeOperation &to) {
    const Image &of = *image->image;
    const size_t end = end_byte(of.side(origin), of.shape(region));
    runtime::MappedRegion mapped{image->buffer.get(), pointer(),
                                 size_t(image->data() + end - pointer()),
                                 (flags & write_flags) != 0};
    std::copy_n(origin, 3, mapped.origin.begin());
    std::copy_n(region, 3, mapped.extent.begin());
    if (Check broken = make_map(*image, mapped, section, to, undo))
      return broken;
    const compiler::ImageDescriptor &level = of.levels[of.level_of(origin)];
    *row_pitch = level.row_pitch;
    if (slice_pitch)
      *slice_pitch = level.slice_pitch;
    return {};
  }

  std::byte *pointer() const { return image->data() + first_byte(image->image->side(origin)); }
};

struct Unmap {
  static constexpr const char *section = "section 5.5.2";
  static constexpr cl_command_type type = CL_COMMAND_UNMAP_MEM_OBJECT;
  cl_mem memory;
  const void *pointer;
  MapUndo undo = {};

  const void *own() const { return runtime::memory_observer().as_commands_see(pointer); }
  Check not_mapped() const {
    return failure(CL_INVALID_VALUE, "mapped_ptr {} is not mapped from memobj ({})", pointer,
                   section);
  }

  Check check(const Place &place) const {
    if (Check broken = check_memory(place, memory, "memobj", section))
      return broken;
    const auto &mapped = memory->root().buffer->mapped();
    return mapped.contains(memory->buffer.get(), own()) ? Check() : not_mapped();
  }

  Check make(const Place &, MadeOperation &to) {
    auto region = memory->root().buffer->mapped().remove(memory->buffer.get(), own());
    if (!region) // another thread has unmapped it meanwhile
      return not_mapped();
    undo.has_removed(memory->root().buffer, *region);
    to = std::make_unique<runtime::MapChange>(runtime::MapChange::Kind::ends,
                                              region_of(*memory, *region));
    return {};
  }
};

struct Migration {
  static constexpr const char *section = "section 5.5.4";
  static constexpr cl_command_type type = CL_COMMAND_MIGRATE_MEM_OBJECTS;
  cl_uint count;
  const cl_mem *memories;
  cl_mem_migration_flags flags;

  Check check(const Place &place) const {
    if (count == 0)
      return failure(CL_INVALID_VALUE, "num_mem_objects is 0 ({})", section);
    if (!memories)
      return failure(CL_INVALID_VALUE, "mem_objects is null ({})", section);
    for (cl_mem memory : std::span(memories, count))
      if (Check broken = check_memory(place, memory, "an element of mem_objects", section))
        return broken;
    constexpr cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    if (flags & ~known)
      return failure(CL_INVALID_VALUE, "flags has bits {:#x}, which are not migration flags ({})",
                     flags & ~known, section);
    return {};
  }

  Check make(const Place &place, MadeOperation &to) const {
    const auto space =
        flags & CL_MIGRATE_MEM_OBJECT_HOST ? nullptr : place.device->device->memory_space();
    const auto mode = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
                          ? runtime::AccessMode::overwrite
                          : runtime::AccessMode::read;
    runtime::Accesses accesses;
    for (cl_mem memory : std::span(memories, count)) {
      if (space)
        if (auto address = memory->buffer->address_in(space); !address)
          return failure(CL_MEM_OBJECT_ALLOCATION_FAILURE, "{} ({})", address.error().message,
                         section);
      accesses.push_back({{memory->buffer, 0, memory->size()}, mode});
    }
    to = std::make_unique<runtime::NoWork>(std::move(accesses), space);
    return {};
  }
};

} // namespace

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                         cl_map_flags map_flags, size_t offset, size_t size,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event, cl_int *errcode_ret) {
  EntryPoint api("clEnqueueMapBuffer", errcode_ret);
  Map map{buffer, map_flags, offset, size};
  if (Check broken =
          enqueue(api, command_queue, map, {num_events_in_wait_list, event_wait_list, event},
                  blocking_map != CL_FALSE))
    return api.fail(broken);
  return api.success(static_cast<void *>(runtime::memory_observer().as_host_sees(map.pointer())));
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                        cl_map_flags map_flags, const size_t *origin, const size_t *region,
                        size_t *image_row_pitch, size_t *image_slice_pitch,
                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                        cl_event *event, cl_int *errcode_ret) {
  EntryPoint api("clEnqueueMapImage", errcode_ret);
  ImageMap map{image, map_flags, origin, region, image_row_pitch, image_slice_pitch};
  if (Check broken =
          enqueue(api, command_queue, map, {num_events_in_wait_list, event_wait_list, event},
                  blocking_map != CL_FALSE))
    return api.fail(broken);
  return api.success(static_cast<void *>(runtime::memory_observer().as_host_sees(map.pointer())));
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  return enqueue("clEnqueueUnmapMemObject", command_queue, Unmap{memobj, mapped_ptr},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                  const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                  cl_event *event) {
  return enqueue("clEnqueueMigrateMemObjects", command_queue,
                 Migration{num_mem_objects, mem_objects, flags},
                 {num_events_in_wait_list, event_wait_list, event});
}

} // namespace lockstep::opencl
