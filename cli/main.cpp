// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>
#include <string>

#include "arguments.hpp"
#include "commands.hpp"
#include "process.hpp"
#include "standard_output.hpp"

namespace {

int fail(int status, std::string const& message) {
  tally::cli::tell(message);
  return status;
}

void run(int argc, char const* const* argv) {
  auto const arguments = tally::cli::parse(argc, argv);
  if (arguments) arguments->command->run(*arguments);
}

}  // namespace

int main(int argc, char** argv) {
  tally::cli::prepare_process();
  try {
    run(argc, argv);
    return 0;
  } catch (tally::cli::closed_pipe const&) {
    return 0;
  } catch (tally::cli::told_already const&) {
    return 1;
  } catch (tally::cli::usage_error const& e) {
    return fail(2, e.what());
  } catch (std::bad_alloc const&) {
    return fail(1, "not enough memory");
  } catch (std::exception const& e) {
    return fail(1, e.what());
  }
}
