// Reports errors for memory orders that an atomic function must not receive (OpenCL C sections
// 6.15.12.7 and 6.15.12.8), if the order is a constant. clang treats the orders as plain integers,
// and the device library would have to guess what a wrong one means.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

std::unique_ptr<clang::ASTConsumer> refuse_wrong_orders(clang::CompilerInstance &compiler);

} // namespace lockstep::compiler
