#include "api/sycl/stream_log.h"

#include "api/sycl/error.h"
#include "api/sycl/launch_memory.h"
#include "runtime/memory/memory_space.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace lockstep::sycl_api {
namespace {

using sycl::stream_manipulator;
using sycl::detail::stream_log;
using sycl::detail::stream_record;
using sycl::detail::stream_value;

// The text of one work-item and the state of its manipulators: a stack, since statements may nest.
class ItemText {
public:
  ItemText(std::string &to, std::size_t total, std::size_t of_item)
      : to_(to), total_(total), of_item_(of_item) {}
  ~ItemText() {
    try {
      flush();
    } catch (const std::bad_alloc &) { // the text is truncated
    }
  }
  ItemText(const ItemText &) = delete;
  ItemText &operator=(const ItemText &) = delete;

  void add(const stream_record &record, const char *value) {
    uint64_t bits = 0;
    if (record.kind != stream_value::text)
      std::memcpy(&bits, value, std::min<std::size_t>(sizeof bits, record.bytes));
    switch (record.kind) {
    case stream_value::text:
      return put(std::string(value, record.bytes));
    case stream_value::punctuation:
      unflushed_.append(value, record.bytes);
      return;
    case stream_value::end_of_statement:
      return end_statement();
    case stream_value::character:
      return put(std::string(1, char(bits)));
    case stream_value::boolean:
      return put(bits ? "true" : "false");
    case stream_value::signed_number:
    case stream_value::unsigned_number:
      return put(number(bits, record.kind == stream_value::signed_number, record.size));
    case stream_value::floating:
      return put(floating(value));
    case stream_value::pointer:
      return put(printed("0x%llx", static_cast<unsigned long long>(bits)));
    case stream_value::manipulator:
      begin_statement();
      return manipulate(static_cast<stream_manipulator>(bits));
    case stream_value::precision:
      begin_statement();
      state_.precision = int(int64_t(bits));
      return;
    case stream_value::width:
      begin_statement();
      state_.width = int(int64_t(bits));
      return;
    }
  }

private:
  // Manipulators that apply to the current statement.
  struct State {
    char base = 'd', form = 'g';
    int precision = 6, width = 0;
  };

  void begin_statement() { outer_.push_back(state_); }
  void end_statement() {
    if (outer_.empty())
      return;
    state_ = outer_.back();
    outer_.pop_back();
  }

  template <class... Values> static std::string printed(const char *format, Values... values) {
    const int size = std::snprintf(nullptr, 0, format, values...);
    std::string text(std::size_t(std::max(size, 0)) + 1, '\0');
    std::snprintf(text.data(), text.size(), format, values...);
    text.pop_back();
    return text;
  }

  std::string number(uint64_t bits, bool is_signed, std::size_t size) const {
    if (state_.base == 'd' && is_signed)
      return printed(shows_plus_ ? "%+lld" : "%lld", static_cast<long long>(bits));
    if (state_.base == 'd')
      return (shows_plus_ ? "+" : "") + std::to_string(bits);
    if (size < sizeof bits) // two's complement, with the digits of the type
      bits &= (uint64_t(1) << (8 * size)) - 1;
    const auto value = static_cast<unsigned long long>(bits);
    if (state_.base == 'x')
      return printed(shows_base_ ? "%#llx" : "%llx", value);
    return printed(shows_base_ ? "%#llo" : "%llo", value);
  }

  std::string floating(const char *value) const {
    double number = 0;
    std::memcpy(&number, value, sizeof number);
    std::string format = shows_plus_ ? "%+" : "%";
    if (state_.form == 'a')
      return printed((format + "a").c_str(), number);
    return printed((format + ".*" + state_.form).c_str(), state_.precision, number);
  }

  // flat: one case for each manipulator
  void manipulate(stream_manipulator which) {
    switch (which) {
    case stream_manipulator::endl:
      unflushed_ += '\n';
      return flush();
    case stream_manipulator::flush:
      return flush();
    case stream_manipulator::dec:
      state_.base = 'd';
      return;
    case stream_manipulator::hex:
      state_.base = 'x';
      return;
    case stream_manipulator::oct:
      state_.base = 'o';
      return;
    case stream_manipulator::noshowbase:
      shows_base_ = false;
      return;
    case stream_manipulator::showbase:
      shows_base_ = true;
      return;
    case stream_manipulator::noshowpos:
      shows_plus_ = false;
      return;
    case stream_manipulator::showpos:
      shows_plus_ = true;
      return;
    case stream_manipulator::fixed:
      state_.form = 'f';
      return;
    case stream_manipulator::scientific:
      state_.form = 'e';
      return;
    case stream_manipulator::hexfloat:
      state_.form = 'a';
      return;
    case stream_manipulator::defaultfloat:
      state_.form = 'g';
      return;
    }
  }

  void put(const std::string &text) {
    if (text.size() < std::size_t(std::max(state_.width, 0)))
      unflushed_.append(std::size_t(state_.width) - text.size(), ' ');
    unflushed_ += text;
  }

  void flush() {
    to_.append(unflushed_, 0, std::min(of_item_, total_ - std::min(total_, to_.size())));
    unflushed_.clear();
  }

  std::string &to_;
  const std::size_t total_, of_item_;
  std::string unflushed_;
  State state_;
  std::vector<State> outer_; // saved states of enclosing statements
  bool shows_base_ = false, shows_plus_ = false;
};

} // namespace

// A number takes 24 bytes and prints at least one character; so does a text of one character. A
// manipulator takes 40 bytes, so there is room for one for every two values.
StreamLog::StreamLog(const runtime::Device &device, std::size_t total, std::size_t of_item)
    : total_(total), of_item_(of_item), space_(device.memory_space()) {
  const std::size_t bytes = (total + 64) * 44 / sizeof(uint64_t) * sizeof(uint64_t);
  const stream_log empty{bytes, 0};
  // Not zeroed, so pages that no kernel writes are never allocated.
  memory_ = launch_memory(device, sizeof empty + bytes, alignof(std::max_align_t), false);
  if (!space_)
    *memory() = empty;
  else if (auto written = space_->write(static_cast<std::byte *>(memory_.get()),
                                        reinterpret_cast<const std::byte *>(&empty), sizeof empty);
           !written)
    raise(written.error());
}

bool StreamLog::read(std::byte *to, std::size_t offset, std::size_t bytes) const {
  const std::byte *from = static_cast<const std::byte *>(memory_.get()) + offset;
  if (space_)
    return bool(space_->read(to, from, bytes));
  std::memcpy(to, from, bytes);
  return true;
}

std::string StreamLog::text() const {
  stream_log head{};
  if (!read(reinterpret_cast<std::byte *>(&head), 0, sizeof head))
    return {};
  const std::size_t size = std::min(head.used, head.capacity);
  std::vector<std::byte> all(space_ ? size : 0);
  if (!all.empty() && !read(all.data(), sizeof head, size))
    return {};
  const char *const begin = space_ ? reinterpret_cast<const char *>(all.data())
                                   : reinterpret_cast<const char *>(memory() + 1);
  std::vector<std::pair<stream_record, const char *>> records;
  for (std::size_t at = 0; at < size;) {
    stream_record record;
    if (at + sizeof record > size)
      break;
    std::memcpy(&record, begin + at, sizeof record);
    const std::size_t end = at + sizeof record + (std::size_t(record.bytes) + 7) / 8 * 8;
    if (end > size)
      break;
    records.emplace_back(record, begin + at + sizeof record);
    at = end;
  }
  std::sort(records.begin(), records.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first.item, a.second) < std::pair(b.first.item, b.second);
  });
  std::string text;
  for (std::size_t i = 0; i < records.size();) {
    ItemText of_item(text, total_, of_item_);
    for (const uint64_t item = records[i].first.item;
         i < records.size() && records[i].first.item == item; ++i)
      of_item.add(records[i].first, records[i].second);
  }
  return text;
}

void StreamLog::print() const {
  const std::string all = text();
  std::fwrite(all.data(), 1, all.size(), stdout);
  std::fflush(stdout);
}

} // namespace lockstep::sycl_api
