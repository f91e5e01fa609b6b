// Execution status of a command. The values are those of OpenCL (CL_COMPLETE, CL_OUT_OF_RESOURCES,
// ...), so the C API needs no translation. A status that a program gives to a user event keeps its
// value. The graph itself only checks whether a status is negative.
#pragma once

#include "support/result.h"

#include <cstdint>

namespace lockstep::runtime {

using Status = int32_t;

namespace status {
inline constexpr Status complete = 0;
inline constexpr Status running = 1;
inline constexpr Status submitted = 2;
inline constexpr Status queued = 3;

// Errors that the runtime itself sets. A program may set any negative number for a user event.
inline constexpr Status allocation_failed = -4;  // CL_MEM_OBJECT_ALLOCATION_FAILURE
inline constexpr Status out_of_resources = -5;   // CL_OUT_OF_RESOURCES; also a kernel that faulted
inline constexpr Status out_of_host_memory = -6; // CL_OUT_OF_HOST_MEMORY
inline constexpr Status dependency_failed = -14; // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
} // namespace status

inline bool is_settled(Status s) {
  return s <= status::complete;
} // complete or failed
inline bool is_failure(Status s) {
  return s < status::complete;
}

// The status of a command whose operation returned this error.
Status status_of(ErrorKind kind);

} // namespace lockstep::runtime
