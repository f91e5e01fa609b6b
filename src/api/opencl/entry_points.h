// Declares every entry point as lockstep::opencl::clXxx with the exact type of its slot in the
// dispatch table. The namespace ensures that liblockstep.so does not define, and so does not
// interpose, the loader's own cl* symbols.
//
// No entry point calls another entry point. Argument-dependent lookup would also find the loader's
// ::clXxx; that ambiguity is a compile error instead of a silent round trip through the loader.
#pragma once

#include "api/opencl/extension_types.h"

#include <CL/cl_icd.h>

#include <type_traits>

namespace lockstep::opencl {

#define ENTRY_POINT(name) std::remove_pointer_t<cl_api_##name> name;
#define EXTENSION(name, type) std::remove_pointer_t<type> name;
#define NO_ENTRY_POINT(name)
#include "api/opencl/entry_points.def"
#undef ENTRY_POINT
#undef EXTENSION
#undef NO_ENTRY_POINT

} // namespace lockstep::opencl
