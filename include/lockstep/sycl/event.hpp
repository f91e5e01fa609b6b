// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// event (SYCL 2020, section 4.6.6): the state of a command, for waiting and profiling.
#pragma once

#include "sycl/backend.hpp"
#include "sycl/detail/object.hpp"
#include "sycl/exception.hpp"
#include "sycl/info.hpp"

namespace sycl {

class event : public detail::object<event, detail::event_interface> {
public:
  event() : object(lockstep_sycl_library().make_event()) {}

  template <class Handle, detail::if_handle<Handle, _cl_event> = 0>
  [[deprecated("use make_event()")]] event(Handle of, const context &in)
      : object(detail::opencl_members<event, Handle>::made(of, in)) {}
  template <class Of = event> [[deprecated("use get_native()")]] _cl_event *get() const {
    return detail::opencl_members<Of, _cl_event *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  void wait() { shared_->wait(); }
  void wait_and_throw() {
    shared_->wait();
    shared_->throw_asynchronous();
  }
  static void wait(const std::vector<event> &all) {
    for (const event &one : all)
      one.shared_->wait();
  }
  static void wait_and_throw(const std::vector<event> &all) {
    wait(all);
    for (const event &one : all)
      one.shared_->throw_asynchronous();
  }
  std::vector<event> get_wait_list() { return detail::make_all<event>(shared_->wait_list()); }
  template <class Query> auto get_info() const {
    if constexpr (detail::answers_itself<Query, const event &>)
      return Query::answer(*this);
    else {
      static_assert(detail::is_query_of<Query, event>,
                    "get_info() of an event takes a type of info::event (SYCL 2020 section 4.6.6)");
      return detail::ask<Query>(*shared_);
    }
  }
  // The backend defines no descriptors of its own (appendix C): the ones of get_info serve.
  template <class Query> auto get_backend_info() const { return get_info<Query>(); }
  template <class Query> typename Query::return_type get_profiling_info() const {
    static_assert(detail::is_query_of<Query, detail::profile_of_event>,
                  "get_profiling_info() takes a type of info::event_profiling (SYCL 2020 section "
                  "4.6.6)");
    return shared_->profiling_time(Query::number);
  }
  [[deprecated("there is no host device in SYCL 2020")]] bool is_host() const { return false; }

private:
  friend detail::pointer_access;
  explicit event(detail::event_pointer shared) : object(std::move(shared)) {}
};

} // namespace sycl

template <> struct std::hash<sycl::event> : sycl::detail::hash_of_object<sycl::event> {};
