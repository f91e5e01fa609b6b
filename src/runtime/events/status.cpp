#include "runtime/events/status.h"

namespace lockstep::runtime {

Status status_of(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::out_of_host_memory:
    return status::out_of_host_memory;
  case ErrorKind::invalid_argument:
  case ErrorKind::build_failure:
  case ErrorKind::invalid_binary:
  case ErrorKind::out_of_resources:
  case ErrorKind::unsupported:
  case ErrorKind::kernel_fault:
  case ErrorKind::io_failure:
  case ErrorKind::internal:
    break;
  }
  return status::out_of_resources; // OpenCL's status for all other failures on a device
}

} // namespace lockstep::runtime
