// SYCL's headers as clang leaves them when they are parsed: a precompiled header, made by the driver and kept in the disk cache, so
// that most sources do not parse them again. Two thirds of what a small program takes to compile is that.
//
// Used where nobody can tell: the source begins with `#include <sycl/sycl.hpp>`, comments and headers of the standard
// library before it allowed, since these may come in any order; no option puts text before it; no folder of the
// user's has a file by the name of one that the headers include. The entry is found by the options that clang's front end has, of both
// sides each its own, and lists what it was made of with sizes and times: if a file is another one now, it is made
// again, and if one changed while it was parsed, nothing is kept. It is made when the same options are seen for the second
// time, so that what is compiled once pays nothing, and without a cache that can be written (LOCKSTEP_CACHE,
// LOCKSTEP_CACHE_DIR) never.
#pragma once

#include "tools/lockstep++/installation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}

namespace lockstep::driver {

// Names of the headers before `#include <sycl/sycl.hpp>`; none: the source does not begin so.
std::optional<std::vector<std::string>> headers_before_sycl(llvm::StringRef source);

// `arguments`: the -cc1 command line that the invocation was made of. `files` gets the precompiled header as a file, and the invocation
// names it; both stay as they are if there is none.
void use_prepared_headers(clang::CompilerInvocation &invocation,
                          llvm::ArrayRef<const char *> arguments, const Installation &installation,
                          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &files);

} // namespace lockstep::driver
