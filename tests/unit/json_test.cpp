#include "suites/core/json.h"

#include <gtest/gtest.h>

#include "suites/inventory/probe.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

template <class T>
Json again(const T& value) {
  return Json(Json::parse(dump(Json(value))).get<T>());
}

TEST(Json, RecordsSurviveTheFile) {
  Record r = record_of(assignment_of("a.b", {"n1", "n2"}, {{"message", 8.0}, {"memory", "host"}}),
                       Outcome::failed, "wrong bytes");
  r.culprits = {"n2"};
  r.measurements = {{"rate", Unit::bytes_per_second, Samples(std::vector<double>{1, 2, 3})}};
  r.observations = {{"clock", "n1", 3e9, Unit::hertz}, {"kernel", "", "fast", Unit::text}};
  EXPECT_EQ(again(r), Json(r));
  EXPECT_EQ(Json(r).at("id"), "a.b@1/memory=host,message=8/n1+n2#1");
}

TEST(Json, DefinitionsSurviveTheFile) {
  ASSERT_FALSE(tests().empty());
  for (const acceptance::Test& t : tests()) EXPECT_EQ(again(t), Json(t)) << t.name;
}

TEST(Json, TheInventoryOfThisMachineSurvivesTheFile) {
  const Node n = probe();
  EXPECT_EQ(again(n), Json(n));
  EXPECT_FALSE(n.boot_id.empty());
  EXPECT_GT(n.cpu.usable.size(), 0u);
  EXPECT_GT(n.memory_bytes, 0);
}

TEST(Json, UnknownIsNullNotAnInvention) {
  const Json j = Node{};
  EXPECT_TRUE(j.at("cpu").at("max_hz").is_null());
  EXPECT_FALSE(j.get<Node>().cpu.max_hz.has_value());
}

TEST(Json, WhatIsNotOfTheFormIsAnError) {
  const Json good = record_of(assignment_of("a.b", {"n"}), Outcome::ok);
  for (const char* key : {"assignment", "outcome", "reason", "measurements", "seconds"}) {
    Json bad = good;
    bad.erase(key);
    EXPECT_ANY_THROW(bad.get<Record>()) << key;
  }
  Json bad = good;
  bad["outcome"] = "splendid";
  EXPECT_THROW(bad.get<Record>(), std::invalid_argument);
  bad = good;
  bad["measurements"] = {{{"metric", "m"}, {"unit", "furlong"}, {"samples", Samples()}}};
  EXPECT_THROW(bad.get<Record>(), std::invalid_argument);
}

TEST(Json, BytesThatAreNoTextDoNotThrow) { EXPECT_NO_THROW(dump(Json("\xff\xfe broken"))); }

}  // namespace
}  // namespace acceptance
