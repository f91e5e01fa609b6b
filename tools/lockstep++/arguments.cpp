#include "tools/lockstep++/arguments.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace lockstep::driver {
namespace {

namespace options = clang::options;

llvm::opt::InputArgList parse(const std::vector<const char *> &arguments) {
  unsigned missing_index = 0, missing_count = 0;
  return clang::getDriverOptTable().ParseArgs(arguments, missing_index, missing_count,
                                              llvm::opt::Visibility(options::ClangOption));
}

std::vector<const char *> pointers(const Arguments &arguments) {
  std::vector<const char *> result;
  for (const std::string &argument : arguments)
    result.push_back(argument.c_str());
  return result;
}

// Returns true if there is a link step: none of these options ends the work earlier.
bool links(const llvm::opt::InputArgList &arguments) {
  return arguments.hasArg(options::OPT_INPUT) &&
         !arguments.hasArg(options::OPT_c, options::OPT_S, options::OPT_E,
                           options::OPT_fsyntax_only, options::OPT_M, options::OPT_MM) &&
         !arguments.hasArg(options::OPT__precompile, options::OPT_emit_llvm, options::OPT__analyze);
}

// Options that affect the meaning of a source. -f options are kept too, except those that begin
// like an entry of `host_only`: their features do not exist on the device, or the runtime's
// compiler decides.
constexpr llvm::StringRef meaning[] = {"-I",
                                       "-D",
                                       "-U",
                                       "-std=",
                                       "--std=",
                                       "-isystem",
                                       "-iquote",
                                       "-idirafter",
                                       "-include",
                                       "-imacros",
                                       "-isysroot",
                                       "-target",
                                       "--target=",
                                       "--sysroot",
                                       "-nostdinc",
                                       "-nostdinc++",
                                       "-stdlib=",
                                       "-stdlib++-isystem",
                                       "-iprefix",
                                       "-iwithprefix",
                                       "-iwithprefixbefore",
                                       "--gcc-toolchain=",
                                       "--gcc-install-dir=",
                                       "-pthread",
                                       "-Wp,",
                                       "-ansi",
                                       "-pedantic",
                                       "-resource-dir",
                                       "-ffast-math",
                                       "-fno-",
                                       "-f"};
constexpr llvm::StringRef host_only[] = {"-fopenmp",
                                         "-fsanitize",
                                         "-fno-sanitize",
                                         "-fprofile",
                                         "-fno-profile",
                                         "-fcoverage",
                                         "-fembed",
                                         "-flto",
                                         "-fno-lto",
                                         "-fPIC",
                                         "-fpic",
                                         "-fPIE",
                                         "-fpie",
                                         "-fno-pic",
                                         "-fno-PIC",
                                         "-fno-PIE",
                                         "-fno-pie",
                                         "-fstack",
                                         "-fno-stack",
                                         "-fcf-",
                                         "-fxray",
                                         "-fsyntax-only",
                                         "-fsave",
                                         "-fuse-ld",
                                         "-foffload",
                                         "-fvisibility",
                                         "-ftime-",
                                         "-fdiagnostics",
                                         "-fcolor",
                                         "-fno-color",
                                         "-fno-sycl",
                                         "-fsycl",
                                         "-fintegrated",
                                         "-fno-integrated",
                                         "-ffunction-sections",
                                         "-fdata-sections",
                                         "-femulated",
                                         "-fplt",
                                         "-fno-plt",
                                         "-ftls",
                                         "-fcrash",
                                         "-fno-crash",
                                         "-fuse-cxa-atexit",
                                         "-fexceptions",
                                         "-fno-omit",
                                         "-fomit",
                                         "-fmodules",
                                         "-fplugin",
                                         "-fpass-plugin",
                                         "-fvectorize",
                                         "-fno-vectorize",
                                         "-funroll",
                                         "-fno-unroll",
                                         "-fdebug",
                                         "-fmax-errors",
                                         "-fansi-escape",
                                         "-fasynchronous",
                                         "-fsplit",
                                         "-fsemantic",
                                         "-fno-semantic",
                                         "-fno-asynchronous",
                                         "-fverbose",
                                         "-fcommon",
                                         "-fno-common"};

bool begins_with_one_of(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> beginnings) {
  return llvm::any_of(beginnings, [&](llvm::StringRef word) { return text.starts_with(word); });
}

bool has_one_meaning(const llvm::opt::Arg &argument) {
  const llvm::StringRef spelling = argument.getSpelling();
  return begins_with_one_of(spelling, meaning) && !begins_with_one_of(spelling, host_only);
}

// -w does not disable warnings that are errors by default, such as c++11-narrowing.
bool disables_warning(const llvm::opt::Arg &argument, const llvm::opt::InputArgList &all) {
  return llvm::StringRef(argument.getAsString(all)).starts_with("-Wno-");
}

// Allows narrowing in braces for a constructor parameter that is a reference, as in float1{n}.
// Other SYCL compilers accept it, and programs rely on that.
constexpr const char *narrowing_is_no_error = "-Wno-error=c++11-narrowing-const-reference";

bool wants_debug_information(const llvm::opt::InputArgList &parsed) {
  const llvm::opt::Arg *last = parsed.getLastArg(options::OPT_g_Group);
  return last && !last->getOption().matches(options::OPT_g0) &&
         !last->getOption().matches(options::OPT_gline_tables_only);
}

// Macros that DPC++ defines before the first line.
Arguments macros(const UserOptions &user) {
  return user.has_unnamed_kernels ? Arguments{"-D__SYCL_UNNAMED_LAMBDA__=1"} : Arguments{};
}

// The folders of Debian's dynamic linker.
bool is_searched_without_path(llvm::StringRef folder, const llvm::Triple &host) {
  return folder == "/usr/lib" || folder == ("/usr/lib/" + host.getArchName() + "-linux-gnu").str();
}

// The machine that the program runs on.
llvm::Triple host_of(const llvm::opt::InputArgList &parsed) {
  return llvm::Triple(llvm::Triple::normalize(
      parsed.getLastArgValue(options::OPT_target, llvm::sys::getDefaultTargetTriple())));
}

// Gives types the layout and the sign that they have on the host. Options of the user come later.
void use_types_of_host(const llvm::Triple &host, Arguments &arguments) {
  arguments.push_back("-fnew-alignment=16");
  if (host.isAArch64())
    arguments.insert(arguments.end(),
                     {"-Xclang", "-mlong-double-128", "-Xclang", "-fwchar-type=int", "-Xclang",
                      "-fno-signed-wchar", "-funsigned-char"});
  else
    arguments.insert(arguments.end(), {"-Xclang", "-mlong-double-80"});
}

} // namespace

Arguments host_arguments(const Installation &installation, const UserOptions &user) {
  Arguments arguments = {installation.clang, "--driver-mode=g++", narrowing_is_no_error};
  llvm::append_range(arguments, user.arguments);
  llvm::append_range(arguments, macros(user));
  // These are the arguments that clang's own -fsycl passes. -fsycl itself would add a link step
  // that fails on Debian.
  arguments.insert(arguments.end(), {"-Xclang", "-fsycl-is-host", "-Xclang", "-sycl-std=2020",
                                     "-isystem", installation.headers});
  const std::vector<const char *> texts = pointers(user.arguments);
  if (links(parse(texts))) {
    arguments.insert(arguments.end(), {"-L" + installation.library, "-llockstep_sycl"});
    if (!is_searched_without_path(installation.library, host_of(parse(texts))))
      arguments.push_back("-Wl,-rpath," + installation.library);
  }
  return arguments;
}

Arguments device_arguments(const Installation &installation, const UserOptions &user,
                           const std::string &source) {
  Arguments arguments = {installation.clang, "--driver-mode=g++", "-fsycl", "-fsycl-device-only",
                         // Equals spir64 except for the name, which device_pass.cpp restores. clang
                         // emits atomic scopes only for this target.
                         "--offload-targets=spirv64-unknown-unknown", "-D__SPIR__", "-D__SPIR64__",
                         "-c", "-emit-llvm",
                         // Like -O2, but without passes: functions must not become optnone.
                         "-O2", "-Xclang", "-disable-llvm-passes", "-Xclang", "-fignore-exceptions",
                         // The host side has reported the warnings.
                         "-w", narrowing_is_no_error, "-o", "-"};
  const std::vector<const char *> texts = pointers(user.arguments);
  const llvm::opt::InputArgList parsed = parse(texts);
  use_types_of_host(host_of(parsed), arguments);
  // Lines are for reports. Neither affects the machine code, unless a debugger asks for it.
  if (wants_debug_information(parsed))
    arguments.insert(arguments.end(),
                     {"-g", "-gno-key-instructions"}); // a debugger stops at each line
  else
    arguments.push_back("-gline-tables-only");
  for (const llvm::opt::Arg *argument : parsed) {
    if (argument->getOption().getID() == options::OPT_INPUT ||
        !(has_one_meaning(*argument) || disables_warning(*argument, parsed)))
      continue;
    llvm::opt::ArgStringList words;
    argument->render(parsed, words);
    arguments.insert(arguments.end(), words.begin(), words.end());
  }
  // After -ffp-model=, which also sets it. Otherwise std::complex calls functions of the compiler's
  // runtime library.
  arguments.push_back("-fcomplex-arithmetic=improved");
  llvm::append_range(arguments, user.for_device);
  llvm::append_range(arguments, macros(user));
  arguments.insert(arguments.end(), {"-isystem", installation.headers, "-x", "c++", source});
  return arguments;
}

} // namespace lockstep::driver
