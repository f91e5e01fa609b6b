// Attributes with which passes describe checked kernels to later passes.
#pragma once

namespace lockstep::compiler {

// Attribute of an argument that was a pipe. Valid from lower-image-types to instrument-accesses.
inline constexpr char pipe_attribute[] = "lockstep-pipe";

// Attribute of a kernel that reports accesses by calls and has no atomic of sub-group scope. Valid
// from instrument-accesses to choose-sub-group-size.
inline constexpr char reports_accesses[] = "lockstep-reports-accesses";

} // namespace lockstep::compiler
