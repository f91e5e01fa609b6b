#include "back_ends/cpu/jit/jit.h"

#include "back_ends/cpu/host_functions/host_functions.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/llvm_error.h"

#include "platform/linux/foreign_call.h"
#include "platform/linux/leaked.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <utility>

namespace lockstep::compiler {

namespace {

using namespace llvm::orc;

// Lives until the process ends: static objects of the program may still refer to code.
struct Session {
  std::unique_ptr<ExecutionSession> session;
  std::unique_ptr<ObjectLinkingLayer> linker;
  JITDylib *host = nullptr; // the functions of this process that device code may call
  std::atomic<uint64_t> count = 0;

  // Records why linking failed (which symbol is missing). A failed look-up names only the code that
  // is unavailable; the reason is reported separately and is stored here until the look-up has
  // failed. If several look-ups fail at once, one of them may report both reasons.
  void report(llvm::Error error) {
    std::lock_guard lock(mutex_);
    reports_ += (reports_.empty() ? "" : "; ") + llvm::toString(std::move(error));
  }
  std::string take_reports() {
    std::lock_guard lock(mutex_);
    return std::exchange(reports_, {});
  }

private:
  std::mutex mutex_;
  std::string reports_;
};

// Resolves the functions of the C library and the compiler's runtime library that replace
// instructions (memcpy, fma, a division of 128 bits). Resolves no other functions, because code
// also comes from files (library_functions.def). It does not search the global scope of the
// process: a program in plain C has loaded neither libm nor libgcc_s globally, and a function of
// the program with such a name must not be used. It searches the library that this file is part of,
// which has loaded both.
llvm::Expected<std::unique_ptr<DefinitionGenerator>> functions_for_instructions() {
  Dl_info here{};
  void *library = dladdr(reinterpret_cast<void *>(&functions_for_instructions), &here) != 0
                      ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                      : nullptr;
  if (!library) // in unit tests this file is part of an executable
    library = dlopen(nullptr, RTLD_LAZY);
  if (!library)
    return llvm::createStringError("dlopen finds neither this library nor the executable");
  return std::make_unique<DynamicLibrarySearchGenerator>(
      llvm::sys::DynamicLibrary(library), '\0',
      [](const SymbolStringPtr &symbol) { return is_library_function(*symbol); });
}

llvm::Error add_host_functions(Session &session) {
  SymbolMap symbols;
  for (const HostFunction &function : host_functions())
    symbols[session.session->intern(function.symbol)] = {ExecutorAddr::fromPtr(function.address),
                                                         llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = session.host->define(absoluteSymbols(std::move(symbols))))
    return error;
  auto generator = functions_for_instructions();
  if (!generator)
    return generator.takeError();
  session.host->addGenerator(std::move(*generator));
  return llvm::Error::success();
}

llvm::Expected<Session *> make_session() {
  auto control = SelfExecutorProcessControl::Create();
  if (!control)
    return control.takeError();
  auto *session = new Session;
  session->session = std::make_unique<ExecutionSession>(std::move(*control));
  session->session->setErrorReporter(
      [session](llvm::Error error) { session->report(std::move(error)); });
  session->linker = std::make_unique<ObjectLinkingLayer>(
      *session->session, session->session->getExecutorProcessControl().getMemMgr());
  // Objects with debug information are there for a debugger only (CodeOptions::debugger).
  llvm::Error error = llvm::Error::success();
  auto debugger = std::make_shared<ELFDebugObjectPlugin>(
      *session->session, /*RequireDebugSections=*/true, /*AutoRegisterCode=*/true, error);
  if (error)
    return error;
  session->linker->addPlugin(std::move(debugger));
  session->host = &session->session->createBareJITDylib("lockstep.host");
  if (llvm::Error failed = add_host_functions(*session))
    return failed;
  return session;
}

Result<Session *> the_session() {
  auto &made =
      leaked<AfterFork::make_again>([] { return new llvm::Expected<Session *>(make_session()); });
  if (made)
    return *made;
  return Error{ErrorKind::internal, "the JIT cannot start in this process"};
}

Result<std::shared_ptr<LoadedCode>> make_dylib(Session &session, const char *kind) {
  auto code = std::make_shared<LoadedCode>();
  code->dylib = &session.session->createBareJITDylib(std::string("lockstep.") + kind + "." +
                                                     std::to_string(session.count++));
  code->dylib->addToLinkOrder(*session.host);
  return code;
}

Result<void> add_object(Session &session, LoadedCode &code, const std::string &object) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "lockstep.object");
  if (llvm::Error error = session.linker->add(*code.dylib, std::move(buffer)))
    return from_llvm(std::move(error), "loading machine code");
  return {};
}

template <class Function>
Result<void> find(Session &session, LoadedCode &code, const char *name, Function &function) {
  auto symbol = session.session->lookup({code.dylib}, name);
  if (!symbol) {
    Error error = from_llvm(symbol.takeError(), "linking machine code");
    if (const std::string reasons = session.take_reports(); !reasons.empty())
      error.message += ": " + reasons;
    return error;
  }
  function = symbol->getAddress().toPtr<Function>();
  return {};
}

} // namespace

LoadedCode::~LoadedCode() {
  if (!dylib)
    return;
  auto remove = [&] {
    try {
      return !llvm::errorToBool(dylib->getExecutionSession().removeJITDylib(*dylib));
    } catch (const std::bad_alloc &) { // removing it allocates memory: the code stays loaded
      return false;
    }
  };
  (void)as_foreign_call(remove, false);
}

Result<std::shared_ptr<LoadedCode>> load_variables(const std::string &object) {
  return as_foreign_call([&]() -> Result<std::shared_ptr<LoadedCode>> {
    auto session = the_session();
    LOCKSTEP_TRY(session);
    auto code = make_dylib(**session, "program");
    LOCKSTEP_TRY(code);
    if (!object.empty())
      LOCKSTEP_TRY(add_object(**session, **code, object));
    return *code;
  });
}

Result<void *> find_variable(LoadedCode &variables, const std::string &symbol) {
  return as_foreign_call([&]() -> Result<void *> {
    auto session = the_session();
    LOCKSTEP_TRY(session);
    void *address = nullptr;
    LOCKSTEP_TRY(find(**session, variables, symbol.c_str(), address));
    return address;
  });
}

Result<LoadedKernel> load_kernel(const std::string &object, bool is_resumable,
                                 LoadedCode &program) {
  return as_foreign_call([&]() -> Result<LoadedKernel> {
    auto session = the_session();
    LOCKSTEP_TRY(session);
    auto code = make_dylib(**session, "kernel");
    LOCKSTEP_TRY(code);
    (*code)->dylib->addToLinkOrder(*program.dylib);
    LOCKSTEP_TRY(add_object(**session, **code, object));
    LoadedKernel loaded;
    loaded.code = *code;
    if (is_resumable) {
      LOCKSTEP_TRY(find(**session, *loaded.code, start_symbol, loaded.start));
      LOCKSTEP_TRY(find(**session, *loaded.code, resume_symbol, loaded.resume));
    } else {
      LOCKSTEP_TRY(find(**session, *loaded.code, workgroup_symbol, loaded.function));
    }
    return loaded;
  });
}

} // namespace lockstep::compiler
