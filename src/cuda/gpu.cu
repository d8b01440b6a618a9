// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu.hpp"

#include <optional>

#include "src/cuda/capture.cuh"
#include "src/cuda/on_device.cuh"
#include "src/cuda/sort.cuh"
#include "src/cuda/staging.cuh"
#include "src/cuda/workspace.cuh"
#include "tally/devices.hpp"
#include "tally/gpu/pipeline.hpp"

namespace tally::detail {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value;
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// Enough for calls on whole arrays, so that they can be captured at once.
std::size_t first_workspace(int device) {
  constexpr std::size_t each = 16 << 10;
  return each * std::size_t(attribute(cudaDevAttrMultiProcessorCount, device));
}

class cuda_gpu : public gpu_context {
 public:
  cuda_gpu(CUstream_st* stream, gpu_memory* memory, int device)
      : stream_(stream),
        device_(device),
        multiprocessors_(attribute(cudaDevAttrMultiProcessorCount, device)),
        reaches_host_(attribute(cudaDevAttrPageableMemoryAccess, device) != 0),
        memory_(memory),
        workspace_(std::in_place, stream, memory_, first_workspace(device)) {}
  ~cuda_gpu() {
    int before = device_;
    cudaGetDevice(&before);
    cudaSetDevice(device_);
    workspace_.reset();
    leave(before);
  }

  CUstream_st* stream() const override { return stream_; }
  int multiprocessors() const override { return multiprocessors_; }
  device::workspace workspace(std::size_t words) override { return workspace_->take(words, 0).w; }
  device::call_memory memory(std::size_t words, std::size_t scratch) override {
    return workspace_->take(words, scratch);
  }

  bool reaches(void const* data) const override {
    if (reaches_host_) return true;
    cudaPointerAttributes found;
    check(cudaPointerGetAttributes(&found, data));
    return found.type != cudaMemoryTypeUnregistered;
  }

  int device() const override { return device_; }
  std::string name() const override {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device_));
    return properties.name;
  }
  std::size_t free_bytes() const override {
    on_device const here(device_);
    std::size_t free, total;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }
  void reserve(std::size_t bytes) override {
    on_device const here(device_);
    workspace_->reserve(bytes);
  }
  void with_workspace(std::span<std::byte> bytes) override {
    on_device const here(device_);
    workspace_->use(bytes);
  }
  void synchronise() override {
    on_device const here(device_);  // the default stream is the current device's
    check(cudaStreamSynchronize(stream_));
  }
  void* result_slot(std::size_t bytes) override {
    if (capture_of(stream_))
      throw error("gpu: a value cannot be returned from a capture: reduce_into can be captured");
    return result_.room(bytes);
  }
  std::size_t sort_scratch(std::uint64_t count, std::size_t key_bytes) override {
    return scratch_of_sort(count, key_bytes);
  }
  int sort(device::pairs_to_sort<std::uint32_t> const& pairs, int bits, std::byte* scratch,
           std::size_t scratch_bytes) override {
    return sort_pairs(pairs, bits, scratch, scratch_bytes, stream_);
  }
  int sort(device::pairs_to_sort<std::uint64_t> const& pairs, int bits, std::byte* scratch,
           std::size_t scratch_bytes) override {
    return sort_pairs(pairs, bits, scratch, scratch_bytes, stream_);
  }
  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes, stream_); }
  void release(void* data, std::size_t bytes) noexcept override {
    memory_.release(data, bytes, stream_);
  }
  void send(void* to, std::span<std::byte const> from) override {
    staging_.send(to, from, stream_);
  }
  void receive(std::span<std::byte> to, void const* from) override {
    staging_.receive(to, from, stream_);
  }
  void copy(void* to, void const* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
  }
  int enter() override { return enter_device(device_); }
  void leave(int before) noexcept override {
    if (before != device_) cudaSetDevice(before);
  }

 private:
  CUstream_st* stream_;
  int device_, multiprocessors_;
  bool reaches_host_;  // pageable memory, too
  device_memory memory_;
  std::optional<kept_workspace> workspace_;
  staging staging_;
  pinned result_;
};

struct stream_of_a_gpu {
  own_stream own;
};
// The stream outlives what is on it.
class cuda_gpu_beside final : stream_of_a_gpu, public cuda_gpu {
 public:
  explicit cuda_gpu_beside(int device) : cuda_gpu(own, nullptr, device) {}
};

int device_for(CUstream_st* stream, int asked) {
  if (auto const why = no_gpu_because(); !why.empty()) throw error("no GPU: " + why);
  int count, device;
  check(cudaGetDeviceCount(&count));
  if (asked < -1 || asked >= count)
    throw error("gpu: device = " + std::to_string(asked) + ", where there are " +
                std::to_string(count) + " from 0 on");
  auto capturing = cudaStreamCaptureStatusNone;
  if (stream != nullptr) check(cudaStreamIsCapturing(stream, &capturing));
  if (stream == nullptr || capturing != cudaStreamCaptureStatusNone) {  // or it cannot be asked
    check(cudaGetDevice(&device));
    return asked == -1 ? device : asked;
  }
  check(cudaStreamGetDevice(stream, &device));
  if (asked != -1 && asked != device)
    throw error("gpu: device = " + std::to_string(asked) + ", but the stream is one of device " +
                std::to_string(device));
  return device;
}

}  // namespace

gpu_context* open_gpu(CUstream_st* stream, gpu_memory* memory, int device) {
  device = device_for(stream, device);
  on_device const here(device);
  return new cuda_gpu(stream, memory, device);
}

gpu_context* open_gpu_beside(int device) {
  device = device_for(nullptr, device);
  on_device const here(device);
  return new cuda_gpu_beside(device);
}

int gpu_holding(void const* data) {
  cudaPointerAttributes found;
  if (cudaPointerGetAttributes(&found, data) != cudaSuccess) return cudaGetLastError(), -1;
  bool const there = found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
  return there ? found.device : -1;
}

}  // namespace tally::detail
