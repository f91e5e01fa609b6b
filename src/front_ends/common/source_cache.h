// The disk cache in front of a front end.
//
// The files that a compilation depends on are known only after it: the files that it included. An
// entry of kind "source" is therefore keyed by the source and the other inputs. If nothing was
// included from disk, it holds the result. Otherwise it holds the paths of the included files, and
// the content of these files is the key of an entry of kind "included".
#pragma once

#include "process/disk_cache.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

// A file as the front end read it. If the file is edited while the compilation runs, its new
// content must not lead to this compilation's result.
struct IncludedFile {
  std::string path;   // absolute
  std::string digest; // of the content (digest_of)
};
std::string digest_of(std::string_view content);

class SourceCache {
public:
  // `key`: all inputs: the kind of result, the source, options, embedded headers.
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
