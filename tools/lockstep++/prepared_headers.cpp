#include "tools/lockstep++/prepared_headers.h"

#include "process/disk_cache.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <utility>

namespace lockstep::driver {
namespace {

namespace fs = std::filesystem;
using compiler::CacheKey;
using compiler::DiskCache;
using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// ---- Sources

// Headers of the C library that no macro changes, except NDEBUG, which each inclusion of <assert.h>
// reads.
constexpr llvm::StringRef headers_of_c[] = {"assert.h", "float.h",  "inttypes.h", "limits.h",
                                            "math.h",   "stddef.h", "stdint.h",   "stdio.h",
                                            "stdlib.h", "string.h", "time.h"};

bool is_standard_header(llvm::StringRef name) {
  const bool is_of_cxx = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return (is_of_cxx && !name.empty()) || llvm::is_contained(headers_of_c, name);
}

void skip_spaces_and_comments(llvm::StringRef &text) {
  for (;;) {
    text = text.ltrim();
    const llvm::StringRef end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    const std::size_t place = end.empty() ? end.npos : text.find(end, 2);
    if (place == text.npos)
      return;
    // A line comment that continues in the next line is left to the preprocessor.
    if (end == "\n" && text.take_front(place).rtrim('\r').ends_with("\\"))
      return;
    text = text.drop_front(place + end.size());
  }
}

// Removes `#include <name>` from the text and returns the name; empty if something else follows.
llvm::StringRef take_include(llvm::StringRef &text) {
  llvm::StringRef rest = text;
  const auto take = [&](llvm::StringRef word) {
    rest = rest.ltrim(" \t");
    return rest.consume_front(word);
  };
  if (!take("#") || !take("include") || !take("<"))
    return "";
  const llvm::StringRef name = rest.take_until([](char c) { return c == '>' || c == '\n'; });
  rest = rest.drop_front(name.size());
  if (!rest.consume_front(">"))
    return "";
  text = rest;
  return name;
}

// ---- Options

// Options for the user's folders. They are not part of the key; the folders are searched instead.
constexpr llvm::StringRef folder_options[] = {"-isystem",   "-iquote",      "-idirafter",
                                              "-c-isystem", "-cxx-isystem", "-I"};
// Options that do not affect the text or its declarations: output files and the name of the source.
constexpr llvm::StringRef with_value[] = {"-o",
                                          "-main-file-name",
                                          "-dumpdir",
                                          "-dependency-file",
                                          "-MT",
                                          "-MQ",
                                          "-split-dwarf-file",
                                          "-split-dwarf-output",
                                          "-stats-file",
                                          "-coverage-notes-file",
                                          "-coverage-data-file"};
constexpr llvm::StringRef alone[] = {"-MP",
                                     "-sys-header-deps",
                                     "-emit-obj",
                                     "-S",
                                     "-emit-llvm",
                                     "-emit-llvm-bc",
                                     "-fsyntax-only",
                                     "-fdebug-compilation-dir=",
                                     "-fcoverage-compilation-dir=",
                                     "-object-file-name="};

struct Options {
  std::vector<llvm::StringRef> kept; // options of the front end, without the input
  std::vector<std::string> folders;  // folders of the user
};

Options options_of(llvm::ArrayRef<const char *> arguments, const std::string &input,
                   const std::string &own_headers) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const llvm::StringRef argument = arguments[i];
    const llvm::StringRef next = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (llvm::is_contained(folder_options, argument)) {
      ++i;
      if (next != own_headers)
        options.folders.push_back(next.str());
    } else if (argument.starts_with("-I"))
      options.folders.push_back(argument.drop_front(2).str());
    else if (llvm::is_contained(with_value, argument))
      ++i;
    else if (argument != input &&
             llvm::none_of(alone, [&](llvm::StringRef word) { return argument.starts_with(word); }))
      options.kept.push_back(argument);
  }
  return options;
}

bool can_use(const clang::CompilerInvocation &invocation) {
  namespace frontend = clang::frontend;
  const auto &front_end = invocation.getFrontendOpts();
  const auto &preprocessor = invocation.getPreprocessorOpts();
  constexpr frontend::ActionKind actions[] = {frontend::EmitAssembly, frontend::EmitBC,
                                              frontend::EmitLLVM,     frontend::EmitLLVMOnly,
                                              frontend::EmitObj,      frontend::ParseSyntaxOnly};
  const auto &inputs = front_end.Inputs;
  return inputs.size() == 1 && inputs[0].isFile() &&
         inputs[0].getKind().getLanguage() == clang::Language::CXX &&
         inputs[0].getKind().getFormat() == clang::InputKind::Source &&
         !inputs[0].getKind().isPreprocessed() && !inputs[0].getKind().isHeader() &&
         llvm::is_contained(actions, front_end.ProgramAction) && preprocessor.Includes.empty() &&
         preprocessor.MacroIncludes.empty() && preprocessor.ImplicitPCHInclude.empty() &&
         front_end.Plugins.empty() && front_end.ModuleFiles.empty() &&
         !invocation.getLangOpts().Modules && !invocation.getCodeGenOpts().CoverageMapping &&
         !invocation.getDependencyOutputOpts().ShowHeaderIncludes;
}

// ---- Entries
//
// An entry is a line with the size of the list, the list, and the precompiled header. Lines of the
// list are "file SIZE TIME PATH" and "name NAME", the first component of an #include.

std::string line_of_file(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return "";
  return fmt::format("file {} {}.{:09} {}\n", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, path);
}

bool any_folder_has(const std::vector<std::string> &folders, const std::string &name) {
  return llvm::any_of(folders, [&](const std::string &folder) {
    std::error_code ignored;
    return fs::exists(fs::path(folder) / name, ignored);
  });
}

enum class State : std::uint8_t { usable, outdated, shadowed };

State state_of(llvm::StringRef list, const std::vector<std::string> &folders) {
  while (!list.empty()) {
    llvm::StringRef line;
    std::tie(line, list) = list.split('\n');
    if (line.consume_front("name ")) {
      if (any_folder_has(folders, line.str()))
        return State::shadowed;
    } else if (line_of_file(line.split(' ').second.split(' ').second.split(' ').second.str()) !=
               (line + "\n").str())
      return State::outdated;
  }
  return State::usable;
}

// Collects all files that were read, including system headers.
class AllFiles : public clang::DependencyCollector {
  bool needSystemDependencies() override { return true; }
};

std::string list_of(const clang::DependencyCollector &read,
                    const clang::HeaderSearchOptions &search) {
  std::string files;
  std::set<std::string> names;
  for (const std::string &path : read.getDependencies()) {
    files += line_of_file(path);
    for (const auto &folder : search.UserEntries)
      if (llvm::StringRef name = path; name.consume_front(folder.Path) && name.consume_front("/"))
        names.insert(name.split('/').first.str());
  }
  for (const std::string &name : names)
    files += "name " + name + "\n";
  return files;
}

// If a file changed during parsing, the parsed text may match neither version. File times use this
// clock.
timespec time_of_files() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}
bool any_changed_since(const timespec &begin, const clang::DependencyCollector &read) {
  return llvm::any_of(read.getDependencies(), [&](const std::string &path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) != 0 ||
           std::pair(status.st_ctim.tv_sec, status.st_ctim.tv_nsec) >=
               std::pair(begin.tv_sec, begin.tv_nsec);
  });
}

class TemporaryFile {
public:
  TemporaryFile() {
    if (llvm::sys::fs::createTemporaryFile("lockstep-headers", "pch", path_))
      path_.clear();
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(fs::path(path_.str().str()), ignored);
  }
  std::string path() const { return path_.str().str(); }

private:
  llvm::SmallString<128> path_;
};

// Makes an entry. Returns an empty string if the headers have errors with these options, which the
// source itself will report, or if the headers change meanwhile.
std::string make_entry(const clang::CompilerInvocation &invocation, const Options &options,
                       const std::string &header, Files files) {
  const TemporaryFile output;
  if (output.path().empty())
    return "";
  auto own = std::make_shared<clang::CompilerInvocation>(invocation);
  auto &front_end = own->getFrontendOpts();
  front_end.Inputs = {{header, front_end.Inputs[0].getKind().getHeader(), /*IsSystem=*/true}};
  front_end.ProgramAction = clang::frontend::GeneratePCH;
  front_end.OutputFile = output.path();
  own->getDependencyOutputOpts() = {};
  own->getLangOpts().PCHInstantiateTemplates = true;
  auto &search = own->getHeaderSearchOpts();
  llvm::erase_if(search.UserEntries, [&](const auto &entry) {
    return llvm::is_contained(options.folders, entry.Path);
  });
  clang::CompilerInstance compiler(own);
  compiler.createVirtualFileSystem(std::move(files));
  compiler.createDiagnostics(new clang::IgnoringDiagConsumer);
  auto read = std::make_shared<AllFiles>();
  compiler.addDependencyCollector(read);
  clang::GeneratePCHAction action;
  const timespec begin = time_of_files();
  const std::string list = compiler.ExecuteAction(action) ? list_of(*read, search) : "";
  if (list.empty() || compiler.getDiagnostics().hasErrorOccurred() ||
      any_changed_since(begin, *read))
    return "";
  auto content = llvm::MemoryBuffer::getFile(output.path(), /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!content)
    return "";
  return fmt::format("{}\n", list.size()) + list + (*content)->getBuffer().str();
}

struct Parts {
  llvm::StringRef list, header;
};
Parts parts_of(llvm::StringRef entry) {
  const auto [size, rest] = entry.split('\n');
  std::size_t length = 0;
  size.getAsInteger(10, length);
  return {rest.take_front(length), rest.drop_front(std::min(length, rest.size()))};
}

// Returns none if there is no usable entry.
std::optional<std::string> entry_for(const clang::CompilerInvocation &invocation,
                                     const Options &options, const CacheKey &key,
                                     const std::string &header, const Files &files) {
  DiskCache &cache = DiskCache::of_process();
  constexpr const char *kind = "headers", *seen = "headers-seen";
  std::optional<std::string> entry = cache.get(kind, key);
  State state = entry ? state_of(parts_of(*entry).list, options.folders) : State::outdated;
  if (!entry && !cache.get(seen, key)) {
    cache.put(seen, key, "");
    return std::nullopt;
  }
  if (state == State::outdated) {
    entry = make_entry(invocation, options, header, files);
    if (entry->empty())
      return std::nullopt;
    cache.put(kind, key, *entry);
    state = state_of(parts_of(*entry).list, options.folders);
  }
  return state == State::usable ? std::move(entry) : std::nullopt;
}

} // namespace

std::optional<std::vector<std::string>> headers_before_sycl(llvm::StringRef source) {
  std::vector<std::string> before;
  for (;;) {
    skip_spaces_and_comments(source);
    const llvm::StringRef name = take_include(source);
    if (name == "sycl/sycl.hpp" || name == "CL/sycl.hpp")
      return before;
    if (!is_standard_header(name))
      return std::nullopt;
    before.push_back(name.str());
  }
}

void use_prepared_headers(clang::CompilerInvocation &invocation,
                          llvm::ArrayRef<const char *> arguments, const Installation &installation,
                          Files &files) {
  if (!can_use(invocation))
    return;
  const std::string input = invocation.getFrontendOpts().Inputs[0].getFile().str();
  auto source = files->getBufferForFile(input);
  const auto before = source ? headers_before_sycl((*source)->getBuffer()) : std::nullopt;
  if (!before)
    return;
  const Options options = options_of(arguments, input, installation.headers);
  if (llvm::any_of(*before,
                   [&](const std::string &name) { return any_folder_has(options.folders, name); }))
    return;
  compiler::CacheKeyBuilder key;
  key.add("SYCL's headers").add(installation.headers);
  for (const llvm::StringRef option : options.kept)
    key.add(option);
  const auto &entries = invocation.getHeaderSearchOpts().UserEntries;
  if (llvm::any_of(entries, [](const auto &entry) { return fs::path(entry.Path).is_relative(); }))
    key.add(fs::current_path().string());
  const std::string header = installation.headers + "/sycl/sycl.hpp";
  const auto entry = entry_for(invocation, options, key.key(), header, files);
  if (!entry)
    return;
  const std::string name = header + ".pch";
  auto prepared = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  prepared->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(parts_of(*entry).header, name));
  auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(files);
  both->pushOverlay(prepared);
  files = both;
  invocation.getPreprocessorOpts().ImplicitPCHInclude = name;
}

} // namespace lockstep::driver
