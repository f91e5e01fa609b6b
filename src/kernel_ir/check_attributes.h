// Attributes with which passes describe checked kernels to later passes.
#pragma once

namespace lockstep::compiler {

// Attribute of an argument that was a pipe. Valid from lower-image-types to instrument-accesses.
inline constexpr char pipe_attribute[] = "lockstep-pipe";

// Attribute of a kernel that reports accesses by calls and has no atomic of sub-group scope. Valid
// from instrument-accesses to choose-sub-group-size.
inline constexpr char reports_accesses[] = "lockstep-reports-accesses";

// Metadata of a volatile load that is plain in the program: pin-plain-waits or mark-waits has made it
// volatile. Valid up to instrument-accesses, which treats the load as plain.
inline constexpr char plain_wait_metadata[] = "lockstep.check.plain";

} // namespace lockstep::compiler
