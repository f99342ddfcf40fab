#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace olem::internal {

// A fixed-size array on a 64-byte boundary, for kernels that load whole vectors.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(std::size_t size, T value) : size_(size), data_(allocate(size)) {
    std::fill_n(data_.get(), size, value);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Release {
    void operator()(T* pointer) const { ::operator delete(pointer, kAlignment); }
  };
  static T* allocate(std::size_t size) { return static_cast<T*>(::operator new(size * sizeof(T), kAlignment)); }

  std::size_t size_ = 0;
  std::unique_ptr<T, Release> data_;
};

}  // namespace olem::internal
