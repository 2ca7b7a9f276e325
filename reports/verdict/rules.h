#pragma once
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/reference/catalogue.h"
#include "reports/run_files.h"
#include "suites/core/cluster.h"

namespace acceptance {

/// Rules of thumb about a promise itself, before anything is measured: rails for GPUs, links,
/// checkpoint storage, networks, spare nodes, power and heat. Remarks, unless the policy says
/// otherwise; nothing where all is well.
std::vector<Finding> judge_promise(const Cluster& cluster, const Catalogue& catalogue);

/// What nodes have, against what was promised, and links below their best. Less than promised
/// fails; other versions and links are remarks. One finding per difference, with all who show it.
std::vector<Finding> judge_drift(const Cluster& cluster, const std::vector<Node>& nodes,
                                 const Catalogue& catalogue);

/// Rules about nodes as they are, promise or not: links below their best, NICs far from GPUs,
/// memory unevenly filled.
std::vector<Finding> judge_build(const std::vector<Node>& nodes, const Catalogue& catalogue);

/// GPUs of a node by model, as far as the catalogue knows their PCI ids: model → how many. Those it
/// doesn't know count under "vendor:device".
std::map<std::string, int> gpus_of(const Node& node, const Catalogue& catalogue);

/// What was promised or agreed on, and has no figure in this run: nodes of cluster.yaml that took
/// no part, figures of the contract that were not measured.
std::vector<Finding> judge_coverage(const RunFiles& files, const std::vector<Finding>& findings);

/// Gives findings the severity the policy asks for, and drops ignored rules. What a contract says
/// is never softened.
void apply_policy(const Policy& policy, std::vector<Finding>& findings);

/// Whether policy wants this test measured; all are wanted when it names none.
bool required_by(const Policy& policy, const std::string& test);

}  // namespace acceptance
