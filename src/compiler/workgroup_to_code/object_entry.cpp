#include "compiler/workgroup_to_code/object_entry.h"

#include "compiler/source_to_ir/byte_stream.h"

namespace lockstep::compiler {

std::string write_object_entry(const ObjectEntry &entry) {
  ByteWriter writer;
  writer.put(entry.stack_size);
  writer.put(entry.sub_group_size);
  writer.put(static_cast<uint64_t>(entry.remarks.size()));
  for (const std::string &remark : entry.remarks)
    writer.put(remark);
  writer.put(entry.object);
  return std::move(writer.bytes());
}

std::optional<ObjectEntry> read_object_entry(std::string_view content) {
  ByteReader reader(content);
  ObjectEntry entry;
  reader.get(entry.stack_size);
  reader.get(entry.sub_group_size);
  entry.remarks.resize(reader.get_count());
  for (std::string &remark : entry.remarks)
    reader.get(remark);
  reader.get(entry.object);
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  return entry;
}

} // namespace lockstep::compiler
