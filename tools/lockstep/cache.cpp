// lockstep cache: shows or clears the disk cache.
#include "tools/lockstep/library.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

int show(bool json) {
  auto library = inspection();
  if (!library)
    return report(library.error());
  compiler::CacheStatistics cache = (*library)->cache_statistics();
  if (json) {
    nlohmann::ordered_json out{{"directory", cache.directory},
                               {"enabled", cache.enabled},
                               {"entries", cache.entries},
                               {"bytes", cache.bytes}};
    if (!cache.enabled)
      out["problem"] = cache.problem;
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  fmt::print("directory  {}\n", cache.directory);
  fmt::print("entries    {} ({})\n", cache.entries, bytes_text(cache.bytes));
  if (cache.enabled)
    fmt::print("state      {}\n", colored(Color::green, "in use"));
  else
    fmt::print("state      {}: {}\n", colored(Color::yellow, "not used"), cache.problem);
  return 0;
}

int clear() {
  auto library = inspection();
  if (!library)
    return report(library.error());
  compiler::CacheStatistics before = (*library)->cache_statistics();
  auto removed = (*library)->clear_cache();
  if (!removed)
    return report(removed.error());
  fmt::print("removed {} entries ({}) from {}\n", *removed, bytes_text(before.bytes),
             before.directory);
  return 0;
}

} // namespace

void add_cache(CLI::App &app, int &exit_code) {
  CLI::App *cache = app.add_subcommand("cache", "show or clear the disk cache of compiled kernels");
  cache->require_subcommand(1);
  cache->footer(
      "The cache lies in $LOCKSTEP_CACHE_DIR, else $XDG_CACHE_HOME/lockstep, else "
      "~/.cache/lockstep.\n"
      "Clearing it is always safe, also while programs run: what is missing is compiled again.");
  auto json = std::make_shared<bool>(false);
  CLI::App *show_command =
      cache->add_subcommand("show", "where it lies, how many entries, how large");
  show_command->add_flag("--json", *json, "as JSON");
  show_command->callback([json, &exit_code] { exit_code = show(*json); });
  cache->add_subcommand("clear", "remove all entries")->callback([&exit_code] {
    exit_code = clear();
  });
}

} // namespace lockstep::cli
