#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/launch/delivery.h"
#include "runner/launch/head.h"
#include "runner/launch/simulated.h"
#include "runner/plan/next.h"
#include "runner/run_folder.h"
#include "runner/session.h"

namespace acceptance {

/// A run being made: its folder, its engine, what is known so far. For run_session() alone.
class Session {
 public:
  Session(SessionOptions options, Watcher& watcher)
      : options_(std::move(options)), watcher_(watcher), folder_(prepare()), head_(make_head()) {}

  SessionResult run();
  /// The nodes alone.
  std::vector<Node> probe();

 private:
  RunFolder prepare();
  RunFolder take_up();
  NodeChoice choose() const;
  Launcher launcher() const;
  Head make_head();
  void keep(Record record);
  void know(Node node);

  /// Every node says what it is made of; local names all stand for this one machine. Those that a
  /// resumed run knows already are not asked again.
  void find_nodes();

  void bring_program(const std::vector<std::string>& nodes);
  /// Chosen nodes that have not said what they are made of, or not when they were asked last.
  std::vector<std::string> unanswered() const;
  /// Nodes in the order they were named; of those known, the ones that may be used.
  void use_present_nodes();
  /// Null where there is none.
  const Record* last_record(const char* test, const std::string& node) const;
  /// Asks nodes what they are made of; those whose process somebody killed, again.
  void ask_nodes(std::vector<std::string> ask);
  void keep_mpi_on_the_control_network();
  void could_not_ask(const std::string& node, Outcome outcome, Trouble trouble,
                     const std::string& why);
  Assignment probe_of(const std::string& node) const;
  void make_the_plan();
  void keep_promise(const RunFolder& folder) const;
  Progressed progressed() const { return {plan_, records_, present_, since_}; }

  bool carry_out_some(std::vector<Launch> launches);

  /// Asks what to do next and does it, until nothing is left that can be done.
  void carry_out();

  /// Ends and removes what launches that were ended by force may have left on their nodes.
  void sweep(const std::vector<std::string>& nodes);
  /// A process that would not die at first may have gone since.
  void sweep_again();
  std::vector<Assignment> missing() const;

  struct CleanUp {
    Session& session;
    ~CleanUp() { session.clean_up(); }
  };
  /// Removes what killed workers may have left in the target, and our own target folder once it is
  /// empty.
  void clean_up() noexcept;
  static std::string own_target(const RunFolder& folder);

  SessionOptions options_;
  Watcher& watcher_;
  Promise promise_;
  NodeChoice choice_;
  std::optional<Delivery> delivery_;
  std::optional<Simulation> simulation_;
  std::vector<const Test*> chosen_;
  std::vector<Node> nodes_;          // all that are known
  std::vector<Node> present_;        // those of them that may be used in this session
  std::set<std::string> unreached_;  // the program could not be brought there
  std::vector<Assignment> plan_;
  std::vector<Record> records_;
  std::size_t since_ = 0;      // records of this session begin here
  bool looked_again_ = false;  // at those that were slower than their equals
  Json run_;
  RunFolder folder_;
  Head head_;
};

}  // namespace acceptance
