#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/passport/view.h"

namespace acceptance {

std::string verdict_sentence(const Json& passport) {
  const auto verdict = passport.at("verdict").get<std::string>();
  const Json& v = passport.at("coverage").at("verdicts");
  const int passed = v.value("pass", 0), measured = v.value("measured", 0);
  const int fails = v.value("fail", 0), open = v.value("inconclusive", 0) + v.value("not_run", 0);
  const std::string figures =
      passed == 0 && fails == 0
          ? fmt::format("{} figures were measured; there is no floor to hold them against",
                        measured)
          : fmt::format("{} figures met their floor, {} were measured without one", passed,
                        measured);
  if (verdict == "REJECTED")
    return fmt::format("{} items failed, {} are open. {}.", fails, open, figures);
  if (verdict == "INCOMPLETE")
    return fmt::format(
        "Nothing failed, but {} required items were not measured or could not be decided. {}.",
        open, figures);
  if (open > 0)
    return fmt::format(
        "Everything that the policy requires ran and gave correct results; {} other items are "
        "open. "
        "{}.",
        open, figures);
  return fmt::format(
      "Everything that was required ran, gave correct results and no impossible figure. "
      "{}.",
      figures);
}

std::string counts_text(const Json& counts) {
  std::vector<std::string> parts;
  for (const auto& [what, n] : counts.items())
    parts.push_back(fmt::format("{} {}", n.get<int>(), what));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string pairs_sentence(const Json& passport) {
  const Json& pairs = passport.at("coverage").at("pairs");
  const auto of = [](const Json& counts) {
    return fmt::format("{} of {}", counts.at("measured").get<std::size_t>(),
                       counts.at("possible").get<std::size_t>());
  };
  if (pairs.at("possible").get<std::size_t>() == 0) return "";
  const Json& within = pairs.at("within_leaves");
  return fmt::format("{} pairs of nodes were measured{}.", of(pairs),
                     within.is_null() ? "" : fmt::format(" ({} within a leaf)", of(within)));
}

namespace {

/// What the customer's policy changes; empty when it changes nothing.
std::string policy_words(const Json& policy) {
  std::vector<std::string> words;
  if (const auto required = policy.at("required").get<std::vector<std::string>>();
      !required.empty())
    words.push_back(fmt::format("required is only {}", fmt::join(required, ", ")));
  for (const auto& [what, ratio] : policy.at("tolerance").items())
    words.push_back(
        fmt::format("{} may be {} off", what, format(ratio.get<double>(), Unit::ratio)));
  for (const auto& [what, severity] : policy.at("severity").items())
    words.push_back(fmt::format("{}: {}", what,
                                severity == "fail" ? "fails"
                                : what.starts_with("rule.") && severity == "ignore"
                                    ? "ignored"
                                    : "a remark at most"));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string promise_sentence(const Json& passport) {
  const Json& provenance = passport.at("provenance");
  std::string more;
  if (provenance.at("catalogue") != "built in") more += " Its catalogue is not the program's own.";
  if (!provenance.at("own_promise").get<bool>())
    more += " It was judged by another promise or catalogue than the run took along.";
  const Json& promised = passport.at("cluster").at("promised");
  if (promised.is_null())
    return "No cluster.yaml was given: figures are held against physical limits alone. accept init "
           "drafts one." +
           more;
  std::vector<std::string> groups;
  for (const Json& g : promised.at("groups")) {
    const auto text = [&](const char* key) { return g.at(key).get<std::string>(); };
    std::string what = text("server");
    if (const int gpus = g.at("gpus").get<int>(); gpus > 0)
      what += fmt::format("{}{} {}", what.empty() ? "" : ", ", gpus, text("gpu"));
    if (const int rails = g.at("rails").get<int>(); rails > 0)
      what += fmt::format("{}{} rail(s)", what.empty() ? "" : ", ", rails);
    groups.push_back(fmt::format("{} node(s) {}{}", g.at("count").get<int>(), text("name"),
                                 what.empty() ? "" : " (" + what + ")"));
  }
  const auto fabric = promised.at("fabric").get<std::string>();
  const std::string policy = policy_words(promised.at("policy"));
  return fmt::format("Held against cluster.yaml: {}{}; {} figure(s) in the contract.{}{}",
                     fmt::join(groups, ", "), fabric.empty() ? "" : "; " + fabric,
                     promised.at("contract").get<int>(),
                     policy.empty() ? "" : " Its policy: " + policy + ".", more);
}

}  // namespace acceptance
