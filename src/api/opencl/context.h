// Contexts (OpenCL 3.0 API section 4.4).
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <mutex>
#include <string>
#include <vector>

struct _cl_context : lockstep::opencl::Object {
  using NotifyFunction = void(CL_CALLBACK *)(const char *, const void *, size_t, void *);
  using DestructorFunction = void(CL_CALLBACK *)(cl_context, void *);
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::context;

  _cl_context(std::vector<lockstep::opencl::Ref<_cl_device_id>> context_devices,
              std::vector<cl_context_properties> context_properties, NotifyFunction notify_function,
              void *notify_data);
  ~_cl_context(); // calls the destructor callbacks, last registered first
  void end();     // which is not while a command is being settled

  bool has_device(cl_device_id device) const;
  // Gives a sentence to pfn_notify, if the program gave one. Thread-safe.
  void notify(const std::string &sentence) const;

  const std::vector<lockstep::opencl::Ref<_cl_device_id>>
      devices;                                         // in the program's order, no duplicates
  const std::vector<cl_context_properties> properties; // as given, with the final 0; empty if null

  void add_destructor(DestructorFunction function, void *user_data);

private:
  struct Destructor {
    DestructorFunction function;
    void *user_data;
  };
  const NotifyFunction notify_function_;
  void *const notify_data_;
  std::mutex mutex_;
  std::vector<Destructor> destructors_;
};
