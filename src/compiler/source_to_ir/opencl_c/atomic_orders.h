// Errors for memory orders that an atomic function must not be given (OpenCL C sections 6.15.12.7
// and 6.15.12.8), where the order is a constant. clang takes its orders for integers like any other,
// and the device library would have to guess what is meant.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

std::unique_ptr<clang::ASTConsumer> refuse_wrong_orders(clang::CompilerInstance &compiler);

} // namespace lockstep::compiler
