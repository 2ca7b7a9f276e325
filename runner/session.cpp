#include "runner/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "reports/passport/passport.h"
#include "runner/launch/head.h"
#include "runner/launch/network.h"
#include "runner/plan/next.h"
#include "runner/plan/node_set.h"
#include "runner/run_folder.h"
#include "runner/version.h"
#include "runner/worker/link.h"
#include "suites/core/state.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

/// The name as a probe reports it.
std::string raw_host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// It becomes part of ids and files: only what is plain text everywhere.
std::string host_name() {
  std::string name = raw_host_name();
  for (char& c : name)
    if (c < 0x21 || c > 0x7e || c == '/' || c == '+' || c == '#') c = '?';
  return name;
}

constexpr std::size_t most_ssh_at_once = 32;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

Json request_json(const SessionOptions& o) {
  return {{"nodes", o.nodes},           {"exclude", o.exclude},
          {"ssh_config", o.ssh_config}, {"profile", name(o.request.profile)},
          {"suites", o.request.suites}, {"tests", o.request.tests},
          {"once", o.request.once},     {"fixed", o.request.fixed},
          {"target", o.request.target}};
}

void take_request(const Json& j, SessionOptions& o) {
  j.at("nodes").get_to(o.nodes);
  j.at("exclude").get_to(o.exclude);
  j.at("ssh_config").get_to(o.ssh_config);
  o.request.profile = j.at("profile") == "quick" ? Profile::quick : Profile::standard;
  j.at("suites").get_to(o.request.suites);
  j.at("tests").get_to(o.request.tests);
  j.at("once").get_to(o.request.once);
  j.at("fixed").get_to(o.request.fixed);
  j.at("target").get_to(o.request.target);
}

/// A run being made: its folder, its head, what is known so far.
class Session {
 public:
  Session(SessionOptions options, Watcher& watcher)
      : options_(std::move(options)), watcher_(watcher), folder_(prepare()), head_(make_head()) {}

  SessionResult run() {
    if (nodes_.empty()) find_nodes();
    if (!head_.stopped() && plan_.empty()) make_the_plan();
    watcher_.planned(missing(), plan_.size());
    const CleanUp at_the_end{*this};  // also when the run folder can no longer be written
    while (!head_.stopped()) {
      std::vector<Launch> launches = next(plan_, records_, nodes_);
      if (launches.empty() || !head_.run(std::move(launches), nodes_)) break;
    }
    if (head_.stopped()) return {folder_.path(), true, nullptr};
    run_["sessions"].back()["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - head_.began()).count();
    folder_.write("run.json", run_);
    return {folder_.path(), false, judge_and_write(folder_.path(), false)};
  }

 private:
  RunFolder prepare() {
    if (!options_.resume.empty()) return take_up();
    choice_ = choose_nodes(options_.nodes, options_.exclude);  // complains before anything is made
    if (!choice_.local) network_ = network_towards(choice_.names.front());
    chosen_ = select(tests(), options_.request);
    for (const Test* t : chosen_) points(*t, options_.request);
    if (const std::string t = options_.target.string();
        std::any_of(t.begin(), t.end(), [](char c) { return static_cast<signed char>(c) < 0x20; }))
      throw std::invalid_argument("--target: the folder's name must be plain text (ASCII)");
    RunFolder folder = RunFolder::create(options_.output);
    options_.request.run = random_token().substr(0, 8);
    options_.request.target =
        fs::absolute(options_.target.empty() ? options_.output / "target" : options_.target)
            .string();
    if (options_.target.empty()) fs::create_directory(options_.request.target);
    Json definitions = Json::array();
    for (const Test* t : chosen_) definitions.push_back(*t);
    run_ = {{"format", "accept.run/1"},
            {"version", version()},
            {"build", build_id()},
            {"tag", options_.request.run},
            {"cluster", host_name()},
            {"simulated", false},
            {"arguments", options_.arguments},
            {"request", request_json(options_)},
            {"sessions", {{{"started", utc_now()}}}},
            {"tests", definitions}};
    folder.write("run.json", run_);
    return folder;
  }

  RunFolder take_up() {
    RunFolder folder = RunFolder::reopen(options_.resume);
    RunFiles files = read_run(options_.resume);
    if (files.run.at("build") != build_id())
      throw std::invalid_argument(fmt::format(
          "{} was begun by build {}, this is build {}; resume with that one",
          options_.resume.string(), files.run.at("build").get<std::string>(), build_id()));
    take_request(files.run.at("request"), options_);
    choice_ = choose_nodes(options_.nodes, options_.exclude);
    if (!choice_.local) network_ = network_towards(choice_.names.front());
    if (choice_.local && !files.nodes.empty() && files.nodes[0].hostname != raw_host_name())
      throw std::invalid_argument(
          fmt::format("{} was begun on {}, this is {}; a run is not continued on another machine",
                      options_.resume.string(), files.nodes[0].hostname, raw_host_name()));
    options_.request.run = files.run.at("tag").get<std::string>();
    run_ = std::move(files.run);
    run_["sessions"].push_back({{"started", utc_now()}});
    folder.write("run.json", run_);
    chosen_ = select(tests(), options_.request);
    nodes_ = std::move(files.nodes);
    plan_ = std::move(files.plan);
    records_ = std::move(files.records);
    if (options_.request.target == own_target(folder))
      fs::create_directory(options_.request.target);
    return folder;
  }

  Head make_head_with(Contact contact) {
    const SshOptions ssh{options_.ssh_config, network_.subnet};
    Launcher launcher = local_command;
    if (!choice_.local)
      launcher = [ssh](const Launch& l, const Contact& c) { return ssh_command(l, c, ssh); };
    return Head(
        std::move(launcher), std::move(contact), folder_.logs(),
        {[this](const Assignment& a) { watcher_.started(a); },
         [this](Record r) { keep(std::move(r)); },
         [this](Node n) { nodes_.push_back(std::move(n)); },
         [this](const std::string& text) { folder_.note(text); }, [this] { watcher_.tick(); }});
  }

  Head make_head() {
    Contact contact;
    contact.address = choice_.local ? "127.0.0.1" : network_.address;
    contact.program = own_program();
    contact.mpi_module = contact.program.parent_path() / "accept_openmpi.so";
    return make_head_with(std::move(contact));
  }

  void keep(Record record) {
    folder_.append(record);
    watcher_.recorded(record);
    // What was measured is in the file; here only what became of it matters.
    record.measurements.clear();
    record.observations.clear();
    records_.push_back(std::move(record));
  }

  /// Every node says what it is made of; local names all stand for this one machine.
  void find_nodes() {
    std::vector<std::string> ask = choice_.names;
    if (choice_.local) ask.resize(1);
    for (std::size_t at = 0; at < ask.size() && !head_.stopped(); at += most_ssh_at_once) {
      std::vector<Launch> launches;
      for (std::size_t i = at; i < std::min(ask.size(), at + most_ssh_at_once); ++i)
        launches.push_back({LaunchKind::probe, {ask[i]}, {probe_of(ask[i])}});
      head_.run(std::move(launches), {});
    }
    if (head_.stopped()) return;
    if (nodes_.empty())
      throw std::runtime_error(fmt::format(
          "no node could be probed; {}",
          records_.empty() ? "see " + folder_.logs().string() : records_.back().reason));
    for (std::size_t i = 1; choice_.local && i < choice_.names.size(); ++i) {
      nodes_.push_back(nodes_.front());
      nodes_.back().name = choice_.names[i];
    }
    std::sort(nodes_.begin(), nodes_.end(), [&](const Node& x, const Node& y) {
      const auto place = [&](const Node& n) {
        return std::find(choice_.names.begin(), choice_.names.end(), n.name);
      };
      return place(x) < place(y);
    });
    folder_.write("nodes.json", nodes_);
  }

  Assignment probe_of(const std::string& node) const {
    Assignment a;
    a.test = probe_test;
    a.places = {node};
    a.run = options_.request.run;
    return a;
  }

  void make_the_plan() {
    plan_ = make_plan(chosen_, nodes_, options_.request);
    folder_.write("plan.json", plan_);
  }

  std::vector<Assignment> missing() const {
    std::set<std::string> done;
    for (const Record& r : records_)
      if (r.outcome != Outcome::interrupted) done.insert(r.assignment.id());
    std::vector<Assignment> left;
    for (const Assignment& a : plan_)
      if (!done.contains(a.id())) left.push_back(a);
    return left;
  }

  struct CleanUp {
    Session& session;
    ~CleanUp() { session.clean_up(); }
  };
  /// Removes what killed workers may have left in the target, and our own target folder once it is
  /// empty.
  void clean_up() {
    remove_scratch(
        fmt::format("{}/{}{}-", options_.request.target, scratch_prefix, options_.request.run));
    std::error_code ignored;
    if (options_.request.target == own_target(folder_))
      fs::remove(options_.request.target, ignored);
  }

  static std::string own_target(const RunFolder& folder) {
    return fs::absolute(folder.path() / "target").string();
  }

  SessionOptions options_;
  Watcher& watcher_;
  NodeChoice choice_;
  ControlNetwork network_;
  std::vector<const Test*> chosen_;
  std::vector<Node> nodes_;
  std::vector<Assignment> plan_;
  std::vector<Record> records_;
  Json run_;
  RunFolder folder_;
  Head head_;
};

}  // namespace

NodeChoice choose_nodes(const std::string& set, const std::string& exclude) {
  if (set.empty()) throw std::invalid_argument("--nodes names no node");
  NodeChoice choice;
  constexpr std::string_view local = "local:";
  constexpr int most = 256;
  if (set == "all") {
    choice.names = {host_name()};
  } else if (set.starts_with(local)) {
    int count = 0;
    const auto [end, error] =
        std::from_chars(set.data() + local.size(), set.data() + set.size(), count);
    if (error != std::errc{} || end != set.data() + set.size() || count < 1 || count > most)
      throw std::invalid_argument(
          fmt::format("'{}': N must be a whole number from 1 to {}", set, most));
    for (int i = 1; i <= count; ++i) choice.names.push_back(fmt::format("local{}", i));
  } else {
    choice.names = expand_node_set(set);
    choice.local = choice.names == std::vector{host_name()};
  }
  if (!exclude.empty()) choice.names = without(std::move(choice.names), expand_node_set(exclude));
  return choice;
}

SessionResult run_session(SessionOptions options, Watcher& watcher) {
  return Session(std::move(options), watcher).run();
}

Json judge_and_write(const fs::path& folder, bool rejudged) {
  const Json passport = make_passport(read_run(folder), build_id(), rejudged);
  for (const char* format : {"json", "md", "html"})
    write_file(folder / fmt::format("passport.{}", format), write_passport(passport, format));
  return passport;
}

}  // namespace acceptance
