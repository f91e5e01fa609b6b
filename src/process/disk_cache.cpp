#include "process/disk_cache.h"

#include "abi/launch_abi.h"
#include "platform/linux/leaked.h"
#include "platform/linux/owned_folder.h"
#include "platform/linux/privileges.h"
#include "process/cache_statistics.h"
#include "process/installed_toolchain.h"
#include "support/environment.h"
#include "support/ranks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <dirent.h>
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
// The first folder_digits digits of the key are the name of an entry's folder, the rest that of its
// file.
constexpr size_t folder_digits = 2, rest_digits = 62;

Checksum checksum_of(std::string_view content) {
  return llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(content));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Nothing if a system call fails, which says nothing about the file: on a shared file system,
// another host may have replaced or removed it (ESTALE).
std::optional<std::string> read_all(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    ssize_t got = ::read(file, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return std::nullopt;
    filled += static_cast<size_t>(got);
  }
  return bytes;
}

// The content of an entry's bytes, if they are not damaged.
std::optional<std::string> content_of(std::string bytes) {
  if (bytes.size() < entry_header_size || !bytes.starts_with(entry_magic))
    return std::nullopt;
  const Checksum checksum = checksum_of(std::string_view(bytes).substr(entry_header_size));
  if (std::memcmp(bytes.data() + entry_magic.size(), checksum.data(), checksum.size()) != 0)
    return std::nullopt;
  bytes.erase(0, entry_header_size);
  return bytes;
}

// Marks an open entry as used, at most once in an hour: on a shared file system, each mark is a
// request to the server. If a read-only folder forbids it, only the order of eviction suffers.
void mark_as_used(int file) {
  struct stat status{};
  if (::fstat(file, &status) == 0 && ::time(nullptr) - status.st_mtim.tv_sec > 3600)
    ::futimens(file, nullptr);
}

bool write_entry(int folder, const std::string &name, std::string_view content) {
  static constinit std::atomic<uint64_t> counter = 0;
  // With the host's name: several hosts may share the folder.
  const std::string temporary =
      fmt::format("{}{}-{}-{}", temporary_prefix, host_name(), ::getpid(), counter++);
  Descriptor file(::openat(folder, temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    return false;
  Checksum checksum = checksum_of(content);
  std::string header(entry_magic);
  header.append(reinterpret_cast<const char *>(checksum.data()), checksum.size());
  bool written = write_all(file.get(), header) && write_all(file.get(), content) && file.close() &&
                 ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
  if (!written)
    ::unlinkat(folder, temporary.c_str(), 0);
  return written;
}

// ---- all entries

struct Entry {
  std::string name; // relative to the directory: "ab/<62 digits>-<kind>"
  uint64_t size;
  std::chrono::nanoseconds last_use; // since the epoch
};

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The cache neither counts nor removes other files in the directory.
bool is_entry(std::string_view name, bool temporary) {
  if (temporary)
    return name.starts_with(temporary_prefix);
  return name.size() > rest_digits && name[rest_digits] == '-' &&
         is_hexadecimal(name.substr(0, rest_digits));
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  // A separate descriptor, because reading moves its position.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = own < 0 ? nullptr : ::fdopendir(own);
  if (!directory) {
    Descriptor(own).close();
    return names;
  }
  while (const dirent *entry = ::readdir(directory))
    names.emplace_back(entry->d_name);
  ::closedir(directory);
  return names;
}

void add_entries(int folder, const std::string &prefix, bool temporaries,
                 std::vector<Entry> &entries) {
  for (const std::string &name : names_in(folder)) {
    struct stat status{};
    if (is_entry(name, temporaries) &&
        ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      entries.push_back({prefix + "/" + name, static_cast<uint64_t>(status.st_size),
                         std::chrono::seconds(status.st_mtim.tv_sec) +
                             std::chrono::nanoseconds(status.st_mtim.tv_nsec)});
  }
}

// Ignores all errors: other processes may add and remove files concurrently.
std::vector<Entry> list_entries(int directory, bool temporaries) {
  std::vector<Entry> entries;
  for (const std::string &name : names_in(directory))
    if (name.size() == folder_digits && is_hexadecimal(name))
      if (auto folder = open_owned_folder_in(directory, name))
        add_entries(folder->get(), name, temporaries, entries);
  return entries;
}

fs::path directory_of_environment() {
  if (auto directory = environment("CACHE_DIR"))
    return fs::absolute(*directory);
  if (auto xdg = system_variable("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute())
    return fs::path(*xdg) / "lockstep";
  if (auto home = system_variable("HOME"); home && fs::path(*home).is_absolute())
    return fs::path(*home) / ".cache" / "lockstep";
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

Result<Descriptor> DiskCache::open(bool make) const {
  if (std::string problem = privilege_problem(); !problem.empty())
    return Error{ErrorKind::io_failure, std::move(problem)};
  if (directory_.empty())
    return Error{ErrorKind::io_failure, disabled_because_};
  if (make)
    LOCKSTEP_TRY(make_owned_folder(directory_.string()));
  return open_owned_folder(directory_.string());
}

// Location of an entry, whether or not it exists.
struct DiskCache::Place {
  Descriptor folder;
  std::string name;
};

Result<DiskCache::Place> DiskCache::place_of(std::string_view kind, const CacheKey &key,
                                             bool make) const {
  auto directory = open(make);
  LOCKSTEP_TRY(directory);
  const std::string digits = key.hex();
  const std::string name = digits.substr(0, folder_digits);
  if (make)
    ::mkdirat(directory->get(), name.c_str(), 0700); // the next call checks whether it exists
  auto folder = open_owned_folder_in(directory->get(), name);
  LOCKSTEP_TRY(folder);
  return Place{std::move(*folder), fmt::format("{}-{}", digits.substr(folder_digits), kind)};
}

std::optional<std::string> DiskCache::get(std::string_view kind, const CacheKey &key) {
  auto place = place_of(kind, key, /*make=*/false);
  if (!place)
    return std::nullopt;
  // Non-blocking, because it may be a pipe.
  Descriptor file(::openat(place->folder.get(), place->name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno != ELOOP) // it does not exist, or there are no free descriptors
    return std::nullopt;
  struct stat status{};
  if (file && ::fstat(file.get(), &status) != 0)
    return std::nullopt;
  if (file && is_owned_file(file.get())) {
    auto bytes = read_all(file.get());
    if (!bytes)
      return std::nullopt;
    if (auto content = content_of(std::move(*bytes))) {
      mark_as_used(file.get());
      return content;
    }
  }
  // Damaged or not ours: makes room for a good entry.
  ::unlinkat(place->folder.get(), place->name.c_str(), 0);
  return std::nullopt;
}

void DiskCache::put(std::string_view kind, const CacheKey &key, std::string_view content) {
  if (content.size() > size_limit_ / 4)
    return;
  auto place = place_of(kind, key, /*make=*/true);
  if (!place || !write_entry(place->folder.get(), place->name, content))
    return; // off, read-only or full: the caller has the content in any case
  // Listing a large directory takes milliseconds, so not every entry pays for it. It is done for
  // about one entry in 32, which also covers processes that write a single entry. It is also done
  // whenever this process alone has written a sixteenth of the limit.
  uint64_t written = written_since_trim_ += content.size();
  if (key.digest.back() % 32 == 0 || written > size_limit_ / 16)
    trim();
}

void DiskCache::trim() {
  written_since_trim_ = 0;
  auto directory = open(/*make=*/false);
  if (!directory)
    return;
  auto remove = [&](const Entry &entry) { ::unlinkat(directory->get(), entry.name.c_str(), 0); };
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // Removes temporary files of processes that died while writing.
  for (const Entry &left_over : list_entries(directory->get(), true))
    if (now - left_over.last_use > std::chrono::hours(1))
      remove(left_over);
  std::vector<Entry> entries = list_entries(directory->get(), false);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.size;
  if (total <= size_limit_)
    return;
  std::ranges::sort(entries, {}, &Entry::last_use);
  for (const Entry &entry : entries) {
    if (total <= size_limit_ / 5 * 4)
      break;
    remove(entry);
    total -= entry.size;
  }
}

namespace {

// Writes a probe: only a write shows whether entries can be written.
std::string write_problem(int directory) {
  const std::string probe = fmt::format("{}{}-{}", temporary_prefix, host_name(), ::getpid());
  const Descriptor file(::openat(directory, probe.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file && errno != EEXIST)
    return fmt::format("cannot be written: {}", std::strerror(errno));
  ::unlinkat(directory, probe.c_str(), 0);
  return {};
}

// The problem of the first folder that cannot be read.
std::string folder_problem(int directory) {
  for (const std::string &name : names_in(directory))
    if (name.size() == folder_digits && is_hexadecimal(name))
      if (auto folder = open_owned_folder_in(directory, name); !folder)
        return folder.error().message;
  return {};
}

} // namespace

CacheStatistics DiskCache::statistics() const {
  CacheStatistics result;
  result.directory = directory_.string();
  if (auto directory = open(/*make=*/true); !directory) {
    result.problem = directory.error().message;
  } else {
    for (const Entry &entry : list_entries(directory->get(), false)) {
      ++result.entries;
      result.bytes += entry.size;
    }
    if (std::string problem = write_problem(directory->get()); !problem.empty())
      result.problem = result.directory + " " + problem;
    else if (std::string in = folder_problem(directory->get()); !in.empty())
      result.problem = fmt::format("in {}, {}", result.directory, in);
  }
  result.enabled = result.problem.empty();
  return result;
}

Result<uint64_t> DiskCache::clear() {
  if (std::error_code error; directory_.empty() || !fs::exists(directory_, error))
    return uint64_t{0};
  auto directory = open(/*make=*/false);
  LOCKSTEP_TRY(directory);
  uint64_t removed = 0;
  for (const Entry &entry : list_entries(directory->get(), false)) {
    if (::unlinkat(directory->get(), entry.name.c_str(), 0) == 0)
      ++removed;
    else if (errno != ENOENT)
      return Error{ErrorKind::io_failure,
                   fmt::format("the cache entry {}/{} cannot be removed: {}", directory_.string(),
                               entry.name, std::strerror(errno))};
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
