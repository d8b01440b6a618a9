// SPDX-License-Identifier: Apache-2.0
//
// Why a rung is there: what its file says at its beginning, which is the only place where that is
// written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder {

struct story {
  std::string change, predict, measured, bytes;  // what follows "Change:", "Predict:" and so on
  std::string gpu_only;           // what follows "GPU only:", why the SIMT machine cannot run it
  std::vector<std::string> more;  // paragraphs
};

// Of lines of comment, each "// ...": a label's text goes on in the lines that are indented.
story story_of(std::string_view comment);

struct told {
  std::string_view file, comment;
};
std::vector<told> const& all_told();  // every rung's, as it was when this was built

story story_of_file(std::string_view file);  // an empty one if there is none

}  // namespace ladder
