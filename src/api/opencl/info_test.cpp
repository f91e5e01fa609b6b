// Tests the table reader that all clGet*Info functions use.
#include "api/opencl/info.h"

#include <gtest/gtest.h>

#include <array>

using namespace lockstep::opencl;

namespace {

struct Subject {
  std::string text;
  std::vector<int> list;
};

constexpr InfoRow<Subject> table[] = {
    row<Subject>(1, [](auto &subject) { return subject.text; }),
    row<Subject>(2, [](auto &subject) { return subject.list; }),
    row<Subject>(3, [](auto &) { return "literal"; }),
    row<Subject>(4, [](auto &) { return std::array<short, 3>{1, 2, 3}; }),
    row<Subject>(5,
                 [](auto &, InfoAnswer &answer) {
                   answer.fail(failure(CL_INVALID_OPERATION, "no answer"));
                 }),
};

class Info : public ::testing::Test {
protected:
  cl_int read(cl_uint name, size_t size, void *value) {
    EntryPoint api("test");
    size_ret_ = 99;
    return read_info(api, table, subject_, {name, size, value, &size_ret_}, "section 0");
  }
  Subject subject_{"four", {7, 8}};
  size_t size_ret_ = 0;
  char bytes_[16] = {};
};

TEST_F(Info, TextHasItsNullCharacter) {
  EXPECT_EQ(read(1, sizeof bytes_, bytes_), CL_SUCCESS);
  EXPECT_EQ(size_ret_, 5u);
  EXPECT_STREQ(bytes_, "four");
  subject_.text.clear();
  EXPECT_EQ(read(1, sizeof bytes_, bytes_), CL_SUCCESS);
  EXPECT_EQ(size_ret_, 1u);
  EXPECT_STREQ(bytes_, "");
  EXPECT_EQ(read(3, sizeof bytes_, bytes_), CL_SUCCESS);
  EXPECT_STREQ(bytes_, "literal");
}

TEST_F(Info, ListsAreTheirElements) {
  int list[2] = {};
  EXPECT_EQ(read(2, sizeof list, list), CL_SUCCESS);
  EXPECT_EQ(size_ret_, sizeof list);
  EXPECT_EQ(list[1], 8);
  subject_.list.clear();
  EXPECT_EQ(read(2, 0, list), CL_SUCCESS);
  EXPECT_EQ(size_ret_, 0u);
  short three[3] = {};
  EXPECT_EQ(read(4, sizeof three, three), CL_SUCCESS);
  EXPECT_EQ(three[2], 3);
}

TEST_F(Info, SizeIsAskedForWithoutAPlace) {
  EXPECT_EQ(read(1, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(size_ret_, 5u);
}

TEST_F(Info, TooSmallAPlaceIsNotWritten) {
  bytes_[0] = 'x';
  EXPECT_EQ(read(1, 4, bytes_), CL_INVALID_VALUE);
  EXPECT_EQ(bytes_[0], 'x');
  EXPECT_EQ(size_ret_, 99u);
}

TEST_F(Info, UnknownNamesAndRefusals) {
  EXPECT_EQ(read(6, sizeof bytes_, bytes_), CL_INVALID_VALUE);
  EXPECT_EQ(read(5, sizeof bytes_, bytes_), CL_INVALID_OPERATION);
}

} // namespace
