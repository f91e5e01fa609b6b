#include "front_ends/common/source_cache.h"

#include "support/byte_stream.h"

#include "llvm/Support/MemoryBuffer.h"

namespace lockstep::compiler {

namespace {

std::optional<std::string> result_from(std::string_view bytes, std::string &log) {
  ByteReader reader(bytes);
  auto stored_log = reader.get<std::string>();
  auto result = reader.get<std::string>();
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  log += stored_log;
  return result;
}

// The file's current content; nothing if it cannot be read.
std::optional<IncludedFile> read_now(std::string path) {
  auto content = llvm::MemoryBuffer::getFile(path);
  if (!content)
    return std::nullopt;
  std::string digest = digest_of(std::string_view((*content)->getBuffer()));
  return IncludedFile{std::move(path), std::move(digest)};
}

} // namespace

std::string digest_of(std::string_view content) {
  return CacheKeyBuilder().add(content).key().hex();
}

std::optional<std::string> SourceCache::find(std::string &log) const {
  auto entry = DiskCache::of_process().get("source", key_);
  if (!entry)
    return std::nullopt;
  ByteReader reader(*entry);
  std::vector<std::string> paths(reader.get_count());
  for (std::string &path : paths)
    reader.get(path);
  if (reader.failed())
    return std::nullopt;
  if (paths.empty())
    return result_from(reader.rest(), log);
  std::vector<IncludedFile> files;
  for (std::string &path : paths) {
    auto file = read_now(std::move(path));
    if (!file)
      return std::nullopt;
    files.push_back(std::move(*file));
  }
  auto included = DiskCache::of_process().get("included", key_with(files));
  return included ? result_from(*included, log) : std::nullopt;
}

void SourceCache::store(const std::vector<IncludedFile> &included, std::string_view result,
                        std::string_view log) const {
  ByteWriter content;
  content.put(log);
  content.put(result);
  ByteWriter entry;
  entry.put(static_cast<uint64_t>(included.size()));
  for (const IncludedFile &file : included)
    entry.put(file.path);
  if (included.empty())
    entry.bytes() += content.bytes();
  else
    DiskCache::of_process().put("included", key_with(included), content.bytes());
  DiskCache::of_process().put("source", key_, entry.bytes());
}

CacheKey SourceCache::key_with(const std::vector<IncludedFile> &files) const {
  CacheKeyBuilder builder;
  builder.add(key_.hex());
  for (const IncludedFile &file : files)
    builder.add(file.path).add(file.digest);
  return builder.key();
}

} // namespace lockstep::compiler
