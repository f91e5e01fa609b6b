// The disk cache in front of a front end.
//
// What a compilation depends on is known only after it: the files that it included. So an entry of kind "source", found
// by the source and whatever else was given, holds either the result, when nothing was included from disk, or the paths
// of the included files; then the content of these files leads to an entry of kind "included".
#pragma once

#include "compiler/disk_cache.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

// A file as it was when the front end read it. One that is edited while the compilation runs must not be taken for the
// one that was compiled.
struct IncludedFile {
  std::string path;   // absolute
  std::string digest; // of the content (digest_of)
};
std::string digest_of(std::string_view content);

class SourceCache {
public:
  // `key`: all that was given: what is made, the source, options, embedded headers.
  explicit SourceCache(const CacheKeyBuilder &key) : key_(key.key()) {}

  // The stored bytes of the result; its log is appended to `log`.
  std::optional<std::string> find(std::string &log) const;
  void store(const std::vector<IncludedFile> &included, std::string_view result,
             std::string_view log) const;

private:
  CacheKey key_with(const std::vector<IncludedFile> &files) const;

  CacheKey key_;
};

} // namespace lockstep::compiler
