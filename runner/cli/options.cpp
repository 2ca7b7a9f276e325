#include "runner/cli/options.h"

#include <fmt/chrono.h>

#include <fstream>

#include "suites/core/text.h"

namespace acceptance {

void add_node_selection(CLI::App& command, SessionOptions& options) {
  command
      .add_option(
          "--nodes", options.where.nodes,
          "all (of Slurm, else this machine), n[01-16,20], @HOSTFILE, or local:N (N ranks of "
          "this machine stand for nodes)")
      ->capture_default_str();
  command.add_option("--exclude", options.where.exclude, "nodes to leave out")->type_name("NODES");
  command
      .add_option(
          "--launcher", options.where.launcher,
          "auto, slurm, ssh, local or simulated; auto: Slurm where the nodes are its own, else "
          "ssh to the nodes named, else this machine")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--partition", options.where.partition, "of Slurm (default: its default)")
      ->type_name("NAME");
  command.add_flag("--include-drained", options.where.include_drained,
                   "use drained and reserved nodes of an allocation too");
  command.add_option("--ssh-config", options.where.ssh_config, "file for ssh -F")
      ->type_name("FILE");
  command
      .add_option("--head-address", options.where.head_address,
                  "address of this machine to which nodes connect back (default: by route)")
      ->type_name("IP");
  command
      .add_option("--mpi", options.where.mpi,
                  "openmpi or mpich (default: the one whose mpirun is found)")
      ->type_name("NAME");
  command
      .add_option(
          "--simulate", options.where.faults,
          "faults for --launcher simulated: dead=N1,hung=N2,slow=N3:0.8,slow-link=N4+N5:0.5")
      ->type_name("FAULTS");
  command
      .add_option_function<std::string>(
          "--faults",
          [&options](const std::string& file) {
            options.where.fault_file = read_file(file, most_written_bytes);
          },
          "faults and noise of the simulated cluster (docs/simulation.md)")
      ->type_name("FILE");
  command.add_flag("--push", options.where.push,
                   "bring the program to the nodes, and take it away afterwards");
  command
      .add_option("--catalogue", options.catalogue,
                  "folder whose files take the place of the catalogue's")
      ->type_name("DIR");
}

void add_selection(CLI::App& command, SessionOptions& options) {
  add_node_selection(command, options);
  command
      .add_option("--topology", options.topology,
                  "what was promised (default: cluster.yaml here, if there is one)")
      ->type_name("FILE");
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
