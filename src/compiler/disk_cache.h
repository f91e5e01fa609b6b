// Compiled things on disk, found by a hash of everything that went into them.
//
// Several processes use the directory at once without a lock: an entry is written to a file of its
// own and renamed into place, so a reader sees the whole entry or none. An entry carries a
// checksum; one that is damaged is removed and counts as missing. Nothing here ever fails a build:
// without a usable directory everything is compiled again.
//
// Entries are machine code, so only what this user has written is read (support/owned_folder.h), and
// nothing where the process has more rights than its caller (support/privileges.h).
#pragma once

#include "support/descriptor.h"
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

// BLAKE3 over the parts in the order given, the lengths included ("a","bc" differs from "ab","c").
// Starts with the build of Lockstep, the files of LLVM, clang and libclc that are in use (installed_toolchain.h) and the
// version of the launch ABI, so entries of other versions are never found.
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
  // ~/.cache/lockstep; LOCKSTEP_CACHE=0 switches it off; LOCKSTEP_CACHE_SIZE is its limit in MiB
  // (1024 by default).
  static DiskCache &of_process();

  // An empty directory: no cache, for the reason given.
  explicit DiskCache(std::filesystem::path directory, uint64_t size_limit = uint64_t{1} << 30,
                     std::string disabled_because = {});

  // `kind` is a word such as "program"; it becomes a part of the file name.
  std::optional<std::string> get(std::string_view kind, const CacheKey &key);
  void put(std::string_view kind, const CacheKey &key, std::string_view content);

  CacheStatistics statistics() const;
  Result<uint64_t> clear();

  // Removes the entries that were not used for the longest time until the size is four fifths of
  // the limit. put() calls it now and then.
  void trim();

private:
  struct Place;
  // The directory, checked. Opened for each use: what it was when the process began may be gone.
  Result<Descriptor> open(bool make) const;
  Result<Place> place_of(std::string_view kind, const CacheKey &key, bool make) const;

  std::filesystem::path directory_;
  uint64_t size_limit_;
  std::string disabled_because_;
  std::atomic<uint64_t> written_since_trim_ = 0;
};

} // namespace lockstep::compiler
