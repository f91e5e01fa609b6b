// Writes and reads the fields of structures, whose types say once which they are:
//
//     void visit_fields(auto &visit, FieldsOf<Point> auto &point) { visit(point.x, point.y); }
//
// A field is a number, an enumeration, a string, an array or vector of fields, or a structure that
// has visit_fields.
#pragma once

#include "support/byte_stream.h"

#include <array>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace lockstep::compiler {

// `Fields` is `Structure`, perhaps const.
template <class Fields, class Structure>
concept FieldsOf = std::same_as<std::remove_const_t<Fields>, Structure>;

template <class T> constexpr bool is_vector = false;
template <class T> constexpr bool is_vector<std::vector<T>> = true;
template <class T> constexpr bool is_array = false;
template <class T, std::size_t size> constexpr bool is_array<std::array<T, size>> = true;

class FieldWriter {
public:
  explicit FieldWriter(ByteWriter &writer) : writer_(writer) {}

  template <class... T> void operator()(const T &...fields) { (put(fields), ...); }

private:
  template <class T> void put(const T &field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string>) {
      writer_.put(field);
    } else if constexpr (is_array<T> || is_vector<T>) {
      if constexpr (is_vector<T>)
        writer_.put(uint64_t(field.size()));
      for (const auto &element : field)
        put(element);
    } else {
      visit_fields(*this, field);
    }
  }

  ByteWriter &writer_;
};

// Damaged input sets ByteReader::failed().
class FieldReader {
public:
  explicit FieldReader(ByteReader &reader) : reader_(reader) {}

  template <class... T> void operator()(T &...fields) { (get(fields), ...); }

private:
  template <class T> void get(T &field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string>) {
      reader_.get(field);
    } else if constexpr (is_array<T> || is_vector<T>) {
      if constexpr (is_vector<T>)
        field.resize(reader_.get_count());
      for (auto &element : field)
        get(element);
    } else {
      visit_fields(*this, field);
    }
  }

  ByteReader &reader_;
};

template <class T> void put_fields(ByteWriter &writer, const T &value) {
  FieldWriter visit(writer);
  visit(value);
}

template <class T> void get_fields(ByteReader &reader, T &value) {
  FieldReader visit(reader);
  visit(value);
}

template <class T> std::string bytes_of_fields(const T &value) {
  ByteWriter writer;
  put_fields(writer, value);
  return std::move(writer.bytes());
}

} // namespace lockstep::compiler
