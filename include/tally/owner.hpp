// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace tally::detail {

// Owns an object, or none; can be moved, not copied. (Of std::unique_ptr's header a GPU compiler
// would read 16,000 lines.)
template <class T>
class owner {
 public:
  owner() = default;
  explicit owner(T* owned) : object_(owned) {}
  owner(owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  owner& operator=(owner&& other) noexcept {
    owner taken(std::move(other));
    std::swap(object_, taken.object_);
    return *this;
  }
  ~owner() { delete object_; }

  T* get() const { return object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace tally::detail
