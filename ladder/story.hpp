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
  std::string title;                             // of the first paragraph, without "Rung 3: "
  std::string change, predict, measured, bytes;  // what follows "Change:", "Predict:" and so on
  std::string gpu_only;           // what follows "GPU only:", why the SIMT machine cannot run it
  std::vector<std::string> more;  // paragraphs
};

// The lines that a text begins with, each "// ...": a label's text goes on in lines without one.
story story_of(std::string_view text);

struct told {
  std::string_view file, text;
};
std::vector<told> const& all_told();  // every rung's file, as it was when this was built

std::string_view text_of_file(std::string_view file);  // an empty one if there is none
story story_of_file(std::string_view file);

}  // namespace ladder
