#include "api/opencl/memory_flags.h"

namespace lockstep::opencl {
namespace {

struct FlagName {
  cl_mem_flags flag;
  const char *name;
};

constexpr FlagName flag_names[] = {
    {CL_MEM_READ_WRITE, "CL_MEM_READ_WRITE"},
    {CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY"},
    {CL_MEM_READ_ONLY, "CL_MEM_READ_ONLY"},
    {CL_MEM_USE_HOST_PTR, "CL_MEM_USE_HOST_PTR"},
    {CL_MEM_ALLOC_HOST_PTR, "CL_MEM_ALLOC_HOST_PTR"},
    {CL_MEM_COPY_HOST_PTR, "CL_MEM_COPY_HOST_PTR"},
    {CL_MEM_HOST_WRITE_ONLY, "CL_MEM_HOST_WRITE_ONLY"},
    {CL_MEM_HOST_READ_ONLY, "CL_MEM_HOST_READ_ONLY"},
    {CL_MEM_HOST_NO_ACCESS, "CL_MEM_HOST_NO_ACCESS"},
    {CL_MEM_IMMUTABLE_EXT, "CL_MEM_IMMUTABLE_EXT"},
};

// Two flags that exclude each other.
struct Exclusion {
  cl_mem_flags first, second;
};
constexpr Exclusion exclusions[] = {
    {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY},
    {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY},
    {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
    {CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR},
    {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR},
    {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
    {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS},
    {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS},
    {CL_MEM_IMMUTABLE_EXT, CL_MEM_READ_WRITE},
    {CL_MEM_IMMUTABLE_EXT, CL_MEM_WRITE_ONLY},
    {CL_MEM_IMMUTABLE_EXT, CL_MEM_HOST_WRITE_ONLY},
};

// A flag of the parent, and a flag that its sub-buffers must not have.
constexpr Exclusion sub_buffer_exclusions[] = {
    {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
    {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
    {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
    {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
    {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
    {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
    {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
    {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
    {CL_MEM_IMMUTABLE_EXT, CL_MEM_HOST_WRITE_ONLY}, // already read-only for kernels
};

const char *name_of(cl_mem_flags flag) {
  for (const FlagName &row : flag_names)
    if (row.flag == flag)
      return row.name;
  return "an unknown flag";
}

} // namespace

Check check_memory_flags(cl_mem_flags flags) {
  constexpr cl_mem_flags known =
      kernel_access_flags | host_pointer_flags | host_access_flags | CL_MEM_IMMUTABLE_EXT;
  if (flags & ~known)
    return failure(CL_INVALID_VALUE,
                   "flags has bits {:#x}, which are not flags of a buffer (section 5.2.1)",
                   flags & ~known);
  for (const Exclusion &pair : exclusions)
    if ((flags & pair.first) && (flags & pair.second))
      return failure(CL_INVALID_VALUE,
                     "flags has both {} and {}, which exclude each other (section 5.2.1)",
                     name_of(pair.first), name_of(pair.second));
  return {};
}

Check check_contents(cl_mem_flags flags, bool has_contents, const char *section) {
  if (!(flags & CL_MEM_IMMUTABLE_EXT) || has_contents ||
      flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))
    return {};
  return failure(CL_INVALID_VALUE,
                 "flags has CL_MEM_IMMUTABLE_EXT, but neither CL_MEM_USE_HOST_PTR nor "
                 "CL_MEM_COPY_HOST_PTR ({})",
                 section);
}

Check check_sub_buffer_flags(cl_mem_flags parent, cl_mem_flags flags) {
  if (cl_mem_flags forbidden = flags & host_pointer_flags)
    return failure(CL_INVALID_VALUE,
                   "flags has {}, which a sub-buffer inherits and cannot be given (section 5.2.1)",
                   name_of(forbidden & -forbidden));
  if (Check broken = check_memory_flags(flags))
    return broken;
  for (const Exclusion &pair : sub_buffer_exclusions)
    if ((parent & pair.first) && (flags & pair.second))
      return failure(CL_INVALID_VALUE,
                     "flags has {}, but the buffer was created with {} (section 5.2.1)",
                     name_of(pair.second), name_of(pair.first));
  return {};
}

cl_mem_flags inherit_flags(cl_mem_flags parent, cl_mem_flags flags) {
  flags |= parent & (host_pointer_flags | CL_MEM_IMMUTABLE_EXT);
  if (flags & CL_MEM_IMMUTABLE_EXT)
    flags = complete_flags(flags);
  for (cl_mem_flags group : {kernel_access_flags, host_access_flags})
    if (!(flags & group))
      flags |= parent & group;
  return flags;
}

cl_mem_flags complete_flags(cl_mem_flags flags) {
  if (flags & kernel_access_flags)
    return flags;
  return flags | (flags & CL_MEM_IMMUTABLE_EXT ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE);
}

} // namespace lockstep::opencl
