#include "runner/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "reports/passport/passport.h"
#include "reports/verdict/preflight.h"
#include "runner/launch/delivery.h"
#include "runner/launch/head.h"
#include "runner/launch/simulated.h"
#include "runner/plan/next.h"
#include "runner/plan/node_set.h"
#include "runner/plan/trouble.h"
#include "runner/run_folder.h"
#include "runner/version.h"
#include "runner/worker/link.h"
#include "suites/core/state.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t sweeps_at_once = 32;
constexpr double sweep_seconds = 30;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

/// A run being made: its folder, its head, what is known so far.
class Session {
 public:
  Session(SessionOptions options, Watcher& watcher)
      : options_(std::move(options)), watcher_(watcher), folder_(prepare()), head_(make_head()) {}

  SessionResult run() {
    const CleanUp at_the_end{*this};  // also when the run folder can no longer be written
    if (!options_.resume.empty()) sweep(choice_.names);
    find_nodes();
    if (!head_.stopped()) make_the_plan();
    watcher_.planned(missing(), plan_.size());
    carry_out();
    if (head_.stopped()) return {folder_.path(), true, nullptr};
    for (Record& r : left_undone(progressed())) keep(std::move(r));
    run_["sessions"].back()["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - head_.began()).count();
    folder_.write("run.json", run_);
    return {folder_.path(), false, judge_and_write(folder_.path(), false)};
  }

 private:
  RunFolder prepare() {
    if (!options_.resume.empty()) return take_up();
    check_options(options_);
    choice_ = choose();  // complains before anything is made
    chosen_ = select(tests(), options_.request);
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
            {"cluster", local_name()},
            {"simulated", choice_.engine == Engine::simulated},
            {"launcher", name(choice_.engine)},
            {"arguments", options_.arguments},
            {"request", request_of(options_)},
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
    choice_ = choose();
    if (choice_.engine == Engine::local && !files.nodes.empty() &&
        files.run.at("cluster") != local_name())
      throw std::invalid_argument(fmt::format(
          "{} was begun on {}, this is {}; a run is not continued on another machine",
          options_.resume.string(), files.run.at("cluster").get<std::string>(), local_name()));
    options_.request.run = files.run.at("tag").get<std::string>();
    run_ = std::move(files.run);
    run_["sessions"].push_back({{"started", utc_now()}});
    folder.write("run.json", run_);
    chosen_ = select(tests(), options_.request);
    nodes_ = std::move(files.nodes);
    plan_ = std::move(files.plan);
    records_ = std::move(files.records);
    since_ = records_.size();
    if (options_.request.target == own_target(folder))
      fs::create_directory(options_.request.target);
    return folder;
  }

  NodeChoice choose() const {
    NodeChoice c = choose_nodes(options_.where);
    if (c.engine == Engine::slurm && c.slurm.job.empty())
      throw std::invalid_argument(
          "this needs a Slurm allocation: salloc or sbatch it, or use accept run, which makes one");
    return c;
  }

  Launcher launcher() const {
    if (choice_.engine == Engine::ssh)
      return [ssh = SshOptions{options_.where.ssh_config}](const Launch& l, const Contact& c) {
        return ssh_command(l, c, ssh);
      };
    if (choice_.engine == Engine::slurm)
      return [slurm = choice_.slurm](const Launch& l, const Contact& c) {
        return slurm_command(l, c, slurm);
      };
    return local_command;
  }

  Head make_head() {
    Contact contact;
    contact.address = choice_.control.address;
    contact.program = own_program();
    if (options_.where.push) {
      delivery_ = {{options_.where.ssh_config},
                   choice_.slurm.job,
                   "/tmp/accept-program-" + options_.request.run,
                   install_tree(contact.program)};
      contact.folder = delivery_->folder;
      contact.program = fs::path(delivery_->folder) / contact.program.filename();
    }
    contact.mpi = choice_.mpi;
    contact.mpi_module = contact.program.parent_path() /
                         (choice_.mpi == Mpi::mpich ? "accept_mpich.so" : "accept_openmpi.so");
    contact.run = options_.request.run;
    contact.target = options_.request.target;
    const Events events{[this](const Assignment& a) { watcher_.started(a); },
                        [this](Record r) { keep(std::move(r)); },
                        [this](Node n) { know(std::move(n)); }};
    if (choice_.engine == Engine::simulated)
      simulation_.emplace(read_faults(options_.where.faults, choice_.names), events);
    return Head(
        launcher(), std::move(contact), folder_.logs(),
        {events.started, events.recorded, events.probed,
         [this](const std::string& text) { folder_.note(text); }, [this] { watcher_.tick(); }});
  }

  void keep(Record record) {
    folder_.append(record);
    watcher_.recorded(record);
    // What was measured is in the file; here only what became of it matters.
    record.measurements.clear();
    record.observations.clear();
    records_.push_back(std::move(record));
  }

  void know(Node node) {
    const auto known = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const Node& n) { return n.name == node.name; });
    if (known != nodes_.end())
      *known = std::move(node);
    else
      nodes_.push_back(std::move(node));
  }

  /// Every node says what it is made of; local names all stand for this one machine. Those that a
  /// resumed run knows already are not asked again.
  void find_nodes() {
    const std::vector<Node> before = nodes_;
    for (const auto& [node, why] : choice_.left_alone)
      could_not_ask(node, Outcome::skipped, Trouble::left_alone, why);
    std::vector<std::string> ask;
    for (const std::string& name : choice_.names)
      if (std::none_of(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.name == name; }))
        ask.push_back(name);
    if (choice_.engine == Engine::local && !ask.empty()) ask.resize(1);
    if (delivery_) {
      for (const auto& [node, why] : deliver(*delivery_, choice_.names)) {
        could_not_ask(node, Outcome::error, trouble_in(why, Trouble::dead_at_start), why);
        std::erase(ask, node);
      }
    }
    ask_nodes(std::move(ask));
    if (head_.stopped()) return;
    if (nodes_.empty())
      throw std::runtime_error(fmt::format(
          "no node could be probed; {}",
          records_.empty() ? "see " + folder_.logs().string() : records_.back().reason));
    for (std::size_t i = 1; choice_.engine == Engine::local && i < choice_.names.size(); ++i) {
      Node same = nodes_.front();
      same.name = choice_.names[i];
      know(std::move(same));
    }
    std::sort(nodes_.begin(), nodes_.end(), [&](const Node& x, const Node& y) {
      const auto place = [&](const Node& n) {
        return std::find(choice_.names.begin(), choice_.names.end(), n.name);
      };
      return place(x) < place(y);
    });
    keep_mpi_on_the_control_network();
    folder_.write("nodes.json", nodes_);
    if (nodes_.size() != before.size()) plan_.clear();
    for (const Finding& f : judge_preflight(nodes_)) watcher_.noticed(one_line(f));
  }

  /// Asks nodes what they are made of; those whose process somebody killed, again.
  void ask_nodes(std::vector<std::string> ask) {
    constexpr int most_attempts = 3;
    for (int attempt = 1; attempt <= most_attempts && !ask.empty(); ++attempt) {
      std::vector<Launch> launches;
      for (const std::string& node : ask) {
        const Assignment a = probe_of(node);
        launches.push_back({LaunchKind::probe, {node}, {a}, a.attempt});
      }
      const std::size_t before = records_.size();
      if (!carry_out_some(std::move(launches))) return;
      ask.clear();
      for (std::size_t i = before; i < records_.size(); ++i)
        if (records_[i].outcome != Outcome::ok && records_[i].culprits.empty())
          ask.push_back(records_[i].assignment.places.at(0));
    }
  }

  void keep_mpi_on_the_control_network() {
    std::set<std::string> subnets, interfaces;
    for (const Node& n : nodes_) {
      interfaces.insert(n.condition.interface);
      if (!n.condition.subnet.empty()) subnets.insert(n.condition.subnet);
    }
    if (!choice_.control.subnet.empty()) subnets.insert(choice_.control.subnet);
    if (choice_.engine != Engine::local)
      head_.keep_mpi_on(fmt::format("{}", fmt::join(subnets, ",")),
                        interfaces.size() == 1 ? *interfaces.begin() : "");
  }

  void could_not_ask(const std::string& node, Outcome outcome, Trouble trouble,
                     const std::string& why) {
    Record r;
    r.assignment = probe_of(node);
    r.outcome = outcome;
    r.trouble = trouble;
    r.reason = why;
    r.culprits = {node};
    r.started = utc_now();
    keep(std::move(r));
  }

  Assignment probe_of(const std::string& node) const {
    Assignment a;
    a.test = probe_test;
    a.places = {node};
    a.run = options_.request.run;
    for (const Record& r : records_)
      if (r.assignment.test == probe_test && r.assignment.places == a.places)
        a.attempt = std::max(a.attempt, r.assignment.attempt + 1);
    return a;
  }

  void make_the_plan() {
    if (!plan_.empty()) return;
    plan_ = make_plan(chosen_, nodes_, options_.request);
    folder_.write_lines("plan.jsonl", plan_);
  }

  Progressed progressed() const { return {plan_, records_, nodes_, since_}; }

  bool carry_out_some(std::vector<Launch> launches) {
    if (launches.empty()) return !head_.stopped();
    if (simulation_) {
      simulation_->run(launches);
      return !head_.stopped();
    }
    const bool on = head_.run(std::move(launches), nodes_);
    const std::set<std::string> unclean = head_.take_unclean();
    if (on) sweep({unclean.begin(), unclean.end()});
    return on;
  }

  /// Asks what to do next and does it, until nothing is left that can be done.
  void carry_out() {
    while (!head_.stopped()) {
      std::vector<Launch> launches = next(progressed());
      if (launches.empty()) {
        const std::vector<Assignment> more = without_the_lost(progressed());
        if (more.empty()) return;
        plan_.insert(plan_.end(), more.begin(), more.end());
        folder_.write_lines("plan.jsonl", plan_);
      } else if (!carry_out_some(std::move(launches))) {
        return;
      }
    }
  }

  /// Ends and removes what launches that were ended by force may have left on their nodes.
  void sweep(const std::vector<std::string>& nodes) {
    if (choice_.engine == Engine::simulated) return;
    std::vector<Command> commands;
    for (const std::string& node : nodes)
      commands.push_back(launcher()({LaunchKind::sweep, {node}, {}}, head_.contact()));
    const std::vector<Answer> answers = ask_all(commands, sweeps_at_once, sweep_seconds);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (answers[i].ok()) continue;
      folder_.note(fmt::format("{} could not be swept: {}", nodes[i], answers[i].output));
      if (answers[i].output.find("can't be killed") == std::string::npos) continue;
      Record r;
      r.assignment = probe_of(nodes[i]);
      r.assignment.test = sweep_test;
      r.trouble = Trouble::unkillable;
      r.reason = answers[i].output.substr(0, answers[i].output.find('\n'));
      r.culprits = {nodes[i]};
      r.started = utc_now();
      keep(std::move(r));
    }
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
    if (delivery_) take_away(*delivery_, choice_.names);
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
  std::optional<Delivery> delivery_;
  std::optional<Simulation> simulation_;
  std::vector<const Test*> chosen_;
  std::vector<Node> nodes_;
  std::vector<Assignment> plan_;
  std::vector<Record> records_;
  std::size_t since_ = 0;  // records of this session begin here
  Json run_;
  RunFolder folder_;
  Head head_;
};

}  // namespace

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
