// Embeds in debug information the lines of text to which `#line` directives assign numbers.
//
// clang embeds the text of the file that it read, but numbers its lines as `#line` says. The
// checker's reports look a number up in that text, so after a directive they would show a wrong
// line.
//
// Requires a module with embedded sources and the source manager that read them. Ensures that line
// n of each embedded text is the one that the directives call line n of that file; it is empty if
// there is none, or more than one.
#pragma once

namespace clang {
class SourceManager;
} // namespace clang
namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

void embed_presumed_lines(llvm::Module &module, clang::SourceManager &sources);

} // namespace lockstep::compiler
