// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// program (SYCL 1.2.1, section 4.8.2), for <CL/sycl.hpp>: kernels that are compiled before they are
// launched. SYCL 2020 replaces it with kernel_bundle.
#pragma once

#include "sycl/backend_interop.hpp"
#include "sycl/detail/exception_classes.hpp"
#include "sycl/kernel_bundle.hpp"

namespace sycl {

enum class program_state { none, compiled, linked };

namespace info::program {
struct context {
  using return_type = sycl::context;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
} // namespace info::program

namespace detail {

class program {
public:
  explicit program(const context &in, const property_list &properties = {})
      : program(in, in.get_devices(), properties) {}
  program(const context &in, std::vector<device> devices, const property_list & = {})
      : shared_(std::make_shared<contents>(in, std::move(devices))) {}
  // All parts are compiled already; linking combines their bundles into one.
  program(const std::vector<program> &parts, const std::string &link_options = "",
          const property_list &properties = {})
      : program(first_of(parts).get_context(), first_of(parts).get_devices(), properties) {
    for (const program &one : parts) {
      one.check_state(program_state::compiled);
      for (const bundle &part : one.shared_->bundles)
        shared_->bundles.push_back(part);
    }
    shared_->reached = program_state::compiled;
    link(link_options);
  }
  program(const context &in, _cl_program *of) : program(in) {
    shared_->bundles.push_back(
        make_kernel_bundle<backend::opencl, bundle_state::executable>(of, in));
    shared_->reached = program_state::linked;
  }
  _cl_program *get() const {
    for (const bundle &one : shared_->bundles)
      for (_cl_program *part : get_native<backend::opencl>(one))
        return part;
    raise(errc::invalid, "nothing was compiled for the program yet");
  }
  bool is_host() const { return false; }

  template <class Name> void compile_with_kernel_type(const std::string &options = "") {
    add(program_state::compiled, options, of_kernel<Name>());
  }
  void compile_with_source(const std::string &source, const std::string &options = "") {
    add(program_state::compiled, options, of_source(source, options));
  }
  template <class Name> void build_with_kernel_type(const std::string &options = "") {
    add(program_state::linked, options, of_kernel<Name>());
  }
  void build_with_source(const std::string &source, const std::string &options = "") {
    add(program_state::linked, options, of_source(source, options));
  }
  void link(const std::string &options = "") {
    check_state(program_state::compiled);
    shared_->reached = program_state::linked;
    shared_->link_options = shared_->build_options = options;
  }

  template <class Name> bool has_kernel() const {
    for (const bundle &one : shared_->bundles)
      if (one.has_kernel<Name>())
        return true;
    return false;
  }
  bool has_kernel(const std::string &name) const {
    for (const bundle &one : shared_->bundles)
      if (one.ext_oneapi_has_kernel(name))
        return true;
    return false;
  }
  template <class Name> kernel get_kernel() const {
    check_state(program_state::linked);
    for (const bundle &one : shared_->bundles)
      if (one.has_kernel<Name>())
        return one.get_kernel<Name>();
    refuse<invalid_object_error>("the program has no such kernel");
  }
  kernel get_kernel(const std::string &name) const {
    check_state(program_state::linked);
    for (const bundle &one : shared_->bundles)
      if (one.ext_oneapi_has_kernel(name))
        return one.ext_oneapi_get_kernel(name);
    refuse<invalid_object_error>("the program has no kernel with the name " + name);
  }

  template <class Query> auto get_info() const {
    if constexpr (std::is_same_v<Query, info::program::context>)
      return get_context();
    else
      return get_devices();
  }
  context get_context() const { return shared_->in; }
  std::vector<device> get_devices() const { return shared_->devices; }
  std::string get_compile_options() const { return shared_->compile_options; }
  std::string get_link_options() const { return shared_->link_options; }
  std::string get_build_options() const { return shared_->build_options; }
  program_state get_state() const { return shared_->reached; }

  friend bool operator==(const program &a, const program &b) { return a.shared_ == b.shared_; }
  friend bool operator!=(const program &a, const program &b) { return !(a == b); }

private:
  friend struct std::hash<program>;
  using bundle = kernel_bundle<bundle_state::executable>;
  struct contents {
    contents(const context &where, std::vector<device> all) : in(where), devices(std::move(all)) {}

    context in;
    std::vector<device> devices;
    program_state reached = program_state::none;
    std::vector<bundle> bundles;
    std::string compile_options, link_options, build_options;
  };

  template <class Error> [[noreturn]] static void refuse(const std::string &what) {
    throw Error(make_error_code(errc::invalid), what + " (SYCL 1.2.1 section 4.8.2)");
  }
  static const program &first_of(const std::vector<program> &parts) {
    if (parts.empty())
      refuse<invalid_parameter_error>("a program is made of no programs");
    return parts.front();
  }
  void check_state(program_state wanted) const {
    if (shared_->reached != wanted)
      refuse<invalid_object_error>(wanted == program_state::compiled
                                       ? "the program is not compiled, or linked already"
                                       : "the program is not linked yet");
  }

  template <class Name> bundle of_kernel() const {
    return get_kernel_bundle<Name, bundle_state::executable>(get_context(), get_devices());
  }
  bundle of_source(const std::string &source, const std::string &options) const {
    namespace experimental = ext::oneapi::experimental;
    return experimental::build(experimental::create_kernel_bundle_from_source(
                                   get_context(), experimental::source_language::opencl, source),
                               get_devices(),
                               experimental::properties{experimental::build_options(options)});
  }
  // Adds kernels from source or from function types to a program that is not linked yet.
  void add(program_state to, const std::string &options, bundle made) {
    if (shared_->reached == program_state::linked)
      refuse<invalid_object_error>("the program is linked already");
    shared_->bundles.push_back(std::move(made));
    shared_->reached = to;
    shared_->build_options = options;
    if (to == program_state::compiled)
      shared_->compile_options = options;
  }

  std::shared_ptr<contents> shared_;
};

} // namespace detail

} // namespace sycl

template <> struct std::hash<sycl::detail::program> {
  std::size_t operator()(const sycl::detail::program &one) const noexcept {
    return std::hash<const void *>()(one.shared_.get());
  }
};
