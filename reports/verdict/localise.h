#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace acceptance {

/// Some nodes, by index, ascending.
using Members = std::vector<std::size_t>;

/// A collective over `members`: it hung, failed, or was slow; or it was as expected.
struct Answer {
  Members members;
  bool bad = false;
};

/// What a bad collective comes down to.
struct Localised {
  enum class Kind {
    nodes,    ///< `here` is bad together with every good partner it was tried with
    between,  ///< `here` and `there` are each good, but not with one another
    one_of,  ///< one or more of `here`, or what joins them: there was nothing good to try them with
    together,    ///< only all of `here` at once are bad, none of their parts
    everywhere,  ///< `here` is bad wherever it was cut
    unsteady,    ///< `here` was bad at times, and at others not
  };
  Kind kind = Kind::nodes;
  Members here, there;  ///< `there` empty where `here` is not good with anybody outside it
};

struct Search {
  std::vector<Members> ask;  ///< what to try now; those that share no node at the same time
  std::vector<Localised> found;
};

/// Halving: which of `nodes` nodes, whose collective was bad, make it so. Give all answers so far,
/// in their order; try what is asked; call again; `ask` empty = done. Nodes beside each other
/// should be neighbours; `leaves` has the leaf of each, or nothing. A node is blamed after it was
/// bad with two partners that were good elsewhere, and the rest are tried once more without it.
Search localise(std::size_t nodes, std::span<const std::string> leaves,
                std::span<const Answer> answers);

}  // namespace acceptance
