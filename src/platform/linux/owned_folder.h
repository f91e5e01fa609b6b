// Folders and files whose content only the effective user (and root) can have written.
//
// A folder is opened first and then checked through its descriptor. The checked folder is thus the
// one that is used, even if its path changes. A user who may write to a parent folder can rename
// the folder; the next open then finds another folder, which must pass the same check.
#pragma once

#include "platform/linux/descriptor.h"
#include "support/result.h"

#include <string>

namespace lockstep {

// Opens a folder that the effective user owns and that no other user may write to. Its last
// component must not be a symbolic link. The error is a sentence that names the path.
Result<Descriptor> open_owned_folder(const std::string &path);
// The same for the folder `name` in the open folder `parent`.
Result<Descriptor> open_owned_folder_in(int parent, const std::string &name);

// Creates the folder and missing parents, accessible to the effective user only. An existing folder
// is success, whatever its owner. Creates no folder inside a folder of another user, unless that
// user is root or the folder is sticky. Otherwise root with the HOME of a user would leave folders
// there that the user cannot use.
Result<void> make_owned_folder(const std::string &path);

// Makes and checks the folder <name>-<effective user id> in $TMPDIR or /tmp. Returns its path.
Result<std::string> make_owned_temporary_folder(const std::string &name);

// True if it is an open regular file that the effective user owns and that no other user may write
// to.
bool is_owned_file(int file);

} // namespace lockstep
