// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace ladder::exhibits {

// Compares what a kernel gave with what is right, and remembers what was wrong.
class check {
 public:
  template <class T>
  void equal(std::string const& what, T const& expected, T const& found) {
    if (found == expected) return;
    if (!wrong_.empty()) wrong_ += "; ";
    wrong_ += what + ": expected " + text(expected) + ", found " + text(found);
  }

  // Empty if everything was right.
  std::string const& wrong() const { return wrong_; }

 private:
  template <class T>
  static std::string text(T const& value) {
    std::ostringstream out;
    out.precision(9);
    out << value;
    return out.str();
  }
  template <class T>
  static std::string text(std::vector<T> const& values) {
    std::string all;
    for (auto const& value : values) all += (all.empty() ? "" : " ") + text(value);
    return all;
  }

  std::string wrong_;
};

}  // namespace ladder::exhibits
