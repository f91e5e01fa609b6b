#include "api/sycl/device_filter.h"

#include "api/sycl/error.h"
#include "platform/linux/leaked.h"
#include "support/environment.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace lockstep::sycl_api {
namespace {

constexpr const char *variable = "ONEAPI_DEVICE_SELECTOR";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char &c : lower)
    if (c >= 'A' && c <= 'Z')
      c = char(c - 'A' + 'a');
  return lower;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

Error broken_rule(std::string_view what, const char *rule) {
  return {ErrorKind::invalid_argument, fmt::format("'{}' {}", what, rule)};
}

} // namespace

Result<DeviceFilter::Name> DeviceFilter::parse_name(std::string_view text) {
  constexpr std::pair<std::string_view, Devices> names[] = {{"*", Devices::all},
                                                            {"cpu", Devices::cpu},
                                                            {"gpu", Devices::gpu},
                                                            {"fpga", Devices::accelerator}};
  const std::string lower = lower_case(text);
  for (const auto &[name, devices] : names)
    if (lower == name)
      return Name{devices};
  std::size_t number = 0;
  const char *const end = lower.data() + lower.size();
  const auto read = std::from_chars(lower.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end)
    return Name{Devices::number, number};
  if (lower.find('.') != std::string::npos)
    return broken_rule(text, "names sub-devices, which Lockstep does not list");
  return broken_rule(text, "is none of *, cpu, gpu, fpga and a number");
}

Result<DeviceFilter::Term> DeviceFilter::parse_term(std::string_view text) {
  constexpr std::pair<std::string_view, Backend> backends[] = {{"*", Backend::any},
                                                               {"opencl", Backend::opencl},
                                                               {"cuda", Backend::cuda},
                                                               {"native_cpu", Backend::native_cpu},
                                                               {"level_zero", Backend::absent},
                                                               {"hip", Backend::absent}};
  Term term;
  if (text.starts_with('!')) {
    term.discards = true;
    text.remove_prefix(1);
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return broken_rule(text, "has no colon; a term is BACKEND:DEVICES");
  const std::string name = lower_case(text.substr(0, colon));
  const auto backend =
      std::ranges::find(backends, name, &std::pair<std::string_view, Backend>::first);
  if (backend == std::end(backends))
    return broken_rule(text.substr(0, colon),
                       "is none of the backends *, opencl, cuda, native_cpu, level_zero and hip");
  term.backend = backend->second;
  for (const std::string_view devices : split(text.substr(colon + 1), ',')) {
    auto parsed = parse_name(devices);
    LOCKSTEP_TRY(parsed);
    term.names.push_back(*parsed);
  }
  return term;
}

Result<DeviceFilter> DeviceFilter::parse(std::string_view text) {
  DeviceFilter filter;
  filter.text_ = text;
  for (const std::string_view part : split(text, ';')) {
    auto term = parse_term(part);
    LOCKSTEP_TRY(term);
    if (!term->discards && !filter.terms_.empty() && filter.terms_.back().discards)
      return broken_rule(part, "accepts devices, and is behind a term that discards some");
    filter.terms_.push_back(std::move(*term));
  }
  return filter;
}

const DeviceFilter &DeviceFilter::of_process() {
  const Result<DeviceFilter> &filter = leaked([] {
    const auto text = system_variable(variable);
    return text ? parse(*text) : Result<DeviceFilter>(DeviceFilter());
  });
  if (!filter)
    raise(sycl::errc::invalid,
          fmt::format("{} is '{}': {} (docs/environment.md)", variable,
                      system_variable(variable).value_or(""), filter.error().message));
  return *filter;
}

bool DeviceFilter::selects(const Term &term, const Listed &device) {
  const bool is_cpu = device.type == runtime::DeviceType::cpu;
  // A device has a number in each of its backends.
  const auto is_numbered = [&](std::size_t number) {
    const bool of_opencl = number == device.number;
    const bool of_cuda = device.is_nvidia && number == device.number_of_nvidia;
    const bool of_native = !device.is_nvidia && number == 0;
    switch (term.backend) {
    case Backend::any:
      return of_opencl || of_cuda || of_native;
    case Backend::opencl:
      return of_opencl;
    case Backend::cuda:
      return of_cuda;
    case Backend::native_cpu:
      return of_native;
    case Backend::absent:
      break;
    }
    return false;
  };
  const bool has_backend = term.backend == Backend::any || term.backend == Backend::opencl ||
                           (term.backend == Backend::cuda && device.is_nvidia) ||
                           (term.backend == Backend::native_cpu && !device.is_nvidia);
  return has_backend && std::ranges::any_of(term.names, [&](const Name &name) {
           switch (name.devices) {
           case Devices::all:
             return true;
           case Devices::cpu:
             return is_cpu;
           case Devices::gpu:
             return device.type == runtime::DeviceType::gpu;
           case Devices::accelerator:
             return device.type == runtime::DeviceType::accelerator;
           case Devices::number:
             return is_numbered(name.number);
           }
           return false;
         });
}

bool DeviceFilter::accepts(const Listed &device) const {
  const auto selects_it = [&](const Term &term) { return selects(term, device); };
  const auto first_discard = std::ranges::find(terms_, true, &Term::discards);
  return (first_discard == terms_.begin() ||
          std::any_of(terms_.begin(), first_discard, selects_it)) &&
         std::none_of(first_discard, terms_.end(), selects_it);
}

bool DeviceFilter::accepts_some_card(std::size_t before) const {
  constexpr std::size_t most_cards = 64;
  for (std::size_t card = 0; card < most_cards; ++card)
    if (accepts({runtime::DeviceType::gpu, true, before + card, card}))
      return true;
  return false;
}

} // namespace lockstep::sycl_api
