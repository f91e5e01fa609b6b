#include "front_ends/opencl_c/presumed_lines.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <map>

namespace lockstep::compiler {
namespace {

constexpr unsigned highest_line = 1u << 20;

class PresumedTexts {
public:
  explicit PresumedTexts(clang::SourceManager &sources) {
    for (unsigned index = 1; index < sources.local_sloc_entry_size(); ++index) {
      const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(index);
      if (entry.isFile())
        add(sources,
            sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset())));
    }
  }

  // Null if no file has that name.
  llvm::MDString *text_of(const llvm::DIFile &file) const {
    auto found = texts_.find(file.getFilename());
    if (found == texts_.end()) {
      llvm::SmallString<256> path(file.getDirectory());
      llvm::sys::path::append(path, file.getFilename());
      found = texts_.find(path);
    }
    if (found == texts_.end())
      return nullptr;
    std::string text;
    unsigned line = 1;
    for (const auto &[number, words] : found->second) {
      text.append(number - line, '\n');
      text += words;
      line = number;
    }
    return llvm::MDString::get(file.getContext(), text);
  }

private:
  void add(clang::SourceManager &sources, clang::FileID file) {
    const auto buffer = sources.getBufferOrNone(file);
    if (!buffer)
      return;
    llvm::StringRef rest = buffer->getBuffer();
    while (!rest.empty()) {
      const auto offset = unsigned(rest.data() - buffer->getBufferStart());
      const clang::PresumedLoc place = sources.getPresumedLoc(sources.getComposedLoc(file, offset));
      const auto [line, behind] = rest.split('\n');
      if (place.isValid() && place.getLine() >= 1 && place.getLine() <= highest_line) {
        auto [known, is_new] = texts_[place.getFilename()].try_emplace(place.getLine(), line);
        if (!is_new && known->second != line)
          known->second = "";
      }
      rest = behind;
    }
  }

  llvm::StringMap<std::map<unsigned, llvm::StringRef>> texts_;
};

class Scopes {
public:
  explicit Scopes(const PresumedTexts &texts) : texts_(texts) {}

  void visit(const llvm::DILocation *location) {
    for (; location; location = location->getInlinedAt())
      visit(location->getScope());
  }

  void visit(llvm::DIScope *scope) {
    for (; scope && seen_.insert(scope).second; scope = scope->getScope())
      for (unsigned index = 0; index != scope->getNumOperands(); ++index)
        if (auto *file = llvm::dyn_cast_or_null<llvm::DIFile>(scope->getOperand(index)))
          scope->replaceOperandWith(index, replacement_of(file));
  }

private:
  llvm::DIFile *replacement_of(llvm::DIFile *file) {
    if (!file->getSource())
      return file;
    if (llvm::DIFile *known = files_.lookup(file))
      return known;
    auto *made = llvm::DIFile::get(file->getContext(), file->getRawFilename(),
                                   file->getRawDirectory(), std::nullopt, texts_.text_of(*file));
    files_[file] = files_[made] = made;
    return made;
  }

  const PresumedTexts &texts_;
  llvm::SmallPtrSet<llvm::DIScope *, 32> seen_;
  llvm::DenseMap<llvm::DIFile *, llvm::DIFile *> files_;
};

} // namespace

void embed_presumed_lines(llvm::Module &module, clang::SourceManager &sources) {
  if (!sources.hasLineTable())
    return;
  const PresumedTexts texts(sources);
  Scopes scopes(texts);
  for (llvm::Function &function : module) {
    scopes.visit(function.getSubprogram());
    for (llvm::Instruction &instruction : llvm::instructions(function))
      scopes.visit(instruction.getDebugLoc().get());
  }
}

} // namespace lockstep::compiler
