#include "runtime/check/report/call_site.h"

#include "platform/linux/leaked.h"
#include "symbolizer/host_code_location.h"

#include <cstdint>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>

namespace lockstep::runtime {

namespace {

// The functions of Python's stable interface that name the line of a program. They are looked up
// in the process: the library does not link Python.
struct Python {
  using Object = void;
  int (*holds_lock)() = nullptr; // PyGILState_Check
  Object *(*frame)() = nullptr;  // borrowed
  Object *(*caller)(Object *) = nullptr;
  Object *(*code)(Object *) = nullptr;
  int (*line)(Object *) = nullptr;
  Object *(*attribute)(Object *, const char *) = nullptr;
  const char *(*text)(Object *) = nullptr;
  void (*release)(Object *) = nullptr;
  void (*hold)(Object *) = nullptr;
  void (*clear_error)() = nullptr;

  bool is_there() const {
    return holds_lock && frame && caller && code && line && attribute && text && release && hold &&
           clear_error;
  }
  static const Python &instance() {
    return leaked([] {
      auto *made = new Python;
      Python &found = *made;
      auto find = [](auto &function, const char *name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            dlsym(RTLD_DEFAULT, name));
      };
      find(found.holds_lock, "PyGILState_Check");
      find(found.frame, "PyEval_GetFrame");
      find(found.caller, "PyFrame_GetBack");
      find(found.code, "PyFrame_GetCode");
      find(found.line, "PyFrame_GetLineNumber");
      find(found.attribute, "PyObject_GetAttrString");
      find(found.text, "PyUnicode_AsUTF8");
      find(found.release, "Py_DecRef");
      find(found.hold, "Py_IncRef");
      find(found.clear_error, "PyErr_Clear");
      return made;
    });
  }
  std::string file_of(Object *of_frame) const {
    std::string name;
    if (Object *of = code(of_frame)) {
      if (Object *file = attribute(of, "co_filename")) {
        if (const char *known = text(file))
          name = known;
        release(file);
      } else {
        clear_error();
      }
      release(of);
    }
    return name;
  }
};

bool is_of_package(std::string_view file) {
  return file.empty() || file.front() == '<' || file.find("-packages/") != file.npos;
}

std::string line_of_python() {
  const Python &python = Python::instance();
  if (!python.is_there() || !python.holds_lock())
    return {};
  void *frame = python.frame();
  if (!frame)
    return {};
  python.hold(frame);
  std::string place;
  while (frame && place.empty()) {
    const std::string file = python.file_of(frame);
    if (!is_of_package(file))
      place = fmt::format("{}:{}", file, python.line(frame));
    void *next = python.caller(frame);
    python.release(frame);
    frame = next;
  }
  if (frame)
    python.release(frame);
  return place;
}

bool is_of_library(const Dl_info &module) {
  const std::string_view name = module.dli_fname ? module.dli_fname : "";
  const std::string_view file = name.substr(name.rfind('/') + 1);
  for (std::string_view known : {"liblockstep", "libOpenCL.so", "libstdc++.so", "libc.so"})
    if (file.starts_with(known))
      return true;
  // The tool, and Python in a thread that has released the interpreter's lock.
  if (file == "lockstep" || file.starts_with("python3") || file.starts_with("libpython") ||
      file.find(".cpython-") != file.npos)
    return true;
  Dl_info own{};
  return dladdr(reinterpret_cast<const void *>(&is_of_package), &own) && // a static library
         own.dli_fbase == module.dli_fbase && file.starts_with("lockstep_");
}

// Functions of the C++ bindings and of SYCL's headers, which the program has compiled.
bool is_of_api(std::string_view function) {
  return function.starts_with("sycl::") || function.starts_with("std::") ||
         function.starts_with("cl::");
}

// Without parameters, and without the result that functions of templates are shown with.
std::string short_name(std::string function) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = function.find(unnamed)) != function.npos;)
    function.erase(at, unnamed.size());
  function = function.substr(0, function.find('('));
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i != function.size(); ++i) {
    depth += (function[i] == '<') - (function[i] == '>');
    if (function[i] == ' ' && depth == 0)
      begin = i + 1;
  }
  return function.substr(begin);
}

} // namespace

CallSite CallSite::here() {
  CallSite site;
  site.python_ = line_of_python();
  if (site.python_.empty())
    site.count_ = std::size_t(backtrace(site.frames_.data(), int(most_frames)));
  return site;
}

std::string CallSite::text() const {
  if (!python_.empty())
    return python_;
  std::string function;
  for (std::size_t i = 0; i != count_; ++i) {
    const void *call = static_cast<const std::byte *>(frames_[i]) - 1;
    Dl_info module{};
    if (dladdr(call, &module) == 0 || is_of_library(module))
      continue;
    for (const compiler::HostCodeLocation &each : compiler::inlined_at_host_code(call)) {
      const bool is_of_headers = each.file.find("include/lockstep/") != each.file.npos ||
                                 each.file.find("/include/c++/") != each.file.npos ||
                                 each.file.find("/CL/") != each.file.npos;
      if (each.line && !is_of_headers)
        return fmt::format("{}:{}:{}", each.file, each.line, each.column);
      if (function.empty() && each.line == 0 && !each.function.empty() && !is_of_api(each.function))
        function = short_name(each.function);
    }
  }
  return function.empty() ? "" : fmt::format("'{}'", function);
}

} // namespace lockstep::runtime
