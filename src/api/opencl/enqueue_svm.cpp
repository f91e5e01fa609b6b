// Commands on memory that the program accesses by address: clEnqueueSVM* (OpenCL 3.0 API section
// 5.6.1), clEnqueueMem*INTEL and clEnqueueMigrateMemINTEL (cl_intel_unified_shared_memory), and
// their counterparts for command buffers.
//
// Any address of the host is valid. The code looks up allocations to record which memory a command
// may write (runtime::view_at), and because device allocations of a card are in the card's memory.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/map_undo.h"
#include "api/opencl/record.h"
#include "api/opencl/shared_memory.h"
#include "api/opencl/unified_svm.h"
#include "runtime/external_commands/program_threads.h"
#include "runtime/memory/map_change.h"
#include "runtime/memory/transfers.h"

#include <bit>

namespace lockstep::opencl {
namespace {

using runtime::Allocations;
using runtime::view_at;

constexpr cl_map_flags write_flags = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// The API that a function belongs to: its section for messages and its command types for events.
struct Svm {
  static constexpr const char *section = "section 5.6.1";
  static constexpr cl_command_type copy = CL_COMMAND_SVM_MEMCPY, fill = CL_COMMAND_SVM_MEMFILL;
  static constexpr bool nothing_may_be_nowhere = true; // cl_khr_unified_svm
};
struct Usm {
  static constexpr const char *section = "section 5.X of cl_intel_unified_shared_memory";
  static constexpr cl_command_type copy = CL_COMMAND_MEMCPY_INTEL, fill = CL_COMMAND_MEMFILL_INTEL;
  static constexpr bool nothing_may_be_nowhere = false;
};

Check check_place(const Place &place, const char *section) {
  if (shares_allocations(*place.device))
    return {};
  return failure(CL_INVALID_OPERATION,
                 "the device of command_queue has no shared virtual memory ({})", section);
}

Check check_range(const void *address, size_t size, const char *section) {
  auto range = runtime::check_range(address, size);
  return range ? Check() : failure(CL_INVALID_VALUE, "{} ({})", range.error().message, section);
}

Check check_memories(const runtime::Operation &operation, const char *section) {
  if (can_access(operation.memory_space(), operation.accesses()))
    return {};
  return failure(CL_INVALID_VALUE,
                 "an address is of the memory of a device, and the device of command_queue is "
                 "another one ({})",
                 section);
}

Check check_migration_flags(cl_mem_migration_flags flags, const char *section) {
  constexpr cl_mem_migration_flags known =
      CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  if (flags & ~known)
    return failure(CL_INVALID_VALUE, "flags has bits {:#x}, which are not migration flags ({})",
                   flags & ~known, section);
  return {};
}

template <class Api> struct PointerCopy {
  static constexpr const char *section = Api::section;
  static constexpr cl_command_type type = Api::copy;
  void *target;
  const void *source;
  size_t size;

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    if (size == 0 && Api::nothing_may_be_nowhere)
      return {};
    if (!target || !source)
      return failure(CL_INVALID_VALUE, "{} is null ({})", target ? "src_ptr" : "dst_ptr", section);
    const auto to = reinterpret_cast<uintptr_t>(target), from = reinterpret_cast<uintptr_t>(source);
    if (to < from ? from - to < size : to - from < size)
      return failure(CL_MEM_COPY_OVERLAP,
                     "dst_ptr and src_ptr are {} bytes apart and size is {} ({})",
                     to < from ? from - to : to - from, size, section);
    if (Check broken = check_range(target, size, section))
      return broken;
    return check_range(source, size, section);
  }
  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_copy(view_at(target, size), view_at(source, size));
    return check_memories(*to, section);
  }
};

template <class Api> struct PointerFill {
  static constexpr const char *section = Api::section;
  static constexpr cl_command_type type = Api::fill;
  void *target;
  const void *pattern;
  size_t pattern_size, size;

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    const bool may_be_null = size == 0 && Api::nothing_may_be_nowhere;
    if ((!target && !may_be_null) || !pattern)
      return failure(CL_INVALID_VALUE, "{} is null ({})", pattern ? "the destination" : "pattern",
                     section);
    if (!std::has_single_bit(pattern_size) || pattern_size > largest_type)
      return failure(CL_INVALID_VALUE, "pattern_size is {}, not a power of two from 1 to {} ({})",
                     pattern_size, largest_type, section);
    if (reinterpret_cast<uintptr_t>(target) % pattern_size != 0)
      return failure(CL_INVALID_VALUE, "the destination {} is not aligned to pattern_size, {} ({})",
                     target, pattern_size, section);
    if (size % pattern_size != 0)
      return failure(CL_INVALID_VALUE, "size {} is not a multiple of pattern_size {} ({})", size,
                     pattern_size, section);
    return check_range(target, size, section);
  }
  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_fill(view_at(target, size), pattern, pattern_size);
    return check_memories(*to, section);
  }
};

// ---- Free

using FreeFunction = void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *);

class FreeAllocations : public runtime::HostOperation {
public:
  explicit FreeAllocations(std::vector<void *> pointers) : pointers_(std::move(pointers)) {}
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override {
    for (void *pointer : pointers_)
      Allocations::instance().remove(pointer);
    return {};
  }

private:
  const std::vector<void *> pointers_;
};

// Calls the program's function, which frees the allocations. The command retains its queue, so the
// queue handle is valid.
class CallToFree : public runtime::ProgramFunction {
public:
  CallToFree(cl_command_queue queue, std::vector<void *> pointers, FreeFunction function,
             void *user_data)
      : queue_(queue), pointers_(std::move(pointers)), function_(function), user_data_(user_data) {}
  Result<void> run(uint64_t, uint64_t) override {
    function_(queue_, cl_uint(pointers_.size()), pointers_.data(), user_data_);
    return {};
  }

private:
  const cl_command_queue queue_;
  std::vector<void *> pointers_;
  const FreeFunction function_;
  void *const user_data_;
};

struct Free {
  static constexpr const char *section = Svm::section;
  static constexpr cl_command_type type = CL_COMMAND_SVM_FREE;
  cl_command_queue queue;
  cl_uint count;
  void *const *pointers;
  FreeFunction function;
  void *user_data;

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    if ((count == 0) != (pointers == nullptr))
      return failure(CL_INVALID_VALUE, "num_svm_pointers is {}, but svm_pointers is {}null ({})",
                     count, pointers ? "not " : "", section);
    for (cl_uint i = 0; i < count && !function; ++i)
      if (const auto known = Allocations::instance().find(pointers[i]);
          pointers[i] && !(known && is_svm(*known) && known->begin() == pointers[i] &&
                           known->owner.get() == place.context))
        return failure(CL_INVALID_VALUE,
                       "svm_pointers[{}] is not from clSVMAlloc with the context of command_queue, "
                       "and pfn_free_func is null ({})",
                       i, section);
    return {};
  }
  Check make(const Place &, MadeOperation &to) const {
    std::vector<void *> copy(pointers, pointers + count);
    if (function)
      to = std::make_unique<CallToFree>(queue, std::move(copy), function, user_data);
    else
      to = std::make_unique<FreeAllocations>(std::move(copy));
    return {};
  }
};

// ---- Map, unmap, migrate, advise

// The record of mapped regions is updated during the call, as for buffers (enqueue_map.cpp). If a
// region cannot be mapped for writing because of an overlap, it is recorded as mapped for reading:
// the specification does not forbid overlaps here. Fine-grained allocations need no record.
class MapOperation : public runtime::MapChange {
public:
  explicit MapOperation(Region region) : MapChange(Kind::begins, std::move(region)) {}
  void failed(const Error &) override {
    const runtime::MemoryView &memory = region().memory;
    memory.buffer()->mapped().remove(memory.buffer().get(), memory.data());
  }
};

// Returns true for coarse-grained memory. The host can always access fine-grained and host memory,
// so a map of those has no effect.
bool gives_to_host(const void *pointer) {
  const auto known = Allocations::instance().find(pointer);
  return known && known->kind == runtime::AllocationKind::coarse_svm;
}

struct Map {
  static constexpr const char *section = Svm::section;
  static constexpr cl_command_type type = CL_COMMAND_SVM_MAP;
  cl_map_flags flags;
  void *pointer;
  size_t size;
  MapUndo undo = {};

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    if (!pointer)
      return failure(CL_INVALID_VALUE, "svm_ptr is null ({})", section);
    if (size == 0)
      return failure(CL_INVALID_VALUE, "size is 0 ({})", section);
    if (const auto known = Allocations::instance().find(pointer);
        known && (!can_be_mapped(*known) || is_devices_only(*known)))
      return failure(CL_INVALID_VALUE,
                     "svm_ptr is of a type that cannot be mapped ({} with cl_khr_unified_svm)",
                     section);
    constexpr cl_map_flags known = CL_MAP_READ | write_flags;
    if (flags & ~known)
      return failure(CL_INVALID_VALUE, "map_flags has bits {:#x}, which are not map flags ({})",
                     flags & ~known, section);
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))
      return failure(CL_INVALID_VALUE,
                     "map_flags has CL_MAP_WRITE_INVALIDATE_REGION together with CL_MAP_READ or "
                     "CL_MAP_WRITE ({})",
                     section);
    return {};
  }
  Check make(const Place &, MadeOperation &to) {
    const runtime::MemoryView region = view_at(pointer, size);
    if (!gives_to_host(pointer)) {
      to =
          std::make_unique<runtime::NoWork>(runtime::Accesses{{region, runtime::AccessMode::read}});
      return {};
    }
    const auto &buffer = region.buffer();
    const bool for_writing = (flags & write_flags) != 0;
    runtime::MappedRegion mapped{buffer.get(), region.data(), size, for_writing};
    if (!buffer->mapped().add(mapped)) { // unlike for memory objects, an overlap is not an error
      mapped.for_writing = false;
      buffer->mapped().add(mapped);
    }
    undo.has_added(buffer, mapped);
    to = std::make_unique<MapOperation>(
        runtime::MapChange::Region{region, for_writing, false, true});
    return {};
  }
};

struct Unmap {
  static constexpr const char *section = Svm::section;
  static constexpr cl_command_type type = CL_COMMAND_SVM_UNMAP;
  void *pointer;
  MapUndo undo = {};

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    return pointer ? Check() : failure(CL_INVALID_VALUE, "svm_ptr is null ({})", section);
  }
  Check make(const Place &, MadeOperation &to) {
    const auto known = Allocations::instance().find(pointer);
    auto region =
        known ? known->memory->mapped().remove(known->memory.get(), pointer) : std::nullopt;
    if (!region) {
      to = std::make_unique<runtime::NoWork>();
      return {};
    }
    undo.has_removed(known->memory, *region);
    to = std::make_unique<runtime::MapChange>(
        runtime::MapChange::Kind::ends,
        runtime::MapChange::Region{view_at(region->begin, region->size), region->for_writing, false,
                                   true});
    return {};
  }
};

// Memory that OpenCL did not allocate is shared too (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM), so migrating
// it is not an error.
struct Migration {
  static constexpr const char *section = Svm::section;
  static constexpr cl_command_type type = CL_COMMAND_SVM_MIGRATE_MEM;
  cl_uint count;
  const void *const *pointers;
  const size_t *sizes;
  cl_mem_migration_flags flags;

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    if (count == 0)
      return failure(CL_INVALID_VALUE, "num_svm_pointers is 0 ({})", section);
    if (!pointers)
      return failure(CL_INVALID_VALUE, "svm_pointers is null ({})", section);
    for (cl_uint i = 0; i < count; ++i) {
      const size_t size = sizes ? sizes[i] : 0;
      const auto known = Allocations::instance().find(pointers[i]);
      if (known && !known->holds(pointers[i], size))
        return failure(CL_INVALID_VALUE,
                       "the {} bytes at svm_pointers[{}] go beyond their allocation ({})", size, i,
                       section);
      if (!known && !pointers[i] && size != 0)
        return failure(CL_INVALID_VALUE, "svm_pointers[{}] is null and sizes[{}] is {} ({})", i, i,
                       size, section);
    }
    return check_migration_flags(flags, section);
  }
  Check make(const Place &place, MadeOperation &to) const {
    runtime::Accesses accesses;
    const auto mode = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
                          ? runtime::AccessMode::overwrite
                          : runtime::AccessMode::read;
    for (cl_uint i = 0; i < count; ++i) {
      if (sizes && sizes[i] != 0)
        accesses.push_back({view_at(pointers[i], sizes[i]), mode});
      else if (const auto known = Allocations::instance().find(pointers[i]))
        accesses.push_back({{known->memory, 0, known->size()}, mode});
    }
    to = std::make_unique<runtime::NoWork>(std::move(accesses),
                                           place.device->device->memory_space());
    return check_memories(*to, section);
  }
};

// Hints about the placement of memory. The host's memory is the only placement.
struct Hint {
  static constexpr const char *section = Usm::section;
  cl_command_type type;
  cl_mem_migration_flags flags; // of a migration; otherwise unused
  cl_mem_advice_intel advice;

  Check check(const Place &place) const {
    if (Check broken = check_place(place, section))
      return broken;
    if (advice != 0)
      return failure(CL_INVALID_VALUE, "advice is {:#x}; the extension defines none ({})", advice,
                     section);
    return check_migration_flags(flags, section);
  }
  Check make(const Place &, MadeOperation &to) const {
    to = std::make_unique<runtime::NoWork>();
    return {};
  }
};

} // namespace

cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers,
                        void *svm_pointers[], FreeFunction pfn_free_func, void *user_data,
                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                        cl_event *event) {
  return enqueue("clEnqueueSVMFree", command_queue,
                 Free{command_queue, num_svm_pointers, svm_pointers, pfn_free_func, user_data},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                          const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueSVMMemcpy", command_queue, PointerCopy<Svm>{dst_ptr, src_ptr, size},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_copy != CL_FALSE);
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueSVMMemFill", command_queue,
                 PointerFill<Svm>{svm_ptr, pattern, pattern_size, size},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                       void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueSVMMap", command_queue, Map{flags, svm_ptr, size},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_map != CL_FALSE);
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event) {
  return enqueue("clEnqueueSVMUnmap", command_queue, Unmap{svm_ptr},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                              const void **svm_pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueSVMMigrateMem", command_queue,
                 Migration{num_svm_pointers, svm_pointers, sizes, flags},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr, const void *pattern,
                             size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueMemFillINTEL", command_queue,
                 PointerFill<Usm>{dst_ptr, pattern, pattern_size, size},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
                            const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueMemcpyINTEL", command_queue, PointerCopy<Usm>{dst_ptr, src_ptr, size},
                 {num_events_in_wait_list, event_wait_list, event}, blocking != CL_FALSE);
}

cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *, size_t,
                                cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueMigrateMemINTEL", command_queue,
                 Hint{CL_COMMAND_MIGRATEMEM_INTEL, flags, 0},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *, size_t,
                               cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueMemAdviseINTEL", command_queue,
                 Hint{CL_COMMAND_MEMADVISE_INTEL, 0, advice},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clCommandSVMMemcpyKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                             const CommandProperties *properties, void *dst_ptr,
                             const void *src_ptr, size_t size, cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle) {
  return record("clCommandSVMMemcpyKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                PointerCopy<Svm>{dst_ptr, src_ptr, size});
}

cl_int clCommandSVMMemFillKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                              const CommandProperties *properties, void *svm_ptr,
                              const void *pattern, size_t pattern_size, size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle) {
  return record("clCommandSVMMemFillKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                PointerFill<Svm>{svm_ptr, pattern, pattern_size, size});
}

} // namespace lockstep::opencl
