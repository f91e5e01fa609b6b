// Warns of variables that a kernel's lambda captures and a device with memory of its own could not
// use: references to variables of the host, and objects that are not device copyable.
//
// Such programs run here, where the device is the host, and fail on other devices. So these are
// warnings, which -w disables.
#pragma once

namespace clang {
class ASTContext;
class RecordDecl;
} // namespace clang

namespace lockstep::driver {

// `function`: the function object of a kernel.
void check_captured_variables(clang::ASTContext &syntax, const clang::RecordDecl &function);

} // namespace lockstep::driver
