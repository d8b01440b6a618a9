// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/workspace.cuh"

#include <algorithm>
#include <string>

#include "src/cuda/capture.cuh"

namespace tally {
namespace {

constexpr std::size_t word_bytes = sizeof(device::status_word);
constexpr std::size_t header_bytes = device::workspace::header_bytes;

std::size_t rounded(std::size_t bytes) {
  return (bytes + word_bytes - 1) / word_bytes * word_bytes;
}

std::string needs(std::size_t bytes, std::size_t there) {
  return "gpu: a call needs " + std::to_string(bytes) + " bytes of workspace, more than the " +
         std::to_string(there);
}

}  // namespace

kept_workspace::kept_workspace(CUstream_st* stream, device_memory source, std::size_t bytes)
    : stream_(stream), source_(source) {
  replace(bytes, capture_of(stream));
}

// A capture would take the release into its graph; better to leave the memory than to do that.
kept_workspace::~kept_workspace() {
  cudaStreamCaptureStatus status;
  auto const code = cudaStreamIsCapturing(stream_, &status);
  if (code == cudaSuccess && status == cudaStreamCaptureStatusNone)
    for (auto const& each : blocks_) release(each);
  cudaGetLastError();
}

// What the block must hold for calls like those before and one more.
std::size_t kept_workspace::block::with(std::size_t words_too, std::size_t scratch_too) const {
  return std::max(words, words_too) + std::max(scratch, scratch_too);
}

device::call_memory kept_workspace::take(std::size_t words, std::size_t scratch) {
  if (words == 0 && scratch == 0) return {{nullptr, nullptr, 0}, nullptr};
  constexpr std::size_t most = std::size_t(-1) / 4;
  if (words > most / word_bytes)
    throw error("gpu: a call needs " + std::to_string(words) + " status words of workspace");
  if (scratch > most)
    throw error("gpu: a call needs " + std::to_string(scratch) + " bytes of scratch");
  std::size_t const of_words = words == 0 ? 0 : header_bytes + words * word_bytes;
  auto& all = room(of_words, rounded(scratch));
  all.words = std::max(all.words, of_words), all.scratch = std::max(all.scratch, rounded(scratch));
  device::call_memory found{{nullptr, nullptr, 0},
                            all.data + all.bytes / word_bytes * word_bytes - rounded(scratch)};
  if (words != 0)
    found.w = {reinterpret_cast<std::uint32_t*>(all.data),
               reinterpret_cast<device::status_word*>(all.data + header_bytes),
               (all.bytes - all.scratch - header_bytes) / word_bytes};
  return found;
}

kept_workspace::block& kept_workspace::room(std::size_t words, std::size_t scratch) {
  if (callers_.data) {
    auto const bytes = callers_.with(words, scratch);
    if (bytes > callers_.bytes) throw error(needs(bytes, callers_.bytes) + " of with_workspace");
    return callers_;
  }
  auto const capture = capture_of(stream_);
  bool const there = find(capture);
  auto const most = blocks_.back().bytes;
  auto const bytes = there ? blocks_.back().with(words, scratch) : words + scratch;
  if (capture && bytes > most)
    throw error(needs(bytes, most) + " there are, and a capture cannot get more: call reserve(" +
                std::to_string(bytes) + ") before it");
  if (bytes > most)
    replace(std::max(bytes, 2 * most), capture);
  else if (!there)
    replace(most, capture);
  return blocks_.back();
}

// Makes the block of this capture, or of calls outside of any, the last one, if there is one. (Of
// several of these, which differ in size, the newest.)
bool kept_workspace::find(unsigned long long capture) {
  auto const found = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                  [&](block const& b) { return b.capture == capture; });
  if (found == blocks_.rend()) return false;
  std::rotate(blocks_.rbegin(), found, found + 1);
  return true;
}

void kept_workspace::reserve(std::size_t bytes) {
  auto const capture = capture_of(stream_);
  bool const there = find(capture);
  auto const most = blocks_.back().bytes;
  if (bytes <= most && (there || capture)) return;
  if (capture && bytes > most)
    throw error("gpu: reserve(" + std::to_string(bytes) + ") during a capture, where there are " +
                std::to_string(most) + " bytes");
  replace(rounded(bytes), capture);
}

void kept_workspace::use(std::span<std::byte> bytes) {
  if (capture_of(stream_))
    throw error("gpu: with_workspace during a capture, which would zero it in each replay");
  auto const misaligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % word_bytes;
  auto const skipped = std::min(misaligned ? word_bytes - misaligned : 0, bytes.size());
  auto const aligned = bytes.subspan(skipped);
  if (!aligned.empty()) check(cudaMemsetAsync(aligned.data(), 0, aligned.size(), stream_));
  callers_ = {aligned.data(), aligned.size(), 0};
}

// A new last block, all zero, in place of the one before if that has the same use.
void kept_workspace::replace(std::size_t bytes, unsigned long long capture) {
  beside_captures const relaxed;
  blocks_.reserve(blocks_.size() + 1);
  block added{nullptr, bytes, capture};
  if (capture) {
    own_stream const beside;
    added.data = zeroed(bytes, beside);
    check(cudaStreamSynchronize(beside));
  } else {
    added.data = zeroed(bytes, stream_);
  }
  if (!capture && !blocks_.empty() && !blocks_.back().capture) {
    release(blocks_.back());
    blocks_.pop_back();
  }
  blocks_.push_back(added);
}

std::byte* kept_workspace::zeroed(std::size_t bytes, CUstream_st* stream) const {
  auto const data = source_.allocate(bytes, stream);
  auto const code = cudaMemsetAsync(data, 0, bytes, stream);
  if (code != cudaSuccess) source_.release(data, bytes, stream);
  check(code);
  return static_cast<std::byte*>(data);
}

void kept_workspace::release(block const& old) const noexcept {
  source_.release(old.data, old.bytes, stream_);
}

}  // namespace tally
