// Implements info queries as tables: one row for each query, one reader for all clGet*Info.
//
//   constexpr InfoRow<_cl_context> context_info[] = {
//       row<_cl_context>(CL_CONTEXT_REFERENCE_COUNT,
//                        [](auto &context) -> cl_uint { return context.references; }),
//       row<_cl_context>(CL_CONTEXT_PROPERTIES,
//                        [](auto &context) -> const auto & { return context.properties; }),
//   };
//   ...
//   return read_info(api, context_info, *context,
//                    {param_name, param_value_size, param_value, param_value_size_ret},
//                    "section 4.4");
//
// The function of a row returns the value. A scalar, struct or handle is copied as it is. Text gets
// its terminating null character. A std::vector or std::array contributes its elements. A row that
// can fail takes an `InfoAnswer &` as second argument and calls put() or fail(). The subject is the
// object of the query; several handles are combined in a struct.
#pragma once

#include "api/opencl/error.h"

#include <CL/cl.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep::opencl {

// The last four arguments of each clGet*Info.
struct InfoRequest {
  cl_uint name;
  std::size_t size;
  void *value;
  std::size_t *size_ret;
};

// Writes the value of one query to the program's memory.
class InfoAnswer {
public:
  explicit InfoAnswer(const InfoRequest &request) : request_(request) {}

  template <class T>
    requires std::is_trivially_copyable_v<T> && (!std::convertible_to<const T &, std::string_view>)
  void put(const T &value) {
    bytes(&value, sizeof value);
  }
  void put(const char *text) { bytes(text, std::strlen(text) + 1); }
  void put(const std::string &text) { bytes(text.c_str(), text.size() + 1); }
  template <class T> void put(const std::vector<T> &elements) {
    bytes(elements.data(), elements.size() * sizeof(T));
  }
  template <class T> void put(std::span<T> elements) {
    bytes(elements.data(), elements.size_bytes());
  }

  // Reports that the query has no value for this subject.
  void fail(Failure failure) { failure_ = std::move(failure); }
  const Failure &failure() const { return failure_; }

private:
  void bytes(const void *data, std::size_t size) {
    if (request_.value && request_.size < size) {
      failure_ = opencl::failure(
          CL_INVALID_VALUE, "param_value_size is {}, but the value of query {:#x} has {} bytes",
          request_.size, request_.name, size);
      return;
    }
    if (request_.value && size)
      std::memcpy(request_.value, data, size);
    if (request_.size_ret)
      *request_.size_ret = size;
  }

  InfoRequest request_;
  Failure failure_;
};

template <class Subject> struct InfoRow {
  cl_uint name;
  void (*read)(const Subject &, InfoAnswer &);
};

template <class Subject, class Read> constexpr InfoRow<Subject> row(cl_uint name, Read) {
  return {name, [](const Subject &subject, InfoAnswer &answer) {
            if constexpr (std::invocable<Read, const Subject &, InfoAnswer &>)
              Read{}(subject, answer);
            else
              answer.put(Read{}(subject));
          }};
}

// Answers the request from `tables`. Fails with CL_INVALID_VALUE if the name is unknown or the
// program's memory is too small.
template <class Subject>
cl_int read_info(EntryPoint &api, std::span<const std::span<const InfoRow<Subject>>> tables,
                 const Subject &subject, const InfoRequest &request, const char *section) {
  for (std::span<const InfoRow<Subject>> rows : tables)
    for (const InfoRow<Subject> &row : rows) {
      if (row.name != request.name)
        continue;
      InfoAnswer answer(request);
      row.read(subject, answer);
      if (answer.failure())
        return api.fail(answer.failure().code, "{} ({})", answer.failure().sentence, section);
      return api.success();
    }
  return api.fail(CL_INVALID_VALUE,
                  "param_name {:#x} is not a query of this device and version ({})", request.name,
                  section);
}

// Overload for a single table.
template <class Subject, std::size_t count>
cl_int read_info(EntryPoint &api, const InfoRow<Subject> (&rows)[count], const Subject &subject,
                 const InfoRequest &request, const char *section) {
  const std::span<const InfoRow<Subject>> tables[] = {rows};
  return read_info<Subject>(api, std::span<const std::span<const InfoRow<Subject>>>(tables),
                            subject, request, section);
}

} // namespace lockstep::opencl
