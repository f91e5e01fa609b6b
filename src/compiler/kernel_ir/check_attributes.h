// What passes say of checked kernels to later ones.
#pragma once

namespace lockstep::compiler {

// Of an argument that was a pipe: from lower-image-types to instrument-accesses.
inline constexpr char pipe_attribute[] = "lockstep-pipe";

// Of a kernel in which accesses are told of by calls, and no atomic is for a sub-group: from instrument-accesses to
// choose-sub-group-size.
inline constexpr char tells_accesses[] = "lockstep-tells-accesses";

} // namespace lockstep::compiler
