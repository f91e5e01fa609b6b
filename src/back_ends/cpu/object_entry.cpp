#include "back_ends/cpu/object_entry.h"

namespace lockstep::compiler {

static void visit_fields(auto &visit, FieldsOf<ObjectEntry> auto &entry) {
  visit(entry.facts, entry.object);
}

std::string write_object_entry(const ObjectEntry &entry) {
  return bytes_of_fields(entry);
}

std::optional<ObjectEntry> read_object_entry(std::string_view content) {
  ByteReader reader(content);
  ObjectEntry entry;
  get_fields(reader, entry);
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  return entry;
}

} // namespace lockstep::compiler
