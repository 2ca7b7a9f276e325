#pragma once
#include <filesystem>
#include <string>

#include "reports/reference/catalogue.h"
#include "reports/yaml.h"
#include "suites/core/cluster.h"
#include "suites/core/test.h"

namespace acceptance {

/// Reads cluster.yaml. What a named server model says stands where the file says nothing. Throws
/// std::invalid_argument with file, line and key.
Cluster parse_cluster(const std::string& text, const std::string& file, const Catalogue& catalogue);
Cluster read_cluster(const std::filesystem::path& file, const Catalogue& catalogue);

/// A cluster one only thinks of: `nodes` servers of a model, joined by a fabric ("ndr",
/// "infiniband-ndr", "roce-400"). Throws std::invalid_argument, with a suggestion.
Cluster imagined_cluster(const std::string& server, int nodes, const std::string& fabric,
                         const Catalogue& catalogue);

/// A contract's figure from its key and value. Throws std::invalid_argument saying what is wrong:
/// unknown test, metric or parameter, wrong dimension, a direction the metric doesn't have.
ContractFigure parse_contract(const std::string& key, const std::string& value);

/// The definition of a test: of this build, or foreseen; null when the name is neither.
const Test* known_test(const std::string& name);
/// Names of all of those.
std::vector<std::string> known_tests();

/// The part "policy" of cluster.yaml. Throws std::invalid_argument with file, line and key, also
/// for names that no test and no finding has.
Policy read_policy(const Yaml& yaml);

/// Names of the presets: "start", "business", …
std::vector<std::string> preset_names();
/// The text of one. Throws std::invalid_argument, with a suggestion.
std::string preset(const std::string& name);

}  // namespace acceptance
