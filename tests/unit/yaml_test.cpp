#include "reports/yaml.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

std::string complaint(const std::string& text, auto&& read) {
  try {
    read(Yaml::parse(text, "f.yaml"));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
std::string complaint(const std::string& text) {
  return complaint(text, [](const Yaml&) {});
}

TEST(Yaml, KnowsWhereEverythingIs) {
  const Yaml y = Yaml::parse("a: 1\nb:\n  c: [x, y]\n  d: 3 GB/s\n", "f.yaml");
  EXPECT_EQ(y["b"]["d"].line(), 4);
  EXPECT_EQ(y["b"]["d"].path(), "b.d");
  EXPECT_EQ(y["b"]["c"].items().at(1)->path(), "b.c.2");
  EXPECT_EQ(y["b"]["c"].words(), (std::vector<std::string>{"x", "y"}));
  EXPECT_DOUBLE_EQ(y["b"]["d"].quantity(Unit::bytes_per_second), 3e9);
  EXPECT_FALSE(y["nowhere"]["deeper"]);
}

TEST(Yaml, ComplainsWithFileLineAndKey) {
  const auto only_rate = [](const Yaml& y) { y["fabric"].only({"rate", "kind"}); };
  EXPECT_EQ(complaint("fabric:\n  rat: 1\n", only_rate),
            "f.yaml:2: fabric.rat: unknown key; did you mean rate?");
  const auto rate = [](const Yaml& y) { y["rate"].quantity(Unit::bytes_per_second); };
  EXPECT_PRED2(contains, complaint("\n\nrate: 5 s\n", rate),
               "f.yaml:3: rate: '5 s' has the wrong dimension");
  EXPECT_PRED2(contains, complaint("rate: 5\n", rate), "has no unit");
  EXPECT_PRED2(contains, complaint("a: 1\n", [](const Yaml& y) { y.at("b"); }), "'b' is missing");
  EXPECT_PRED2(contains, complaint("a: {x: 1}\n", [](const Yaml& y) { y["a"].text(); }),
               "f.yaml:1: a: must be a word");
  EXPECT_PRED2(contains, complaint("a: [1]\n", [](const Yaml& y) { y["a"].members(); }),
               "must be a map");
  EXPECT_PRED2(contains, complaint("n: 7\n", [](const Yaml& y) { y["n"].count(1, 5); }),
               "no whole number from 1 to 5");
  EXPECT_PRED2(contains, complaint("f: maybe\n", [](const Yaml& y) { y["f"].flag(); }),
               "neither yes nor no");
}

TEST(Yaml, DuplicateKeysMergeKeysAndOddKeysAreErrors) {
  EXPECT_EQ(complaint("a: 1\nb: 2\na: 3\n"),
            "f.yaml:3: a: the key is there twice; first in line 1");
  EXPECT_PRED2(contains, complaint("x: {a: 1, a: 2}\n"), "f.yaml:1: x.a: the key is there twice");
  EXPECT_PRED2(contains, complaint("d: &d {a: 1}\ne:\n  <<: *d\n"), "f.yaml:3: e.<<: merge keys");
  EXPECT_PRED2(contains, complaint("? [a]\n: 1\n"), "a key must be a word");
  EXPECT_PRED2(contains, complaint("a: 1\n--- \nb: 1\n"), "more than one document");
  EXPECT_PRED2(contains, complaint(""), "is empty");
  EXPECT_PRED2(contains, complaint("a: [1\n"), "f.yaml:");
  EXPECT_PRED2(contains, complaint("a: *nothing\n"), "f.yaml:1");
}

TEST(Yaml, ControlCharactersAreRefusedBeforeTheyReachATerminal) {
  for (const char* bad : {"a: \"\\e[31mred\"\n", "\"\\e]0;x\": 1\n", "a: \"x\\ny\"\n",
                          "a: |\n  x\n  y\n", "a: \"\\u009b31mred\"\n", "a: \"\\u202egnp\"\n"}) {
    try {
      Yaml::parse(bad, "f");
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& e) {
      EXPECT_PRED2(contains, e.what(), "control character");
      EXPECT_EQ(std::string(e.what()).find('\x1b'), std::string::npos);
    }
  }
}

TEST(Yaml, AnchorsWorkAndDontExplode) {
  const Yaml y = Yaml::parse("a: &x {rate: 1 GB/s}\nb: *x\n", "f.yaml");
  EXPECT_EQ(y["b"]["rate"].path(), "b.rate");
  EXPECT_EQ(y["b"]["rate"].line(), 1) << "it is written there";
  std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
    laughs += "]\n";
  }
  EXPECT_PRED2(contains, complaint(laughs), "more than 500000 values");
  EXPECT_PRED2(contains, complaint(std::string(100, '[') + std::string(100, ']')),
               "more than 32 levels");
}

TEST(Yaml, RangesShareTheirUnit) {
  const Yaml y = Yaml::parse("a: 3 .. 5 GB/s\nb: 4 GB/s\nc: 5 .. 3 s\n", "f.yaml");
  EXPECT_EQ(y["a"].range(Unit::bytes_per_second), std::pair(3e9, 5e9));
  EXPECT_EQ(y["b"].range(Unit::bytes_per_second), std::pair(4e9, 4e9));
  EXPECT_THROW(y["c"].range(Unit::seconds), std::invalid_argument);
}

}  // namespace
}  // namespace acceptance
