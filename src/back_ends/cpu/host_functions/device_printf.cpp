// Calls snprintf once for each vector element, with a length modifier that fits the unpacked value.
// C defines what the conversions print; this file adds what OpenCL defines (vectors, packed
// arguments).
#include "back_ends/cpu/host_functions/device_printf.h"

#include "abi/printf_format.h"
#include "platform/linux/leaked.h"

#include <array>
#include <atomic>
#include <bit>
#include <clocale>
#include <cstdio>
#include <cstring>

namespace lockstep::compiler {
namespace {

constinit std::atomic<bool> printed_since_flush = false; // one per process, like stdout

// Reads arguments from the packed block. Beyond its end (if a kernel passes too few) it reads
// zeros.
class Arguments {
public:
  Arguments(const void *bytes, uint32_t size)
      : bytes_(static_cast<const char *>(bytes)), size_(size) {}

  // Advances to the next argument and returns its offset.
  uint32_t next(uint32_t packed_size) {
    uint32_t at = packed_size ? (end_ + packed_size - 1) / packed_size * packed_size : end_;
    end_ = at + packed_size;
    return at;
  }

  template <class T> T read(uint32_t at) const {
    T value{};
    if (at + sizeof(T) <= size_)
      std::memcpy(&value, bytes_ + at, sizeof(T));
    return value;
  }

private:
  const char *bytes_;
  uint32_t size_;
  uint32_t end_ = 0;
};

template <class T> void append(std::string &text, const std::string &specification, T value) {
  char buffer[128];
  int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
  if (length < 0)
    return;
  if (static_cast<size_t>(length) < sizeof buffer) {
    text.append(buffer, static_cast<size_t>(length));
    return;
  }
  size_t before = text.size();
  text.resize(before + static_cast<size_t>(length) + 1);
  std::snprintf(text.data() + before, static_cast<size_t>(length) + 1, specification.c_str(),
                value);
  text.pop_back();
}

// The specification for snprintf, without the length modifier and the specifier.
std::string specification_start(const PrintfConversion &conversion) {
  std::string start = "%" + conversion.flags;
  if (conversion.width)
    start += std::to_string(*conversion.width);
  if (conversion.precision)
    start += "." + std::to_string(*conversion.precision);
  return start;
}

// Scalars of hh and h were promoted; they are truncated "before printing". Vector elements already
// have their own size.
int64_t signed_element(const PrintfConversion &conversion, const Arguments &arguments,
                       uint32_t at) {
  using Length = PrintfConversion::Length;
  if (conversion.length == Length::hh)
    return arguments.read<int8_t>(at);
  if (conversion.length == Length::h)
    return arguments.read<int16_t>(at);
  return conversion.element_size() == 8 ? arguments.read<int64_t>(at) : arguments.read<int32_t>(at);
}

uint64_t unsigned_element(const PrintfConversion &conversion, const Arguments &arguments,
                          uint32_t at) {
  using Length = PrintfConversion::Length;
  if (conversion.length == Length::hh)
    return arguments.read<uint8_t>(at);
  if (conversion.length == Length::h)
    return arguments.read<uint16_t>(at);
  return conversion.element_size() == 8 ? arguments.read<uint64_t>(at)
                                        : arguments.read<uint32_t>(at);
}

double float_element(const PrintfConversion &conversion, const Arguments &arguments, uint32_t at) {
  switch (conversion.element_size()) {
  case 2:
    return arguments.read<_Float16>(at);
  case 4:
    return arguments.read<float>(at);
  default:
    return arguments.read<double>(at);
  }
}

void append_element(std::string &text, const PrintfConversion &conversion, const std::string &start,
                    const Arguments &arguments, uint32_t at) {
  char specifier = conversion.specifier;
  if (specifier == 's') {
    auto string = arguments.read<const char *>(at);
    append(text, start + "s", string ? string : "(null)");
  } else if (specifier == 'p') {
    append(text, start + "p", arguments.read<void *>(at));
  } else if (specifier == 'c') {
    append(text, start + "c", arguments.read<int>(at));
  } else if (conversion.is_float()) {
    append(text, start + specifier, float_element(conversion, arguments, at));
  } else if (conversion.is_signed()) {
    append(text, start + "ll" + specifier,
           static_cast<long long>(signed_element(conversion, arguments, at)));
  } else {
    append(text, start + "ll" + specifier,
           static_cast<unsigned long long>(unsigned_element(conversion, arguments, at)));
  }
}

void append_conversion(std::string &text, const PrintfConversion &conversion,
                       Arguments &arguments) {
  if (conversion.specifier == '%') {
    text += '%';
    return;
  }
  uint32_t at = arguments.next(conversion.packed_size());
  std::string start = specification_start(conversion);
  for (unsigned element = 0; element < conversion.element_count(); ++element) {
    if (element > 0)
      text += ',';
    append_element(text, conversion, start, arguments, at + element * conversion.element_size());
  }
}

// Selects C's locale: the host program may have chosen one with a decimal comma.
class NumbersOfC {
public:
  NumbersOfC() : before_(uselocale(locale_of_c())) {}
  NumbersOfC(const NumbersOfC &) = delete;
  NumbersOfC &operator=(const NumbersOfC &) = delete;
  ~NumbersOfC() { uselocale(before_); }

private:
  static locale_t locale_of_c() {
    return leaked([] { return std::array{newlocale(LC_ALL_MASK, "C", nullptr)}; })[0];
  }
  locale_t before_;
};

} // namespace

bool format_device_printf(std::string &text, const char *format, const void *arguments,
                          uint32_t size) {
  NumbersOfC numbers;
  Arguments packed(arguments, size);
  std::string_view rest(format);
  while (!rest.empty()) {
    PrintfPiece piece = next_printf_piece(rest);
    if (piece.malformed)
      return false;
    text += piece.text;
    if (piece.conversion)
      append_conversion(text, *piece.conversion, packed);
  }
  return true;
}

void flush_device_printf() {
  if (printed_since_flush.load(std::memory_order_relaxed) && printed_since_flush.exchange(false))
    std::fflush(stdout);
}

} // namespace lockstep::compiler

int lockstep_device_printf(const char *format, const void *arguments, uint32_t size) {
  using namespace lockstep::compiler;
  // One buffer for each thread, so that a kernel with much output does not allocate each time.
  thread_local std::string text;
  text.clear();
  bool well_formed = format && format_device_printf(text, format, arguments, size);
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  printed_since_flush.store(true, std::memory_order_relaxed);
  return well_formed && written ? 0 : -1;
}
