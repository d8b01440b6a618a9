// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "arguments.hpp"
#include "commands.hpp"
#include "process.hpp"
#include "standard_output.hpp"

namespace {

// One line, whatever a file's name may hold.
int fail(int status, std::string message) {
  for (char& c : message)
    if ((unsigned char)c < ' ' || c == 127) c = '?';
  std::fputs(("tally: " + message + "\n").c_str(), stderr);
  return status;
}

void run(int argc, char const* const* argv) {
  auto const arguments = tally::cli::parse(argc, argv);
  if (arguments) tally::cli::command_named(arguments->command)->run(*arguments);
}

}  // namespace

int main(int argc, char** argv) {
  tally::cli::prepare_process();
  try {
    run(argc, argv);
    return 0;
  } catch (tally::cli::closed_pipe const&) {
    return 0;
  } catch (tally::cli::usage_error const& e) {
    return fail(2, e.what());
  } catch (std::bad_alloc const&) {
    return fail(1, "not enough memory");
  } catch (std::exception const& e) {
    return fail(1, e.what());
  }
}
