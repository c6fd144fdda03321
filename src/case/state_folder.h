// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the cases of a project are kept. Nothing is created by asking.

#include <string>
#include <vector>

namespace assay {

// <project>/.assay, or a folder under the user's state directory where the project cannot be written, is another user's, or holds
// a link or a file of that name: a project that was fetched from somewhere must not choose where assay writes. `override_folder`
// if it is not empty. Empty where none of these exists: neither HOME nor XDG_STATE_HOME names an absolute path.
std::string StateFolder(const std::string& project, const std::string& override_folder);

// All places, existing or not, in the order in which they are looked at.
std::vector<std::string> StateFolders(const std::string& project, const std::string& override_folder);

}  // namespace assay
