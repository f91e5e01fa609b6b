// Tests one entry point: a call with valid arguments succeeds, and a call with one invalid argument
// returns the error code that the specification requires. The parameter's type selects the invalid
// values: handles of other kinds, unknown query names and flags, a list without its length, and the
// reverse. The row calls the library directly, so that null handles reach it.
#pragma once

#include "../programs/extension_functions.h"

#include <CL/cl_icd.h>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>
#include <type_traits>

namespace lockstep::test {

// The error code for an invalid handle of type T; 0 if T is not a handle.
template <class T> constexpr cl_int wrong_handle = 0;
template <> inline constexpr cl_int wrong_handle<cl_platform_id> = CL_INVALID_PLATFORM;
template <> inline constexpr cl_int wrong_handle<cl_device_id> = CL_INVALID_DEVICE;
template <> inline constexpr cl_int wrong_handle<cl_context> = CL_INVALID_CONTEXT;
template <> inline constexpr cl_int wrong_handle<cl_command_queue> = CL_INVALID_COMMAND_QUEUE;
template <> inline constexpr cl_int wrong_handle<cl_mem> = CL_INVALID_MEM_OBJECT;
template <> inline constexpr cl_int wrong_handle<cl_program> = CL_INVALID_PROGRAM;
template <> inline constexpr cl_int wrong_handle<cl_kernel> = CL_INVALID_KERNEL;
template <> inline constexpr cl_int wrong_handle<cl_event> = CL_INVALID_EVENT;
template <> inline constexpr cl_int wrong_handle<cl_sampler> = CL_INVALID_SAMPLER;
template <>
inline constexpr cl_int wrong_handle<cl_command_buffer_khr> = CL_INVALID_COMMAND_BUFFER_KHR;
template <>
inline constexpr cl_int wrong_handle<cl_mutable_command_khr> = CL_INVALID_MUTABLE_COMMAND_KHR;
template <> inline constexpr cl_int wrong_handle<cl_semaphore_khr> = CL_INVALID_SEMAPHORE_KHR;

// The element type of a list of handles; void for other types.
template <class T> struct ListOf {
  using type = void;
};
template <class T> struct ListOf<const T *> {
  using type = std::conditional_t<(wrong_handle<T> != 0), T, void>;
};

// How an entry point differs from the default. Parameters are given by their index.
struct How {
  bool call = true;                  // call with the valid arguments, which succeeds
  bool vary = true;                  // call with random invalid arguments, too
  bool sizes_are_believed = false;   // the library cannot know the size of host memory
  std::vector<size_t> nullable = {}; // handles, also in lists, that may be null
  std::vector<size_t> left_alone = {};
  std::vector<size_t> flags = {};
  cl_int empty_list = CL_INVALID_VALUE; // for a list of handles without its length, and the reverse
  cl_int unknown_name = CL_INVALID_VALUE;
  cl_int unknown_flags = CL_INVALID_VALUE;

  bool may_be_null(size_t parameter) const { return has(nullable, parameter); }
  bool is_flags(size_t parameter) const { return has(flags, parameter); }
  bool leaves(size_t parameter) const { return has(left_alone, parameter); }

private:
  static bool has(const std::vector<size_t> &list, size_t parameter) {
    return std::find(list.begin(), list.end(), parameter) != list.end();
  }
};

// Returns the library's own function. The loader's wrapper would dereference invalid handles.
inline void *library_function(const char *name) {
  cl_platform_id platform = find_platform();
  const auto *table = *reinterpret_cast<const cl_icd_dispatch *const *>(platform);
  return table->clGetExtensionFunctionAddressForPlatform(platform, name);
}

class Handles {
public:
  template <class T> void add(T handle) {
    all_.push_back({reinterpret_cast<void *>(handle), wrong_handle<T>});
  }
  // Returns null, a pointer that is not a handle, and handles of other kinds.
  template <class T> std::vector<T> wrong(bool null_too) const {
    std::vector<T> wrong = {reinterpret_cast<T>(const_cast<char *>(nothing_))};
    if (null_too)
      wrong.push_back(nullptr);
    for (const auto &[handle, code] : all_)
      if (code != wrong_handle<T>)
        wrong.push_back(reinterpret_cast<T>(handle));
    return wrong;
  }
  template <class T> T any(std::mt19937 &random) const {
    return reinterpret_cast<T>(all_[random() % all_.size()].handle);
  }

private:
  struct Handle {
    void *handle;
    cl_int code;
  };
  std::vector<Handle> all_;
  alignas(16) char nothing_[256] = {};
};

template <class Function> class Row;

template <class R, class... Parameters> class Row<R(CL_API_CALL *)(Parameters...)> {
public:
  using Function = R(CL_API_CALL *)(Parameters...);
  using Arguments = std::tuple<Parameters...>;
  static constexpr size_t count = sizeof...(Parameters);
  template <size_t I> using Type = std::tuple_element_t<I, Arguments>;

  Row(const char *name, const How &how, const Handles &handles, Arguments right)
      : name_(name), how_(how), handles_(handles), right_(right),
        function_(reinterpret_cast<Function>(library_function(name))) {}

  void run() {
    SCOPED_TRACE(name_);
    ASSERT_NE(function_, nullptr);
    if (how_.call)
      EXPECT_EQ(call(right_), CL_SUCCESS);
    each_parameter(std::make_index_sequence<count>());
    if constexpr (count > 0)
      if (how_.call && how_.vary)
        vary();
  }

private:
  // Returns the error code: the function's result or the value of errcode_ret.
  cl_int call(Arguments arguments) {
    [[maybe_unused]] cl_int code = 1;
    bool has_code = true;
    if constexpr (std::is_pointer_v<R> && count > 0) {
      if constexpr (std::is_same_v<Type<count - 1>, cl_int *>) {
        auto &where = std::get<count - 1>(arguments);
        has_code = where != nullptr;
        if (has_code)
          where = &code;
      } else {
        has_code = false;
      }
    }
    if constexpr (std::is_same_v<R, cl_int>) {
      code = std::apply(function_, arguments);
    } else if constexpr (std::is_void_v<R>) {
      std::apply(function_, arguments);
      code = CL_SUCCESS;
    } else {
      R made = std::apply(function_, arguments);
      if (has_code)
        EXPECT_EQ(made != nullptr, code == CL_SUCCESS) << code;
      else
        code = made ? CL_SUCCESS : unknown_failure;
      release(made);
    }
    EXPECT_LE(code, 0);
    release_outputs(arguments, std::make_index_sequence<count>(), code);
    return code;
  }

  static constexpr cl_int unknown_failure = -9999; // for functions that return no code
  void expect(cl_int wanted, const Arguments &arguments, size_t parameter, const char *what) {
    const cl_int code = call(arguments);
    if (std::is_void_v<R> || code == unknown_failure)
      return;
    EXPECT_EQ(code, wanted) << "parameter " << parameter << ": " << what;
  }

  template <size_t... I> void each_parameter(std::index_sequence<I...>) { (one_wrong<I>(), ...); }

  template <size_t I> void one_wrong() {
    using T = Type<I>;
    if (how_.leaves(I))
      return;
    if constexpr (wrong_handle<T> != 0)
      for (T handle : handles_.template wrong<T>(!how_.may_be_null(I)))
        expect(wrong_handle<T>, with<I>(handle), I, handle ? "no such handle" : "null");
    if constexpr (I + 1 < count && std::is_same_v<T, cl_uint>) {
      using Element = typename ListOf<Type<I + 1>>::type;
      if constexpr (!std::is_void_v<Element>)
        wrong_list<I, Element>();
    }
    if constexpr (I + 4 == count && std::is_same_v<T, cl_uint> && is_query_tail())
      wrong_query<I>();
    if constexpr (std::is_same_v<T, cl_bitfield>)
      if (how_.is_flags(I))
        expect(how_.unknown_flags, with<I>(cl_ulong{1} << 45), I, "flags that nobody knows");
  }

  static constexpr bool is_query_tail() {
    if constexpr (count < 4)
      return false;
    else
      return std::is_same_v<Type<count - 3>, size_t> && std::is_same_v<Type<count - 2>, void *> &&
             std::is_same_v<Type<count - 1>, size_t *>;
  }

  template <size_t I> void wrong_query() {
    if (!how_.call)
      return;
    expect(how_.unknown_name, with<I>(cl_uint{0xDEAD}), I, "no query");
    expect(CL_INVALID_VALUE, with<I + 1>(size_t{0}), I + 1, "no room");
    EXPECT_EQ(call(with<I + 2>(nullptr)), CL_SUCCESS) << "value may be null";
    EXPECT_EQ(call(with<I + 3>(nullptr)), CL_SUCCESS) << "size may be null";
  }

  template <size_t I, class Element> void wrong_list() {
    constexpr bool waits = std::is_same_v<Element, cl_event> && I + 2 < count;
    const cl_int empty = waits ? CL_INVALID_EVENT_WAIT_LIST : how_.empty_list;
    Arguments arguments = right_;
    std::get<I>(arguments) = 1;
    std::get<I + 1>(arguments) = nullptr;
    expect(empty, arguments, I + 1, "a length without a list");
    for (Element handle : handles_.template wrong<Element>(!how_.may_be_null(I + 1))) {
      std::get<I + 1>(arguments) = &handle;
      expect(waits ? CL_INVALID_EVENT_WAIT_LIST : wrong_handle<Element>, arguments, I + 1,
             "no such handle in the list");
      std::get<I>(arguments) = 0;
      expect(empty, arguments, I, "a list without a length");
      std::get<I>(arguments) = 1;
    }
  }

  template <size_t I> Arguments with(Type<I> value) {
    Arguments arguments = right_;
    std::get<I>(arguments) = value;
    return arguments;
  }

  // Calls with random invalid arguments. The call may fail or succeed, but it must return.
  void vary() {
    std::mt19937 random(std::hash<std::string>()(name_));
    for (int round = 0; round < 60; ++round) {
      Arguments arguments = right_;
      for (unsigned more = 1 + random() % 3; more--;)
        vary_one(arguments, random() % count, random, std::make_index_sequence<count>());
      call(arguments);
    }
  }
  template <size_t... I>
  void vary_one(Arguments &arguments, size_t parameter, std::mt19937 &random,
                std::index_sequence<I...>) {
    ((I == parameter && !how_.leaves(I) ? vary_value<I>(arguments, random) : void()), ...);
  }

  template <size_t I> void vary_value(Arguments &arguments, std::mt19937 &random) {
    using T = Type<I>;
    T &value = std::get<I>(arguments);
    if constexpr (wrong_handle<T> != 0) {
      value = random() % 4 ? handles_.template any<T>(random) : nullptr;
    } else if constexpr (std::is_pointer_v<T>) {
      value = nullptr;
    } else if constexpr (std::is_same_v<T, size_t>) {
      if (!how_.sizes_are_believed)
        value = std::array<size_t, 5>{0, 1, 3, ~size_t{0}, size_t{1} << 63}[random() % 5];
    } else if constexpr (is_length<I>()) {
      value = 0;
    } else {
      value = T(std::array<cl_ulong, 6>{0, 1, 7, 0x1100, ~cl_ulong{0}, 0x80000000}[random() % 6]);
    }
  }

  // True if parameter I is the length of the list that follows it.
  template <size_t I> static constexpr bool is_length() {
    if constexpr (I + 1 < count)
      return std::is_same_v<Type<I>, cl_uint> && std::is_pointer_v<Type<I + 1>> &&
             std::is_const_v<std::remove_pointer_t<Type<I + 1>>>;
    else
      return false;
  }

  template <class T> static void release(T made) {
    if (!made)
      return;
    if constexpr (std::is_same_v<T, cl_context>)
      clReleaseContext(made);
    else if constexpr (std::is_same_v<T, cl_command_queue>)
      clReleaseCommandQueue(made);
    else if constexpr (std::is_same_v<T, cl_mem>)
      clReleaseMemObject(made);
    else if constexpr (std::is_same_v<T, cl_program>)
      clReleaseProgram(made);
    else if constexpr (std::is_same_v<T, cl_kernel>)
      clReleaseKernel(made);
    else if constexpr (std::is_same_v<T, cl_event>)
      clReleaseEvent(made);
    else if constexpr (std::is_same_v<T, cl_sampler>)
      clReleaseSampler(made);
    else if constexpr (std::is_same_v<T, cl_command_buffer_khr>)
      function<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR")(made);
    else if constexpr (std::is_same_v<T, cl_semaphore_khr>)
      function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR")(made);
  }

  // Releases the events that the call returned; a failed call must return none.
  template <size_t... I>
  void release_outputs(Arguments &arguments, std::index_sequence<I...>, cl_int code) {
    auto one = [&](auto out) {
      if constexpr (std::is_same_v<decltype(out), cl_event *>)
        if (out) {
          EXPECT_EQ(*out != nullptr, code == CL_SUCCESS) << code;
          release(*out);
          *out = nullptr;
        }
    };
    (one(std::get<I>(arguments)), ...);
  }

  const char *name_;
  How how_;
  const Handles &handles_;
  Arguments right_;
  Function function_;
};

} // namespace lockstep::test
