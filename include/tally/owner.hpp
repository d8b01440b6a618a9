// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace tally::detail {

// Owns an object, or none; can be moved, not copied. (Of std::unique_ptr's header a compiler would
// read tens of thousands of lines.)
template <class T>
class owner {
 public:
  owner() = default;
  explicit owner(T* owned) : object_(owned) {}
  owner(owner&& other) noexcept : object_(other.release()) {}
  template <class Derived>
  owner(owner<Derived>&& other) noexcept : object_(other.release()) {}
  owner& operator=(owner&& other) noexcept {
    owner taken(std::move(other));
    std::swap(object_, taken.object_);
    return *this;
  }
  ~owner() { delete object_; }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  T* release() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
owner<T> make_owner(Args&&... args) {
  return owner<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tally::detail
