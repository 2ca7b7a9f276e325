#include "runner/cli/options.h"

#include <fmt/chrono.h>

#include <fstream>

#include "suites/core/text.h"

namespace acceptance {

void add_selection(CLI::App& command, SessionOptions& options) {
  command
      .add_option("--nodes", options.nodes,
                  "all (this machine), n[01-16,20] or @hostfile (over ssh), or local:N (N ranks of "
                  "it stand for nodes)")
      ->capture_default_str();
  command.add_option("--exclude", options.exclude, "nodes to leave out")->type_name("NODES");
  command.add_option("--ssh-config", options.ssh_config, "file for ssh -F")->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--profile",
          [&options](const std::string& word) {
            if (word != "quick" && word != "standard")
              throw CLI::ValidationError("--profile", "unknown profile '" + word + "'" +
                                                          suggestion(word, {"quick", "standard"}));
            options.request.profile = word == "quick" ? Profile::quick : Profile::standard;
          },
          "quick (about a minute) or standard (the default)")
      ->type_name("NAME");
  command
      .add_option("--suite", options.request.suites,
                  "only these suites: compute, interconnect, storage")
      ->type_name("NAME");
  command
      .add_option("--test", options.request.tests,
                  "only tests of these names; * and ? are understood")
      ->type_name("GLOB");
}

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::filesystem::path default_output() {
  return fmt::format(
      "accept-{:%Y%m%d-%H%M%S}",
      fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace acceptance
