// Answers queries of an object from a table: one row per query, typed by the query's result.
#pragma once

#include "api/sycl/error.h"

#include "sycl/info.hpp"

#include <span>

namespace lockstep::sycl_api {

template <class Object> struct QueryRow {
  int number;
  void (*write)(const Object &object, void *to);
};

// query<sycl::info::device::name, Device>([](const Device &d) { return ...; })
template <class Query, class Object, auto Answer> constexpr QueryRow<Object> query_row() {
  return {Query::number, [](const Object &object, void *to) {
            using Type = typename Query::return_type;
            *static_cast<Type *>(to) = Type(Answer(object));
          }};
}

template <class Object>
void answer_query(std::span<const QueryRow<Object>> rows, const Object &object, int number,
                  void *to) {
  for (const QueryRow<Object> &row : rows)
    if (row.number == number)
      return row.write(object, to);
  raise(sycl::errc::invalid, "the object has no query of number " + std::to_string(number));
}

} // namespace lockstep::sycl_api
