// Stores results of compilation on disk, keyed by a hash of all their inputs.
//
// Several processes use the directory at once without a lock. An entry is written to a temporary
// file and renamed into place, so a reader sees the whole entry or none. An entry has a checksum; a
// damaged entry is removed and counts as missing. The cache never fails a build: without a usable
// directory everything is compiled again.
//
// Entries are machine code. Only files that this user has written are read
// (platform/linux/owned_folder.h). The cache is off if the process has more privileges than its
// caller (platform/linux/privileges.h).
#pragma once

#include "platform/linux/descriptor.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::compiler {

struct CacheStatistics;

struct CacheKey {
  std::array<uint8_t, 32> digest{};
  bool operator==(const CacheKey &) const = default;
  std::string hex() const;
};

// BLAKE3 over the parts in the order given, including their lengths ("a","bc" differs from
// "ab","c"). Starts with the build of Lockstep, the files of LLVM, clang and libclc in use
// (installed_toolchain.h) and the version of the launch ABI. Entries of other versions are
// therefore never found.
class CacheKeyBuilder {
public:
  CacheKeyBuilder();
  CacheKeyBuilder(const CacheKeyBuilder &) = delete;
  CacheKeyBuilder &operator=(const CacheKeyBuilder &) = delete;
  ~CacheKeyBuilder();
  CacheKeyBuilder &add(std::string_view part);
  CacheKeyBuilder &add(uint64_t number);
  CacheKey key() const;

private:
  struct State;
  State *state_;
};

class DiskCache {
public:
  // The cache of this process: LOCKSTEP_CACHE_DIR, else $XDG_CACHE_HOME/lockstep, else
  // ~/.cache/lockstep. LOCKSTEP_CACHE=0 disables it. LOCKSTEP_CACHE_SIZE is its limit in MiB (1024
  // by default).
  static DiskCache &of_process();

  // An empty directory: no cache, for the given reason.
  explicit DiskCache(std::filesystem::path directory, uint64_t size_limit = uint64_t{1} << 30,
                     std::string disabled_because = {});

  // `kind` is a word such as "program"; it becomes part of the file name.
  std::optional<std::string> get(std::string_view kind, const CacheKey &key);
  void put(std::string_view kind, const CacheKey &key, std::string_view content);

  CacheStatistics statistics() const;
  Result<uint64_t> clear();

  // Removes the least recently used entries until the size is four fifths of the limit. put() calls
  // it from time to time.
  void trim();

private:
  struct Place;
  // Opens and checks the directory. Opened for each use, because it may have been removed since the
  // process began.
  Result<Descriptor> open(bool make) const;
  Result<Place> place_of(std::string_view kind, const CacheKey &key, bool make) const;

  std::filesystem::path directory_;
  uint64_t size_limit_;
  std::string disabled_because_;
  std::atomic<uint64_t> written_since_trim_ = 0;
};

} // namespace lockstep::compiler
