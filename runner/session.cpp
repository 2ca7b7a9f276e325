#include "runner/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

#include "reports/passport/passport.h"
#include "runner/second_look.h"
#include "runner/session_run.h"
#include "runner/version.h"
#include "runner/worker/link.h"
#include "suites/core/state.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

}  // namespace

SessionResult Session::run() {
  const CleanUp at_the_end{*this};  // also when the run folder can no longer be written
  find_nodes();
  if (!head_.stopped()) make_the_plan();
  watcher_.planned(missing(), plan_.size());
  carry_out();
  if (head_.stopped()) return {folder_.path(), true, nullptr};
  sweep_again();
  for (Record& r : left_undone(progressed())) keep(std::move(r));
  run_["sessions"].back()["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - head_.began()).count();
  folder_.write("run.json", run_);
  return {folder_.path(), false, judge_and_write(folder_.path(), false)};
}

std::vector<Node> Session::probe() {
  const CleanUp at_the_end{*this};
  find_nodes();
  for (const Record& r : records_)
    if (r.outcome != Outcome::ok) watcher_.recorded(r);
  return present_;
}

RunFolder Session::prepare() {
  if (!options_.resume.empty()) return take_up();
  check_options(options_);
  promise_ = promise_of(options_);
  choice_ = choose();  // complains before anything is made
  chosen_ = select(tests(), options_.request);
  RunFolder folder = RunFolder::create(options_.output);
  options_.request.run = random_token().substr(0, 8);
  options_.request.target =
      fs::absolute(options_.target.empty() ? options_.output / "target" : options_.target).string();
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
          // By these judging later sees whether it holds the run against something else.
          {"promise", promise_.digests},
          {"sessions", {{{"started", utc_now()}}}},
          {"tests", definitions}};
  folder.write("run.json", run_);
  keep_promise(folder);
  return folder;
}

void Session::keep_promise(const RunFolder& folder) const {
  if (promise_.cluster) write_file(folder.path() / "cluster.yaml", promise_.text);
  if (options_.catalogue.empty()) return;
  fs::create_directory(folder.path() / "catalogue");
  for (const auto& file : fs::directory_iterator(options_.catalogue))
    if (file.is_regular_file() && file.path().extension() == ".yaml")
      write_file(folder.path() / "catalogue" / file.path().filename(),
                 read_file(file.path(), most_written_bytes));
}

RunFolder Session::take_up() {
  RunFolder folder = RunFolder::reopen(options_.resume);
  RunFiles files = read_run(options_.resume);
  if (files.run.at("build") != build_id())
    throw std::invalid_argument(fmt::format(
        "{} was begun by build {}, this is build {}; resume with that one",
        options_.resume.string(), files.run.at("build").get<std::string>(), build_id()));
  take_request(files.run.at("request"), options_);
  promise_ = std::move(files.promise);
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
  if (options_.request.target == own_target(folder)) fs::create_directory(options_.request.target);
  return folder;
}

NodeChoice Session::choose() const {
  NodeChoice c = choose_nodes(options_.where, promise_.promised());
  if (c.engine == Engine::slurm && c.slurm.job.empty())
    throw std::invalid_argument(
        "this needs a Slurm allocation: salloc or sbatch it, or use accept run, which makes one");
  return c;
}

Launcher Session::launcher() const {
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

Head Session::make_head() {
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
    simulation_.emplace(read_simulated(options_.where, choice_.names, promise_.promised()), events,
                        promise_.promised(), &promise_.catalogue());
  return Head(
      launcher(), std::move(contact), folder_.logs(),
      {events.started, events.recorded, events.probed,
       [this](const std::string& text) { folder_.note(text); }, [this] { watcher_.tick(); }});
}

void Session::keep(Record record) {
  folder_.append(record);
  watcher_.recorded(record);
  // What was measured is in the file; here only what became of it matters.
  record.measurements.clear();
  record.observations.clear();
  records_.push_back(std::move(record));
}

void Session::make_the_plan() {
  if (!plan_.empty()) return;
  plan_ = make_plan(chosen_, nodes_, options_.request, promise_.promised());
  folder_.write_lines("plan.jsonl", plan_);
}

bool Session::carry_out_some(std::vector<Launch> launches) {
  if (launches.empty()) return !head_.stopped();
  if (simulation_) {
    simulation_->run(launches);
    return !head_.stopped();
  }
  const std::size_t before = records_.size();
  const bool on = head_.run(std::move(launches), nodes_);
  const std::set<std::string> unclean = head_.take_unclean();
  if (!on) return false;
  // A worker that was cut off takes what was brought to it for left behind, and removes it.
  std::set<std::string> blamed;
  for (std::size_t i = before; delivery_ && i < records_.size(); ++i)
    for (const std::string& c : records_[i].culprits)
      if (unclean.contains(node_of_place(c))) blamed.insert(node_of_place(c));
  if (!blamed.empty()) deliver(*delivery_, {blamed.begin(), blamed.end()});
  sweep({unclean.begin(), unclean.end()});
  return true;
}

void Session::carry_out() {
  while (!head_.stopped()) {
    std::vector<Launch> launches = next(progressed());
    if (launches.empty()) {
      std::vector<Assignment> more = without_the_lost(progressed());
      if (more.empty() && !looked_again_) more = next_repetition(chosen_, plan_, options_.request);
      if (more.empty() && !options_.request.once && !looked_again_) {
        looked_again_ = true;
        more = second_looks(read_run(folder_.path()));
      }
      if (more.empty() && !options_.request.once)
        more = smaller_collectives(read_run(folder_.path()));
      if (more.empty() && !options_.request.once) more = continuations(read_run(folder_.path()));
      if (more.empty()) return;
      plan_.insert(plan_.end(), more.begin(), more.end());
      folder_.write_lines("plan.jsonl", plan_);
    } else if (!carry_out_some(std::move(launches))) {
      return;
    }
  }
}

std::vector<Assignment> Session::missing() const {
  std::set<std::string> done;
  for (const Record& r : records_)
    if (r.outcome != Outcome::interrupted) done.insert(r.assignment.id());
  std::vector<Assignment> left;
  for (const Assignment& a : plan_)
    if (!done.contains(a.id())) left.push_back(a);
  return left;
}

void Session::clean_up() noexcept try {
  head_.end();
  if (delivery_) take_away(*delivery_, choice_.names);
  remove_scratch(
      fmt::format("{}/{}{}-", options_.request.target, scratch_prefix, options_.request.run));
  std::error_code ignored;
  if (options_.request.target == own_target(folder_)) fs::remove(options_.request.target, ignored);
} catch (const std::exception& e) {
  folder_.note(fmt::format("could not clean up: {}", e.what()));
}

std::string Session::own_target(const RunFolder& folder) {
  return fs::absolute(folder.path() / "target").string();
}

SessionResult run_session(SessionOptions options, Watcher& watcher) {
  return Session(std::move(options), watcher).run();
}

Promise promise_of(const SessionOptions& options) {
  fs::path topology = options.topology;
  const bool stands_for_nodes = options.where.nodes.starts_with("local:");
  if (options.no_topology) return load_promise({}, options.catalogue);
  if (topology.empty() && !stands_for_nodes && fs::exists("cluster.yaml"))
    topology = "cluster.yaml";
  return load_promise(topology, options.catalogue);
}

std::vector<Node> probe_nodes(SessionOptions options, Watcher& watcher) {
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("accept-init-{}", random_token().substr(0, 8));
  struct Remove {
    const fs::path& folder;
    ~Remove() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } at_the_end{folder};
  options.output = folder;
  return Session(std::move(options), watcher).probe();
}

Json judge_and_write(const fs::path& folder, bool rejudged, const fs::path& topology,
                     const fs::path& catalogue) {
  const Json passport = make_passport(read_run(folder, topology, catalogue), build_id(), rejudged);
  for (const char* format : {"json", "md", "html"})
    write_file(folder / fmt::format("passport.{}", format), write_passport(passport, format));
  return passport;
}

}  // namespace acceptance
