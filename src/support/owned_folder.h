// Folders and files whose content only the effective user (and root) can have written.
//
// A folder is opened first and checked then, by its descriptor, so the one that was checked is the
// one that is used, whatever becomes of its path. Whoever may write to a folder above it can rename
// it: the next open finds another folder, which must pass the same check.
#pragma once

#include "support/descriptor.h"
#include "support/result.h"

#include <string>

namespace lockstep {

// Opens a folder of the effective user to which no other user may write. Its last component must not
// be a symbolic link. The error is a sentence that names the path.
Result<Descriptor> open_owned_folder(const std::string &path);
// The same for the folder `name` in the open folder `parent`.
Result<Descriptor> open_owned_folder_in(int parent, const std::string &name);

// Makes the folder, and those above it that are missing, for the effective user alone. An existing
// folder is success, whoever owns it. A folder is not made inside a folder of another user, unless
// that user is root or the folder is sticky: root with the HOME of a user must not leave folders
// there that the user can neither use nor write to.
Result<void> make_owned_folder(const std::string &path);

// Is it an open regular file of the effective user to which no other user may write?
bool is_owned_file(int file);

} // namespace lockstep
