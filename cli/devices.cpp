// SPDX-License-Identifier: Apache-2.0
#include "tally/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "commands.hpp"
#include "number.hpp"
#include "standard_output.hpp"

namespace tally::cli {
namespace {

struct property {
  std::string key, label;
  json value;
  std::string text;
};
using properties = std::vector<property>;

template <class T>
property plain(std::string key, std::string label, T const& value) {
  return {std::move(key), std::move(label), value, fmt::format("{}", value)};
}
property bytes(std::string key, std::string label, std::size_t value) {
  auto text = fmt::format("{} bytes", value);
  if (value >= 1 << 20)
    text += fmt::format(" ({:.4g} MiB)", double(value) / (1 << 20));
  else if (value >= 1 << 10)
    text += fmt::format(" ({:.4g} KiB)", double(value) / (1 << 10));
  return {std::move(key), std::move(label), value, text};
}
property clock(std::string key, std::string label, int khz) {
  return {std::move(key), std::move(label), khz, fmt::format("{} MHz", khz / 1000)};
}
property extent(std::string key, std::string label, int const (&size)[3]) {
  return {std::move(key), std::move(label), size, fmt::format("{}", fmt::join(size, " x "))};
}

properties of(cpu_properties const& cpu) {
  return {plain("model", "model", cpu.model), plain("cores", "cores", cpu.cores),
          plain("threads", "threads", cpu.threads),
          plain("instruction_set", "instruction set", cpu.instruction_set),
          bytes("l3_bytes", "L3 cache", cpu.l3_bytes)};
}

properties of(gpu_properties const& gpu) {
  bool const overlaps = gpu.copies_while_computing;
  return {
      plain("index", "index", gpu.index),
      plain("name", "name", gpu.name),
      plain("compute_capability", "compute capability", fmt::format("{}.{}", gpu.major, gpu.minor)),
      plain("multiprocessors", "multiprocessors", gpu.multiprocessors),
      clock("clock_khz", "clock", gpu.clock_khz),
      bytes("memory_bytes", "global memory", gpu.memory_bytes),
      clock("memory_clock_khz", "memory clock", gpu.memory_clock_khz),
      plain("memory_bus_bits", "memory bus, bits", gpu.memory_bus_bits),
      bytes("l2_bytes", "L2 cache", gpu.l2_bytes),
      bytes("constant_memory_bytes", "constant memory", gpu.constant_memory_bytes),
      bytes("shared_memory_per_block_bytes", "shared memory a block",
            gpu.shared_memory_per_block_bytes),
      plain("registers_per_block", "registers a block", gpu.registers_per_block),
      plain("warp_size", "threads a warp", gpu.warp_size),
      plain("max_threads_per_block", "threads a block, most", gpu.max_threads_per_block),
      extent("max_block", "block, most", gpu.max_block),
      extent("max_grid", "grid, most", gpu.max_grid),
      bytes("max_pitch_bytes", "memory pitch, most", gpu.max_pitch_bytes),
      bytes("texture_alignment_bytes", "texture alignment", gpu.texture_alignment_bytes),
      {"copies_while_computing", "copies while computing", overlaps, overlaps ? "yes" : "no"},
      plain("driver_cuda", "CUDA of the driver", gpu.driver_cuda),
      plain("runtime_cuda", "CUDA of this program", gpu.runtime_cuda),
  };
}

template <class Where>
void add_lines(properties& to, Where const& where, arguments const& options) {
  if (options.no_measure) return;
  auto const found = measure_memory(where);
  auto const speed = [&](std::string key, std::string label, double value) {
    to.push_back({std::move(key), std::move(label), value, fmt::format("{:.4g} GB/s", value)});
  };
  speed("read_gb_per_s", "read line", found.read_gb_per_s);
  speed("copy_gb_per_s", "copy line", found.copy_gb_per_s);
  to.push_back(bytes("buffer_bytes", "measured on", found.buffer_bytes));
}

std::string text_of(properties const& all) {
  std::string text;
  for (auto const& p : all) text += fmt::format("  {:<24}{}\n", p.label, p.text);
  return text;
}
json json_of(std::string const& kind, properties const& all) {
  json object = {{"kind", kind}};
  for (auto const& p : all) object[p.key] = p.value;
  return object;
}

}  // namespace

void run_devices(arguments const& options) {
  std::string text;
  json devices = json::array();
  auto const tell = [&](std::string const& kind, auto const& device, auto const& where) {
    auto found = of(device);
    add_lines(found, where, options);
    text += kind + "\n" + text_of(found);
    devices.push_back(json_of(kind, found));
  };
  tell("cpu", this_cpu(), options.where);
  for (auto const& gpu : gpus()) tell("gpu", gpu, gpu);

  auto const why = no_gpu_because();
  if (!why.empty()) text += "no GPU: " + why + "\n";
  json const object = {{"schema", 1},
                       {"command", "devices"},
                       {"devices", devices},
                       {"no_gpu", why.empty() ? json() : json(why)}};
  write_standard_output(options.json ? object.dump() + "\n" : text);
}

}  // namespace tally::cli
