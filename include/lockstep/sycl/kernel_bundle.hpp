// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels as objects (SYCL 2020, section 4.11): kernel_id, kernel_bundle, device_image, kernel.
//
// A device image contains one kernel, because each kernel is compiled separately.
#pragma once

#include "sycl/context.hpp"
#include "sycl/detail/launch.hpp"
#include "sycl/specialization_id.hpp"

namespace sycl {

class kernel_id : public detail::object<kernel_id, detail::kernel_id_interface> {
public:
  kernel_id() = delete;
  const char *get_name() const noexcept { return shared_->name(); }

private:
  friend detail::pointer_access;
  explicit kernel_id(detail::kernel_id_pointer shared) : object(std::move(shared)) {}
};

namespace detail {
template <auto *Function> kernel_id id_of_function(); // defined in free_function_kernels.hpp
}

template <class Name> kernel_id get_kernel_id() {
  return detail::pointer_access::make<kernel_id>(
      lockstep_sycl_library().find_kernel(detail::kernel_named<Name>()));
}
inline std::vector<kernel_id> get_kernel_ids() {
  return detail::make_all<kernel_id>(lockstep_sycl_library().all_kernels());
}
inline bool is_compatible(const std::vector<kernel_id> &all, const device &one) {
  for (const kernel_id &id : all)
    if (!lockstep_sycl_library().is_compatible(detail::pointer_access::of(id),
                                               detail::pointer_access::of(one)))
      return false;
  return true;
}
template <class Name> bool is_compatible(const device &one) {
  return is_compatible({get_kernel_id<Name>()}, one);
}

template <bundle_state State>
class device_image : public detail::object<device_image<State>, detail::kernel_id_interface> {
public:
  device_image() = delete;
  bool has_kernel(const kernel_id &id) const noexcept {
    return detail::pointer_access::of(id) == this->shared_;
  }
  bool has_kernel(const kernel_id &id, const device &on) const noexcept {
    return has_kernel(id) && is_compatible({id}, on);
  }

private:
  friend detail::pointer_access;
  explicit device_image(detail::kernel_id_pointer shared)
      : detail::object<device_image, detail::kernel_id_interface>(std::move(shared)) {}
};

template <bundle_state State> class kernel_bundle;

class kernel : public detail::object<kernel, detail::kernel_interface> {
public:
  kernel() = delete;
  template <class Handle, detail::if_handle<Handle, _cl_kernel> = 0>
  [[deprecated("use make_kernel()")]] kernel(Handle of, const context &in)
      : object(detail::opencl_members<kernel, Handle>::made(of, in)) {}
  template <class Of = kernel> [[deprecated("use get_native()")]] _cl_kernel *get() const {
    return detail::opencl_members<Of, _cl_kernel *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  context get_context() const { return detail::pointer_access::make<context>(shared_->context()); }
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;
  template <class Query> auto get_info() const {
    if constexpr (detail::answers_itself<Query, const kernel &>)
      return Query::answer(*this);
    else {
      static_assert(
          detail::is_query_of<Query, kernel>,
          "get_info() of a kernel takes a type of info::kernel (SYCL 2020 section 4.11.13)");
      return detail::ask<Query>(*shared_);
    }
  }
  // The backend defines no descriptors of its own (appendix C): the ones of get_info serve.
  template <class Query> auto get_backend_info() const { return get_info<Query>(); }
  template <class Query> typename Query::return_type get_info(const device &on) const {
    static_assert(detail::is_query_of<Query, detail::kernel_on_device>,
                  "get_info(device) of a kernel takes a type of info::kernel_device_specific (SYCL "
                  "2020 section 4.11.13)");
    typename Query::return_type answer{};
    shared_->get_info(Query::number, detail::pointer_access::of(on), &answer);
    return answer;
  }
  template <class Query>
  [[deprecated("use get_info()")]] typename Query::return_type
  get_work_group_info(const device &on) const {
    return get_info<Query>(on);
  }
  // sycl_ext_oneapi_launch_queries: see ext/oneapi/experimental/root_group.hpp
  template <class Query, class... Arguments>
  auto ext_oneapi_get_info(const Arguments &...arguments) const {
    return Query::answer(*this, arguments...);
  }

private:
  friend detail::pointer_access;
  explicit kernel(detail::kernel_pointer shared) : object(std::move(shared)) {}
};

template <bundle_state State>
class kernel_bundle : public detail::object<kernel_bundle<State>, detail::kernel_bundle_interface> {
  using base = detail::object<kernel_bundle<State>, detail::kernel_bundle_interface>;
  using base::shared_;

public:
  using device_image_iterator = typename std::vector<device_image<State>>::const_iterator;

  kernel_bundle() = delete;
  bool empty() const noexcept { return images_.empty() && !shared_->has_source_kernels(); }
  backend get_backend() const noexcept { return backend::opencl; }
  context get_context() const noexcept {
    return detail::pointer_access::make<context>(shared_->context());
  }
  std::vector<device> get_devices() const noexcept {
    return detail::make_all<device>(shared_->devices());
  }
  bool has_kernel(const kernel_id &id) const noexcept {
    return shared_->has(detail::pointer_access::of(id), nullptr);
  }
  bool has_kernel(const kernel_id &id, const device &on) const noexcept {
    return shared_->has(detail::pointer_access::of(id), detail::pointer_access::of(on));
  }
  template <class Name> bool has_kernel() const noexcept {
    return has_kernel(get_kernel_id<Name>());
  }
  template <class Name> bool has_kernel(const device &on) const noexcept {
    return has_kernel(get_kernel_id<Name>(), on);
  }
  std::vector<kernel_id> get_kernel_ids() const {
    return detail::make_all<kernel_id>(shared_->kernel_ids());
  }
  template <bundle_state S = State, std::enable_if_t<S == bundle_state::executable, int> = 0>
  kernel get_kernel(const kernel_id &id) const {
    return detail::pointer_access::make<kernel>(
        shared_->kernel_of(shared_, detail::pointer_access::of(id)));
  }
  template <class Name, bundle_state S = State,
            std::enable_if_t<S == bundle_state::executable, int> = 0>
  kernel get_kernel() const {
    return get_kernel(get_kernel_id<Name>());
  }

  bool contains_specialization_constants() const noexcept { return shared_->uses_constant(""); }
  bool native_specialization_constant() const noexcept { return shared_->uses_constant(""); }
  template <auto &Id> bool has_specialization_constant() const noexcept {
    return shared_->uses_constant(detail::name_of_constant<Id>());
  }
  template <auto &Id, bundle_state S = State, std::enable_if_t<S == bundle_state::input, int> = 0>
  void set_specialization_constant(detail::specialization_type<Id> value) {
    shared_->set_constant(detail::name_of_constant<Id>(), &value, sizeof value);
  }
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() const {
    detail::specialization_type<Id> value = detail::default_of::id(Id);
    shared_->get_constant(detail::name_of_constant<Id>(), &value, sizeof value);
    return value;
  }

  device_image_iterator begin() const { return images_.begin(); }
  device_image_iterator end() const { return images_.end(); }

  // sycl_ext_oneapi_free_function_kernels
  template <auto *Func> bool ext_oneapi_has_kernel() const {
    return has_kernel(detail::id_of_function<Func>());
  }
  template <auto *Func> bool ext_oneapi_has_kernel(const device &on) const {
    return has_kernel(detail::id_of_function<Func>(), on);
  }
  template <auto *Func, bundle_state S = State,
            std::enable_if_t<S == bundle_state::executable, int> = 0>
  kernel ext_oneapi_get_kernel() const {
    return get_kernel(detail::id_of_function<Func>());
  }

  // sycl_ext_oneapi_kernel_compiler: finds kernels by the names of their functions.
  bool ext_oneapi_has_kernel(const std::string &name) const {
    return shared_->has_source_kernel(name);
  }
  template <bundle_state S = State, std::enable_if_t<S == bundle_state::executable, int> = 0>
  kernel ext_oneapi_get_kernel(const std::string &name) const {
    return detail::pointer_access::make<kernel>(shared_->source_kernel(shared_, name));
  }

private:
  friend detail::pointer_access;
  explicit kernel_bundle(detail::kernel_bundle_pointer shared)
      : base(std::move(shared)),
        images_(detail::make_all<device_image<State>>(shared_->kernel_ids())) {}

  std::vector<device_image<State>> images_;
};

inline kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const {
  return detail::pointer_access::make<kernel_bundle<bundle_state::executable>>(shared_->bundle());
}

// ---- making bundles

template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices,
                                       const std::vector<kernel_id> &kernels) {
  return detail::pointer_access::make<kernel_bundle<State>>(lockstep_sycl_library().make_bundle(
      detail::pointer_access::of(in), detail::pointers_of(devices), detail::pointers_of(kernels),
      State == bundle_state::executable));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  std::vector<kernel_id> kernels;
  for (const kernel_id &one : get_kernel_ids())
    for (const device &on : devices)
      if (is_compatible({one}, on)) {
        kernels.push_back(one);
        break;
      }
  return detail::pointer_access::make<kernel_bundle<State>>(lockstep_sycl_library().make_bundle(
      detail::pointer_access::of(in), detail::pointers_of(devices), detail::pointers_of(kernels),
      false)); // a kernel that does not compile reports the error at its first use
}
template <class Name, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return get_kernel_bundle<State>(in, devices, {get_kernel_id<Name>()});
}
template <
    bundle_state State, class Selector,
    std::enable_if_t<std::is_invocable_r_v<bool, Selector &, const device_image<State> &>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices,
                                       Selector selector) {
  std::vector<kernel_id> kernels;
  for (const device_image<State> &image : get_kernel_bundle<State>(in, devices))
    if (selector(image))
      kernels.push_back(detail::pointer_access::make<kernel_id>(detail::pointer_access::of(image)));
  return get_kernel_bundle<State>(in, devices, kernels);
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &in) {
  return get_kernel_bundle<State>(in, in.get_devices());
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<kernel_id> &kernels) {
  return get_kernel_bundle<State>(in, in.get_devices(), kernels);
}
template <class Name, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in) {
  return get_kernel_bundle<Name, State>(in, in.get_devices());
}
template <
    bundle_state State, class Selector,
    std::enable_if_t<std::is_invocable_r_v<bool, Selector &, const device_image<State> &>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context &in, Selector selector) {
  return get_kernel_bundle<State>(in, in.get_devices(), selector);
}

template <bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices,
                       const std::vector<kernel_id> &kernels) {
  lockstep_sycl_library().check_devices(detail::pointer_access::of(in),
                                        detail::pointers_of(devices));
  for (const kernel_id &one : kernels) {
    bool has = false;
    for (const device &on : devices)
      has |= is_compatible({one}, on);
    if (!has)
      return false;
  }
  return true;
}
template <bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return !get_kernel_bundle<State>(in, devices).empty();
}
template <class Name, bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return has_kernel_bundle<State>(in, devices, {get_kernel_id<Name>()});
}
template <bundle_state State> bool has_kernel_bundle(const context &in) {
  return has_kernel_bundle<State>(in, in.get_devices());
}
template <bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<kernel_id> &kernels) {
  return has_kernel_bundle<State>(in, in.get_devices(), kernels);
}
template <class Name, bundle_state State> bool has_kernel_bundle(const context &in) {
  return has_kernel_bundle<Name, State>(in, in.get_devices());
}

// ---- conversions between bundle states

namespace detail {

template <bundle_state To, bundle_state From>
kernel_bundle<To> derive(const std::vector<kernel_bundle<From>> &from,
                         const std::vector<device> *devices) {
  return pointer_access::make<kernel_bundle<To>>(lockstep_sycl_library().derive_bundle(
      pointers_of(from), devices ? pointers_of(*devices) : std::vector<device_pointer>(),
      devices != nullptr, To == bundle_state::executable && From != To));
}

} // namespace detail

template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>> &bundles) {
  return detail::derive<State>(bundles, nullptr);
}

inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &from,
                                                   const std::vector<device> &devices,
                                                   const property_list & = {}) {
  return detail::derive<bundle_state::object>(std::vector{from}, &devices);
}
inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &from,
                                                   const property_list & = {}) {
  return detail::derive<bundle_state::object>(std::vector{from}, nullptr);
}
inline kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &from,
     const std::vector<device> &devices, const property_list & = {}) {
  return detail::derive<bundle_state::executable>(from, &devices);
}
inline kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &from, const property_list & = {}) {
  return detail::derive<bundle_state::executable>(from, nullptr);
}
inline kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &from,
                                                    const std::vector<device> &devices,
                                                    const property_list & = {}) {
  return detail::derive<bundle_state::executable>(std::vector{from}, &devices);
}
inline kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &from,
                                                    const property_list & = {}) {
  return detail::derive<bundle_state::executable>(std::vector{from}, nullptr);
}
inline kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input> &from,
                                                     const std::vector<device> &devices,
                                                     const property_list & = {}) {
  return detail::derive<bundle_state::executable>(std::vector{from}, &devices);
}
inline kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input> &from,
                                                     const property_list & = {}) {
  return detail::derive<bundle_state::executable>(std::vector{from}, nullptr);
}

// ---- sycl_ext_oneapi_kernel_compiler_opencl and _spirv: bundles from OpenCL C source strings and from
// SPIR-V modules

#define SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV 1

namespace ext::oneapi::experimental {

enum class source_language : int { opencl, spirv };

struct build_options : sycl::detail::property_lists::run_time_property {
  static constexpr int order = 32;
  std::vector<std::string> opts;
  build_options() = default;
  build_options(const std::string &one) : opts{one} {}
  build_options(const std::vector<std::string> &all) : opts(all) {}
};
struct save_log : sycl::detail::property_lists::run_time_property {
  static constexpr int order = 33;
  std::string *log = nullptr;
  save_log() = default;
  save_log(std::string *to) : log(to) {}
};

inline kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &in, source_language language,
                                 const std::string &source) {
  if (language != source_language::opencl)
    lockstep_sycl_library().raise(
        errc::invalid, "create_kernel_bundle_from_source: SPIR-V is a vector of bytes, not "
                       "a string (sycl_ext_oneapi_kernel_compiler_spirv)");
  return detail::pointer_access::make<kernel_bundle<bundle_state::ext_oneapi_source>>(
      lockstep_sycl_library().bundle_of_source(detail::pointer_access::of(in), source, false));
}
inline kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &in, source_language language,
                                 const std::vector<std::byte> &bytes) {
  if (language != source_language::spirv)
    lockstep_sycl_library().raise(errc::invalid,
                                  "create_kernel_bundle_from_source: OpenCL C is a string, not a "
                                  "vector of bytes (sycl_ext_oneapi_kernel_compiler_opencl)");
  return detail::pointer_access::make<kernel_bundle<bundle_state::ext_oneapi_source>>(
      lockstep_sycl_library().bundle_of_source(
          detail::pointer_access::of(in),
          std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()), true));
}
template <class Properties = empty_properties_t>
kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &from,
      const std::vector<device> &devices, Properties given = {}) {
  std::string options, *log = nullptr;
  if constexpr (Properties::template has_property<build_options>())
    for (const std::string &one : given.template get_property<build_options>().opts)
      options += one + " ";
  if constexpr (Properties::template has_property<save_log>())
    log = given.template get_property<save_log>().log;
  return detail::pointer_access::make<kernel_bundle<bundle_state::executable>>(
      lockstep_sycl_library().build_source(detail::pointer_access::of(from),
                                           detail::pointers_of(devices), options, log));
}
template <class Properties = empty_properties_t>
kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &from, Properties given = {}) {
  return experimental::build(from, from.get_devices(), given);
}

} // namespace ext::oneapi::experimental

} // namespace sycl

template <> struct std::hash<sycl::kernel_id> : sycl::detail::hash_of_object<sycl::kernel_id> {};
template <> struct std::hash<sycl::kernel> : sycl::detail::hash_of_object<sycl::kernel> {};
template <sycl::bundle_state State>
struct std::hash<sycl::kernel_bundle<State>>
    : sycl::detail::hash_of_object<sycl::kernel_bundle<State>> {};
template <sycl::bundle_state State>
struct std::hash<sycl::device_image<State>>
    : sycl::detail::hash_of_object<sycl::device_image<State>> {};
