// A minimal test framework. The headers of GoogleTest would be compiled twice for each source.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char *name;
  void (*run)();
};
inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}
struct Register {
  Register(const char *name, void (*run)()) { tests().push_back({name, run}); }
};
inline int failures = 0;

inline void failed(const char *file, int line, const std::string &what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  ++failures;
}

template <class T> std::string text(const T &value) {
  if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(value);
  else
    return "?";
}

template <class A, class B>
void equal(const char *file, int line, const char *what, const A &got, const B &wanted) {
  if (!(got == wanted))
    failed(file, line, std::string(what) + " is " + text(got) + ", not " + text(wanted));
}

} // namespace check

#define TEST(name)                                                                                 \
  static void name();                                                                              \
  static const check::Register registered_##name(#name, name);                                     \
  static void name()
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      check::failed(__FILE__, __LINE__, #condition);                                               \
  } while (0)
#define EXPECT_EQ(got, wanted)                                                                     \
  check::equal(__FILE__, __LINE__, #got, got, static_cast<std::decay_t<decltype(got)>>(wanted))
// Checks that the statement throws a sycl::exception with this code and a word of its message.
#define EXPECT_THROW(error, word, ...)                                                             \
  do {                                                                                             \
    try {                                                                                          \
      __VA_ARGS__;                                                                                 \
      check::failed(__FILE__, __LINE__, #__VA_ARGS__ " throws nothing");                           \
    } catch (const sycl::exception &thrown) {                                                      \
      if (thrown.code() != sycl::make_error_code(error) ||                                         \
          std::string(thrown.what()).find(word) == std::string::npos)                              \
        check::failed(__FILE__, __LINE__, thrown.what());                                          \
    }                                                                                              \
  } while (0)

// Arguments are names of tests to leave out: a device may lack what they need.
int main(int count, char **arguments) {
  const std::vector<std::string> without(arguments + 1, arguments + count);
  for (const std::string &name : without)
    if (std::none_of(check::tests().begin(), check::tests().end(),
                     [&](const check::Test &test) { return test.name == name; }))
      check::failed(__FILE__, __LINE__, name + " is not the name of a test");
  for (const check::Test &test : check::tests()) {
    if (std::find(without.begin(), without.end(), test.name) != without.end())
      continue;
    const int before = check::failures;
    try {
      test.run();
    } catch (const std::exception &thrown) {
      check::failed(__FILE__, __LINE__, thrown.what());
    }
    std::printf("%s %s\n", check::failures == before ? "ok    " : "FAILED", test.name);
  }
  return check::failures != 0;
}
