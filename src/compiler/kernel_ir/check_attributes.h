// What passes say of checked kernels to later ones.
#pragma once

namespace lockstep::compiler {

// Of an argument that was a pipe: from lower-image-types to instrument-accesses.
inline constexpr char pipe_attribute[] = "lockstep-pipe";

} // namespace lockstep::compiler
