// Declares every entry point as lockstep::opencl::clXxx with the exact type that the dispatch table
// wants. They stand in a namespace so that liblockstep.so never defines (and so never interposes)
// the loader's own cl* symbols.
//
// Inside Lockstep no entry point calls another: argument-dependent look-up would find the loader's
// ::clXxx too, which is an ambiguity and thus a compile error, not a silent round trip through the
// loader.
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
