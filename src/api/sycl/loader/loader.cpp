// liblockstep_sycl.so, which SYCL programs link. It loads liblockstep.so from its own directory
// when the first object is made; programs that make none pay nothing. The device images of the
// program register themselves before that; they are kept until the library is loaded.
#include "platform/linux/leaked.h"

#include "sycl/detail/image.hpp"
#include "sycl/exception.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <set>
#include <string_view>

#define LOCKSTEP_EXPORT __attribute__((visibility("default")))

namespace {

using sycl::detail::image;
using sycl::detail::library;

constexpr const char *own_version = LOCKSTEP_VERSION LOCKSTEP_SYCL_BORDER_WORDS;

struct State { // leaked, since programs use SYCL in static destructors
  std::mutex mutex;
  std::vector<const image *> images; // not yet passed to the library
  const library *loaded = nullptr;
  std::set<const image *> foreign; // images compiled for another ABI
  std::atomic<bool> has_foreign{false};
};
State &state() {
  return lockstep::leaked([] { return new State; });
}

// The usual category is in liblockstep.so, which is not loaded.
class LoadingCategory : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int) const override { return "liblockstep.so cannot be loaded"; }
};

[[noreturn]] void fail(const std::string &why) {
  const auto &category = lockstep::leaked([] { return new LoadingCategory; });
  throw sycl::exception(std::error_code(static_cast<int>(sycl::errc::platform), category), why);
}

bool is_of_own_border(const image &one) {
  const std::string_view words = LOCKSTEP_SYCL_BORDER_WORDS, version = one.version;
  return version.size() >= words.size() && version.substr(version.size() - words.size()) == words;
}

[[noreturn]] void fail_for_border(const std::string &with) {
  fail("a part of the program was compiled by lockstep++ " + with + ", and the library is " +
       own_version + ": compile all of it again");
}

std::string path_of_library() {
  Dl_info own{};
  if (!::dladdr(reinterpret_cast<void *>(&fail), &own) || !own.dli_fname)
    return "liblockstep.so";
  const std::string path = own.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "liblockstep.so";
}

const library &load() {
  const std::string path = path_of_library();
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail(std::string("SYCL needs liblockstep.so beside liblockstep_sycl.so: ") + ::dlerror());
  using Entry = const library *(*)(const char *);
  auto entry = reinterpret_cast<Entry>(::dlsym(handle, "lockstep_sycl_of_version"));
  const library *found = entry ? entry(own_version) : nullptr;
  if (!found)
    fail(path + " is of another version than liblockstep_sycl.so, " + own_version);
  return *found;
}

} // namespace

LOCKSTEP_EXPORT const library &lockstep_sycl_library_of(unsigned border) {
  if (border != LOCKSTEP_SYCL_BORDER)
    fail_for_border("with border " + std::to_string(border));
  const library &loaded = lockstep::leaked([] {
    const library &found = load();
    State &all = state();
    std::lock_guard lock(all.mutex);
    for (const image *one : all.images)
      found.add_image(one);
    all.images.clear();
    all.loaded = &found;
    return &found;
  });
  State &all = state();
  if (all.has_foreign.load(std::memory_order_acquire)) {
    std::lock_guard lock(all.mutex);
    if (!all.foreign.empty())
      fail_for_border((*all.foreign.begin())->version);
  }
  return loaded;
}

// Called by old headers, which pass no ABI number.
LOCKSTEP_EXPORT const library &
lockstep_sycl_library_without_border() __asm__("_Z21lockstep_sycl_libraryv");
LOCKSTEP_EXPORT const library &lockstep_sycl_library_without_border() {
  fail_for_border(LOCKSTEP_VERSION " without a border");
}

extern "C" LOCKSTEP_EXPORT void lockstep_sycl_add_image(const image *added) {
  State &all = state();
  std::lock_guard lock(all.mutex);
  if (!is_of_own_border(*added)) {
    all.foreign.insert(added);
    all.has_foreign.store(true, std::memory_order_release);
    return;
  }
  if (all.loaded)
    all.loaded->add_image(added);
  else
    all.images.push_back(added);
}

extern "C" LOCKSTEP_EXPORT void lockstep_sycl_remove_image(const image *removed) {
  State &all = state();
  std::lock_guard lock(all.mutex);
  if (all.foreign.erase(removed) != 0)
    return;
  if (all.loaded)
    all.loaded->remove_image(removed);
  else
    all.images.erase(std::remove(all.images.begin(), all.images.end(), removed), all.images.end());
}

namespace sycl::detail {

LOCKSTEP_EXPORT void not_in_a_kernel() {
  // Not make_error_code(): here it would call lockstep_sycl_library_without_border.
  const std::error_category &category =
      lockstep_sycl_library_of(LOCKSTEP_SYCL_BORDER).error_category();
  throw exception(std::error_code(static_cast<int>(errc::invalid), category),
                  "a function that only kernels may call is called by the host");
}

} // namespace sycl::detail
