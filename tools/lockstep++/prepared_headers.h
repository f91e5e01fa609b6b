// Caches the parsed SYCL headers as a precompiled header in the disk cache, so that most sources do
// not parse them again. Parsing them takes two thirds of the compile time of a small program.
//
// The cache is used only if the result cannot differ: the source begins with `#include
// <sycl/sycl.hpp>`, no option adds text before it, and no folder of the user has a file with the
// name of an included header. Comments and standard library headers may come before, since their
// order does not matter.
//
// The key consists of the front-end options, separately for host and device. An entry lists its
// input files with sizes and times. If a file has changed, the entry is made again; if one changed
// during parsing, nothing is stored. An entry is made when the same options occur for the second
// time, so that a single compilation has no extra cost. Without a writable cache (LOCKSTEP_CACHE,
// LOCKSTEP_CACHE_DIR) no entry is made.
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

// Returns the headers before `#include <sycl/sycl.hpp>`; none if the source does not begin with it.
std::optional<std::vector<std::string>> headers_before_sycl(llvm::StringRef source);

// `arguments` is the -cc1 command line of the invocation. Adds the precompiled header to `files`
// and its name to the invocation; changes neither if there is no entry.
void use_prepared_headers(clang::CompilerInvocation &invocation,
                          llvm::ArrayRef<const char *> arguments, const Installation &installation,
                          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &files);

} // namespace lockstep::driver
