// SPDX-License-Identifier: Apache-2.0
//
// What tests/nodes/mpi_test.py runs under mpirun: mpi_program CASE... Each rank ends with 1, and a
// line on standard error, if something is not as it should be.
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tally/error.hpp"
#include "tally/mpi.hpp"
#include "tally/nodes/all_gather.hpp"

namespace {

void expect(bool holds, std::string const& what) {
  if (!holds) throw std::logic_error(what);
}

// What is gathered and added is right, sizes of no element and of no rank's share among it.
void exchange(tally::communicator& ranks) {
  auto const p = std::size_t(ranks.size()), own = std::size_t(ranks.rank());
  for (std::size_t const n : {0, 1, 2, 3, 7, 8, 9, 100, 5000}) {
    std::vector<std::byte> const mine(n, std::byte(own + n));
    std::vector<std::byte> all(n * p, std::byte(255));
    ranks.all_gather(mine, all);
    for (std::size_t i = 0; i < all.size(); ++i)
      expect(all[i] == std::byte(i / n + n), "all_gather of " + std::to_string(n));

    std::vector<std::uint64_t> sums(n), parts(n * p), part(n);
    for (std::size_t i = 0; i < n; ++i) sums[i] = i + (own << 63) + ~std::uint64_t(0);
    ranks.all_reduce(sums);
    for (std::size_t i = 0; i < n; ++i)
      expect(sums[i] == i * p + (std::uint64_t(p * (p - 1) / 2) << 63) - p,
             "all_reduce of " + std::to_string(n));

    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i * own;
    ranks.reduce_scatter(parts, part);
    for (std::size_t i = 0; i < n; ++i)
      expect(part[i] == (n * own + i) * (p * (p - 1) / 2),
             "reduce_scatter of " + std::to_string(n));
  }
}

void portions(tally::mpi_communicator& world) {
  exchange(world);
  for (std::size_t const most : {0, 1, 3, 8, 1000}) {
    tally::mpi_communicator ranks(MPI_COMM_WORLD, most);
    exchange(ranks);
  }
}

// Ranks that somebody else has put together, in another order.
void groups(tally::mpi_communicator& world) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, -world.rank(), &half);
  {
    tally::mpi_communicator ranks(half);
    int const others = (world.size() + 1 - world.rank() % 2) / 2;
    expect(ranks.size() == others && ranks.rank() == others - 1 - world.rank() / 2, "rank, size");
    exchange(ranks);
  }
  MPI_Comm_free(&half);
}

std::string failure_of(std::function<void()> const& f) {
  try {
    f();
  } catch (tally::error const& e) {
    return e.what();
  }
  return "none";
}

// One rank has more to tell than the other; and what is no communicator.
void errors(tally::mpi_communicator& world) {
  expect(failure_of([] { tally::mpi_communicator none(MPI_COMM_NULL); }) ==
             "mpi_communicator: all is MPI_COMM_NULL",
         "MPI_COMM_NULL");
  if (world.size() != 2) return;
  std::vector<std::byte> const mine(world.rank() == 0 ? 1 : 4);
  std::vector<std::byte> all(mine.size() * std::size_t(world.size()));
  auto const told = failure_of([&] { world.all_gather(mine, all); });
  if (world.rank() == 0) expect(told == "MPI_Allgather: MPI_ERR_TRUNCATE: message truncated", told);
}

void failures_of_one(tally::mpi_communicator& world) {
  auto const told = failure_of([&] {
    tally::detail::all_gather_result(world, [&]() -> std::vector<std::byte> {
      if (world.rank() == world.size() - 1) throw tally::error("the disk is full");
      return {};
    });
  });
  std::string const last = std::to_string(world.size() - 1);
  expect(
      told == (world.rank() == world.size() - 1 ? "" : "rank " + last + ": ") + "the disk is full",
      told);
  exchange(world);
}

// Rank 0 waits for one that will never come.
void left(tally::mpi_communicator& world) {
  if (world.rank() == 1) throw std::runtime_error("left");
  if (world.size() > 1) std::this_thread::sleep_for(std::chrono::hours(1));
}

void run(std::vector<std::string> const& names) {
  std::map<std::string, void (*)(tally::mpi_communicator&)> const cases{
      {"portions", portions},
      {"groups", groups},
      {"errors", errors},
      {"failures_of_one", failures_of_one},
      {"left", left}};
  {
    tally::mpi_session session;
    tally::mpi_session again;  // finalises nothing
    for (auto const& name : names) cases.at(name)(session.ranks());
    std::printf("%d of %d\n", session.ranks().rank(), session.ranks().size());
  }
  expect(failure_of([] { tally::mpi_communicator late(MPI_COMM_WORLD); }) ==
             "mpi_communicator: MPI is finalised",
         "late");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
