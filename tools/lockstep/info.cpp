// lockstep info: prints the platform and its device, their limits and caches. All values except the
// compiler's come from the OpenCL API, so they are those that programs see.
#include "tools/lockstep/library.h"
#include "tools/lockstep/opencl_session.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

struct InfoOptions {
  bool json = false;
  std::string platform = "Lockstep";
  std::string device = "0";
};

enum class Form { text, number, bytes, sizes, yes_no };

struct Row {
  const char *section;
  const char *label;
  cl_device_info name;
  Form form;
  bool wide; // true if the value is a size_t or cl_ulong, else it is a cl_uint
};

// flat: one row for each query; the JSON keys are derived from the labels.
constexpr auto rows = std::to_array<Row>({
    {"device", "name", CL_DEVICE_NAME, Form::text, false},
    {"device", "vendor", CL_DEVICE_VENDOR, Form::text, false},
    {"device", "version", CL_DEVICE_VERSION, Form::text, false},
    {"device", "OpenCL C", CL_DEVICE_OPENCL_C_VERSION, Form::text, false},
    {"device", "driver", CL_DRIVER_VERSION, Form::text, false},
    {"device", "compute units", CL_DEVICE_MAX_COMPUTE_UNITS, Form::number, false},
    {"device", "clock MHz", CL_DEVICE_MAX_CLOCK_FREQUENCY, Form::number, false},
    {"device", "available", CL_DEVICE_AVAILABLE, Form::yes_no, false},
    {"vectors", "char lanes", CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, Form::number, false},
    {"vectors", "int lanes", CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, Form::number, false},
    {"vectors", "float lanes", CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, Form::number, false},
    {"vectors", "double lanes", CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, Form::number, false},
    {"vectors", "half lanes", CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, Form::number, false},
    {"limits", "work-group size", CL_DEVICE_MAX_WORK_GROUP_SIZE, Form::number, true},
    {"limits", "work-item sizes", CL_DEVICE_MAX_WORK_ITEM_SIZES, Form::sizes, true},
    {"limits", "sub-groups in a group", CL_DEVICE_MAX_NUM_SUB_GROUPS, Form::number, false},
    {"limits", "kernel argument bytes", CL_DEVICE_MAX_PARAMETER_SIZE, Form::bytes, true},
    {"limits", "printf buffer", CL_DEVICE_PRINTF_BUFFER_SIZE, Form::bytes, true},
    {"memory", "global", CL_DEVICE_GLOBAL_MEM_SIZE, Form::bytes, true},
    {"memory", "largest buffer", CL_DEVICE_MAX_MEM_ALLOC_SIZE, Form::bytes, true},
    {"memory", "constant buffer", CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, Form::bytes, true},
    {"memory", "local", CL_DEVICE_LOCAL_MEM_SIZE, Form::bytes, true},
    {"memory", "program variables", CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, Form::bytes, true},
    {"memory", "data cache", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, Form::bytes, true},
    {"memory", "cache line", CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, Form::bytes, false},
    {"memory", "base address alignment bits", CL_DEVICE_MEM_BASE_ADDR_ALIGN, Form::number, false},
    {"features", "images", CL_DEVICE_IMAGE_SUPPORT, Form::yes_no, false},
    {"features", "pipes", CL_DEVICE_PIPE_SUPPORT, Form::yes_no, false},
    {"features", "generic address space", CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, Form::yes_no,
     false},
    {"features", "non-uniform work-groups", CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, Form::yes_no,
     false},
    {"features", "work-group collectives", CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
     Form::yes_no, false},
    {"features", "independent sub-groups", CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
     Form::yes_no, false},
    {"features", "extensions", CL_DEVICE_EXTENSIONS, Form::text, false},
});

using Json = nlohmann::ordered_json;

Json value_of(cl_device_id device, const Row &row) {
  uint64_t number =
      0; // an OpenCL value of four bytes leaves the upper half zero on little-endian machines
  switch (row.form) {
  case Form::text:
    return text_info(device, row.name);
  case Form::sizes: {
    std::array<size_t, 3> sizes{};
    clGetDeviceInfo(device, row.name, sizeof sizes, sizes.data(), nullptr);
    return sizes;
  }
  case Form::yes_no:
    return device_info<cl_bool>(device, row.name) != CL_FALSE;
  default:
    number =
        row.wide ? device_info<cl_ulong>(device, row.name) : device_info<cl_uint>(device, row.name);
    return number;
  }
}

std::string text_of(const Row &row, const Json &value) {
  switch (row.form) {
  case Form::text:
    return value.get<std::string>();
  case Form::bytes:
    return bytes_text(value.get<uint64_t>());
  case Form::yes_no:
    return value.get<bool>() ? "yes" : "no";
  case Form::sizes:
    return fmt::format("{} x {} x {}", value[0].get<size_t>(), value[1].get<size_t>(),
                       value[2].get<size_t>());
  case Form::number:
    break;
  }
  return fmt::format("{}", value.get<uint64_t>());
}

std::string key_of(std::string label) {
  for (char &c : label)
    c = c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return label;
}

// Values that only the compiler knows; they are not part of the OpenCL API.
Json compiler_json(const Inspection &library) {
  const compiler::TargetInfo &target = library.code_options().target;
  compiler::CacheStatistics cache = library.cache_statistics();
  Json json{{"version", library.compiler_version()},
            {"cpu", target.cpu},
            {"vector_bits", target.vector_bits},
            {"cache_directory", cache.directory},
            {"cache_enabled", cache.enabled},
            {"cache_entries", cache.entries},
            {"cache_bytes", cache.bytes}};
  return json;
}

// Which CPUs the threads of this process have; also not part of the OpenCL API.
Json threads_json(const runtime::PlacementReport &placement) {
  Json json{{"count", placement.threads}, {"cpus", placement.cpus}, {"bound", placement.is_bound}};
  if (placement.local) {
    json["local_rank"] = placement.local->rank;
    json["local_ranks"] = placement.local->size;
  }
  return json;
}

std::string threads_text(const runtime::PlacementReport &placement) {
  std::string text = fmt::format("{} {}{}{}", placement.threads,
                                 placement.is_bound ? "on CPUs " : "on any of CPUs ",
                                 placement.cpus, placement.is_bound ? "" : ", not bound");
  if (placement.local)
    text +=
        fmt::format("; rank {} of {} on this host", placement.local->rank, placement.local->size);
  return text;
}

void print_section(std::string_view name) {
  fmt::print("\n{}\n", colored(Color::bold, name));
}

void print_text(const Device &device, const Inspection *library) {
  fmt::print("{}\n", colored(Color::bold, "platform"));
  fmt::print("  {:28} {}\n", "name", text_info(device.platform, CL_PLATFORM_NAME));
  fmt::print("  {:28} {}\n", "version", text_info(device.platform, CL_PLATFORM_VERSION));
  std::string_view section;
  for (const Row &row : rows) {
    if (section != row.section)
      print_section(section = row.section);
    fmt::print("  {:28} {}\n", row.label, text_of(row, value_of(device.device, row)));
  }
  if (!library)
    return;
  print_section("threads");
  fmt::print("  {:28} {}\n", "work-groups", threads_text(library->report_placement()));
  Json json = compiler_json(*library);
  print_section("compiler");
  fmt::print("  {:28} {}\n", "version", json["version"].get<std::string>());
  fmt::print("  {:28} {}, vectors of {} bits\n", "compiles for", json["cpu"].get<std::string>(),
             json["vector_bits"].get<uint32_t>());
  fmt::print("  {:28} {} ({} entries, {}{})\n", "disk cache",
             json["cache_directory"].get<std::string>(), json["cache_entries"].get<uint64_t>(),
             bytes_text(json["cache_bytes"].get<uint64_t>()),
             json["cache_enabled"].get<bool>() ? "" : ", not used");
}

void print_json(const Device &device, const Inspection *library) {
  Json json{{"platform",
             {{"name", text_info(device.platform, CL_PLATFORM_NAME)},
              {"version", text_info(device.platform, CL_PLATFORM_VERSION)}}}};
  for (const Row &row : rows)
    json[row.section][key_of(row.label)] = value_of(device.device, row);
  if (library) {
    json["threads"] = threads_json(library->report_placement());
    json["compiler"] = compiler_json(*library);
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int run_info(const InfoOptions &options) {
  auto device = find_device(options.platform, options.device);
  if (!device)
    return report(device.error());
  const Inspection *library = nullptr;
  if (options.platform == "Lockstep") {
    auto found = inspection();
    if (!found)
      return report(found.error());
    library = *found;
  }
  if (options.json)
    print_json(*device, library);
  else
    print_text(*device, library);
  return 0;
}

} // namespace

void add_info(CLI::App &app, int &exit_code) {
  CLI::App *info = app.add_subcommand("info", "the platform, its device, their limits and caches");
  auto options = std::make_shared<InfoOptions>();
  info->add_flag("--json", options->json, "as JSON");
  info->add_option("--platform", options->platform, "another OpenCL platform of this machine")
      ->capture_default_str();
  info->add_option(
          "--device", options->device,
          "which device of the platform: its number from 0, cpu, gpu, or a part of its name "
          "or vendor, such as nvidia")
      ->capture_default_str();
  info->footer("Examples:\n"
               "  lockstep info\n"
               "  lockstep info --json | jq .limits\n"
               "  lockstep info --device nvidia\n"
               "  lockstep info --platform 'Portable Computing Language'");
  info->callback([options, &exit_code] { exit_code = run_info(*options); });
}

} // namespace lockstep::cli
