#include "back_ends/cpu/object_entry.h"

#include "front_ends/common/byte_stream.h"

namespace lockstep::compiler {

static void write(ByteWriter &writer, const ResumableCode &code) {
  writer.put(code.frame_size);
  writer.put(code.frame_alignment);
  writer.put(code.is_of_group);
  writer.put(static_cast<uint64_t>(code.sites.size()));
  for (const SuspensionSite &site : code.sites) {
    writer.put(site.kind);
    writer.put(site.file);
    writer.put(site.line);
    writer.put(site.column);
    writer.put(site.is_pure);
    writer.put(site.others);
    writer.put(site.is_never_compared);
  }
  writer.put(static_cast<uint64_t>(code.accesses.size()));
  for (const SeenAccess &access : code.accesses) {
    writer.put(access.file);
    writer.put(access.line);
    writer.put(access.column);
  }
}

static void read(ByteReader &reader, ResumableCode &code) {
  reader.get(code.frame_size);
  reader.get(code.frame_alignment);
  reader.get(code.is_of_group);
  code.sites.resize(reader.get_count());
  for (SuspensionSite &site : code.sites) {
    reader.get(site.kind);
    reader.get(site.file);
    reader.get(site.line);
    reader.get(site.column);
    reader.get(site.is_pure);
    reader.get(site.others);
    reader.get(site.is_never_compared);
  }
  code.accesses.resize(reader.get_count());
  for (SeenAccess &access : code.accesses) {
    reader.get(access.file);
    reader.get(access.line);
    reader.get(access.column);
  }
}

std::string write_object_entry(const ObjectEntry &entry) {
  ByteWriter writer;
  writer.put(entry.stack_size);
  writer.put(entry.sub_group_size);
  for (uint32_t count : entry.groups_at_once)
    writer.put(count);
  for (uint32_t count : entry.calls_per_group)
    writer.put(count);
  writer.put(entry.first_dimension);
  writer.put(entry.local_memory_size);
  writer.put(static_cast<uint64_t>(entry.remarks.size()));
  for (const std::string &remark : entry.remarks)
    writer.put(remark);
  writer.put(static_cast<uint64_t>(entry.suppositions.size()));
  for (int64_t word : entry.suppositions)
    writer.put(word);
  writer.put(static_cast<uint64_t>(entry.worker_copies.size()));
  for (const WorkerCopy &copy : entry.worker_copies) {
    writer.put(copy.argument);
    writer.put(copy.operation);
    writer.put(copy.element_size);
  }
  writer.put(entry.pointer_members.only_read);
  writer.put(entry.pointer_members.written);
  writer.put(entry.pointer_members.writes_elsewhere);
  writer.put(entry.is_resumable);
  if (entry.is_resumable)
    write(writer, entry.resumable);
  writer.put(entry.object);
  return std::move(writer.bytes());
}

std::optional<ObjectEntry> read_object_entry(std::string_view content) {
  ByteReader reader(content);
  ObjectEntry entry;
  reader.get(entry.stack_size);
  reader.get(entry.sub_group_size);
  for (uint32_t &count : entry.groups_at_once)
    reader.get(count);
  for (uint32_t &count : entry.calls_per_group)
    reader.get(count);
  reader.get(entry.first_dimension);
  reader.get(entry.local_memory_size);
  entry.remarks.resize(reader.get_count());
  for (std::string &remark : entry.remarks)
    reader.get(remark);
  entry.suppositions.resize(reader.get_count());
  for (int64_t &word : entry.suppositions)
    reader.get(word);
  entry.worker_copies.resize(reader.get_count());
  for (WorkerCopy &copy : entry.worker_copies) {
    reader.get(copy.argument);
    reader.get(copy.operation);
    reader.get(copy.element_size);
  }
  reader.get(entry.pointer_members.only_read);
  reader.get(entry.pointer_members.written);
  reader.get(entry.pointer_members.writes_elsewhere);
  reader.get(entry.is_resumable);
  if (entry.is_resumable)
    read(reader, entry.resumable);
  reader.get(entry.object);
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  return entry;
}

} // namespace lockstep::compiler
