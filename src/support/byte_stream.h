// Serializes values to bytes and back, for program binaries and cache entries. The reader never
// reads outside its input: a short or damaged input sets failed() and yields zeros.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep::compiler {

class ByteWriter {
public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T &value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void put(std::string_view text) {
    put(static_cast<uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put(const std::string &text) { put(std::string_view(text)); }

  std::string &bytes() { return bytes_; }

private:
  std::string bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void get(T &value) {
    if (rest_.size() < sizeof value) {
      failed_ = true;
      value = T{};
      return;
    }
    // A bool must hold 0 or 1; any other byte is damage.
    if (std::is_same_v<T, bool> && static_cast<unsigned char>(rest_.front()) > 1) {
      failed_ = true;
      value = T{};
    } else {
      std::memcpy(&value, rest_.data(), sizeof value);
    }
    rest_.remove_prefix(sizeof value);
  }
  void get(std::string_view &text) {
    uint64_t size = get<uint64_t>();
    if (size > rest_.size()) {
      failed_ = true;
      size = 0;
    }
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void get(std::string &text) {
    std::string_view view;
    get(view);
    text = view;
  }
  template <class T> T get() {
    T value{};
    get(value);
    return value;
  }
  // A number of elements that follow, each of at least one byte: at most the number of remaining
  // bytes.
  uint64_t get_count() {
    uint64_t count = get<uint64_t>();
    if (count <= rest_.size())
      return count;
    failed_ = true;
    return 0;
  }

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

private:
  std::string_view rest_;
  bool failed_ = false;
};

} // namespace lockstep::compiler
