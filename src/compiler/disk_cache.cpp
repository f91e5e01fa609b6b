#include "compiler/disk_cache.h"

#include "compiler/compile.h"
#include "compiler/installed_toolchain.h"
#include "support/environment.h"

#include "support/leaked.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lockstep::compiler {
namespace fs = std::filesystem;
namespace {

// An entry: magic, checksum of the content, content.
constexpr std::string_view entry_magic = "LSCACHE1";
using Checksum = llvm::BLAKE3Result<16>;
constexpr size_t entry_header_size = entry_magic.size() + std::tuple_size_v<Checksum>;
constexpr std::string_view temporary_prefix = "writing-";

Checksum checksum_of(std::string_view content) {
  return llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(content));
}

class File {
public:
  File(const fs::path &path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() { close(); }
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool close() {
    int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  std::optional<std::string> read_all() {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    std::string bytes(static_cast<size_t>(status.st_size), '\0');
    size_t filled = 0;
    while (filled < bytes.size()) {
      ssize_t got = ::read(descriptor_, bytes.data() + filled, bytes.size() - filled);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return std::nullopt;
      filled += static_cast<size_t>(got);
    }
    return bytes;
  }

private:
  int descriptor_;
};

struct Entry {
  fs::path path;
  uint64_t size;
  fs::file_time_type last_use;
};

bool is_temporary(const fs::path &path) {
  return path.filename().string().starts_with(temporary_prefix);
}

// All entries; others may add and remove files meanwhile, so no error is an error.
std::vector<Entry> list_entries(const fs::path &directory, bool temporaries) {
  std::vector<Entry> entries;
  std::error_code error;
  fs::recursive_directory_iterator iterator(directory,
                                            fs::directory_options::skip_permission_denied, error),
      end;
  for (; !error && iterator != end; iterator.increment(error)) {
    std::error_code ignored;
    if (!iterator->is_regular_file(ignored) || is_temporary(iterator->path()) != temporaries)
      continue;
    uint64_t size = iterator->file_size(ignored);
    if (ignored)
      continue;
    auto last_use = iterator->last_write_time(ignored);
    if (!ignored)
      entries.push_back({iterator->path(), size, last_use});
  }
  return entries;
}

fs::path directory_of_environment() {
  if (auto directory = environment("CACHE_DIR"))
    return fs::absolute(*directory);
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && fs::path(xdg).is_absolute())
    return fs::path(xdg) / "lockstep";
  if (const char *home = std::getenv("HOME"); home && fs::path(home).is_absolute())
    return fs::path(home) / ".cache" / "lockstep";
  return {};
}

} // namespace

std::string CacheKey::hex() const {
  std::string text;
  for (uint8_t byte : digest)
    text += fmt::format("{:02x}", byte);
  return text;
}

struct CacheKeyBuilder::State {
  llvm::BLAKE3 hasher;
};

CacheKeyBuilder::CacheKeyBuilder() : state_(new State) {
  add(installed_toolchain()).add(launch_abi_version);
}
CacheKeyBuilder::~CacheKeyBuilder() {
  delete state_;
}

CacheKeyBuilder &CacheKeyBuilder::add(std::string_view part) {
  add(static_cast<uint64_t>(part.size()));
  state_->hasher.update(part);
  return *this;
}

CacheKeyBuilder &CacheKeyBuilder::add(uint64_t number) {
  state_->hasher.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&number), sizeof number));
  return *this;
}

CacheKey CacheKeyBuilder::key() const {
  return {state_->hasher.result<32>()};
}

DiskCache &DiskCache::of_process() {
  return leaked([] {
    constexpr long long default_mebibytes = 1024;
    long long mebibytes =
        std::max(environment_number("CACHE_SIZE").value_or(default_mebibytes), 1LL);
    if (environment("CACHE") == "0")
      return DiskCache({}, 0, "switched off by LOCKSTEP_CACHE=0");
    fs::path directory = directory_of_environment();
    return DiskCache(
        directory, static_cast<uint64_t>(mebibytes) << 20,
        directory.empty() ? "none of LOCKSTEP_CACHE_DIR, XDG_CACHE_HOME and HOME says where" : "");
  });
}

DiskCache::DiskCache(fs::path directory, uint64_t size_limit, std::string disabled_because)
    : directory_(std::move(directory)), size_limit_(size_limit),
      disabled_because_(std::move(disabled_because)) {}

fs::path DiskCache::path_of(std::string_view kind, const CacheKey &key) const {
  std::string name = key.hex();
  return directory_ / name.substr(0, 2) / fmt::format("{}-{}", name.substr(2), kind);
}

std::optional<std::string> DiskCache::get(std::string_view kind, const CacheKey &key) {
  if (directory_.empty())
    return std::nullopt;
  fs::path path = path_of(kind, key);
  File file(path, O_RDONLY);
  if (!file)
    return std::nullopt;
  auto bytes = file.read_all();
  if (bytes && bytes->size() >= entry_header_size && bytes->starts_with(entry_magic)) {
    std::string_view content = std::string_view(*bytes).substr(entry_header_size);
    Checksum checksum = checksum_of(content);
    if (std::memcmp(bytes->data() + entry_magic.size(), checksum.data(), checksum.size()) == 0) {
      ::futimens(file.descriptor(),
                 nullptr); // used now; a read-only directory may refuse, which only costs order
      bytes->erase(0, entry_header_size);
      return bytes;
    }
  }
  ::unlink(path.c_str()); // damaged: make room for a good one
  return std::nullopt;
}

bool DiskCache::make_directories(const fs::path &directory) {
  if (directory.empty() || ::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST)
    return true;
  return errno == ENOENT && directory.has_parent_path() &&
         make_directories(directory.parent_path()) &&
         (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST);
}

bool DiskCache::write_entry(const fs::path &path, std::string_view content) {
  static constinit std::atomic<uint64_t> counter = 0;
  fs::path temporary =
      path.parent_path() / fmt::format("{}{}-{}", temporary_prefix, ::getpid(), counter++);
  File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file)
    return false;
  Checksum checksum = checksum_of(content);
  std::string header(entry_magic);
  header.append(reinterpret_cast<const char *>(checksum.data()), checksum.size());
  bool written = file.write_all(header) && file.write_all(content) && file.close() &&
                 ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written)
    ::unlink(temporary.c_str());
  return written;
}

void DiskCache::put(std::string_view kind, const CacheKey &key, std::string_view content) {
  if (directory_.empty() || content.size() > size_limit_ / 4)
    return;
  fs::path path = path_of(kind, key);
  if (!make_directories(path.parent_path()) || !write_entry(path, content))
    return; // read-only or full: the caller has the content anyway
  // Looking at the whole directory takes milliseconds when it is large, so not every entry pays for
  // it: about one in 32 (which also serves processes that write a single entry), and whenever this
  // process alone wrote a good part.
  uint64_t written = written_since_trim_ += content.size();
  if (key.digest.back() % 32 == 0 || written > size_limit_ / 16)
    trim();
}

void DiskCache::trim() {
  written_since_trim_ = 0;
  if (directory_.empty())
    return;
  std::error_code ignored;
  auto now = fs::file_time_type::clock::now();
  for (const Entry &left_over :
       list_entries(directory_, true)) // of processes that died while writing
    if (now - left_over.last_use > std::chrono::hours(1))
      fs::remove(left_over.path, ignored);
  std::vector<Entry> entries = list_entries(directory_, false);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.size;
  if (total <= size_limit_)
    return;
  std::ranges::sort(entries, {}, &Entry::last_use);
  for (const Entry &entry : entries) {
    if (total <= size_limit_ / 5 * 4)
      break;
    fs::remove(entry.path, ignored);
    total -= entry.size;
  }
}

CacheStatistics DiskCache::statistics() const {
  CacheStatistics result;
  result.directory = directory_.string();
  result.problem = disabled_because_;
  if (!directory_.empty()) {
    for (const Entry &entry : list_entries(directory_, false)) {
      ++result.entries;
      result.bytes += entry.size;
    }
    // Whether it can be created is known only when it is.
    std::error_code ignored;
    if (!make_directories(directory_))
      result.problem =
          fmt::format("{} cannot be created: {}", directory_.string(), std::strerror(errno));
    else if (!fs::is_directory(directory_, ignored))
      result.problem = fmt::format("{} is no directory", directory_.string());
    else if (::access(directory_.c_str(), W_OK | X_OK) != 0)
      result.problem =
          fmt::format("{} cannot be written: {}", directory_.string(), std::strerror(errno));
  }
  result.enabled = result.problem.empty();
  return result;
}

Result<uint64_t> DiskCache::clear() {
  uint64_t removed = 0;
  for (const Entry &entry : list_entries(directory_, false)) {
    std::error_code error;
    if (fs::remove(entry.path, error))
      ++removed;
    else if (error)
      return Error{ErrorKind::io_failure, fmt::format("the cache entry {} cannot be removed: {}",
                                                      entry.path.string(), error.message())};
  }
  return removed;
}

CacheStatistics cache_statistics() {
  return DiskCache::of_process().statistics();
}
Result<uint64_t> clear_cache() {
  return DiskCache::of_process().clear();
}

} // namespace lockstep::compiler
