#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "suites/core/node.h"
#include "suites/core/record.h"
#include "suites/core/test.h"

/// Absent = null, in both directions.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value)
      j = *value;
    else
      j = nullptr;
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null())
      value.reset();
    else
      value = j.get<T>();
  }
};

namespace acceptance {

using Json = nlohmann::json;

/// How the vocabulary is written in files and on the connection. Reading throws std::exception
/// (of nlohmann or std::invalid_argument) on anything that isn't of the expected form.

void to_json(Json& j, const Value& v);
void from_json(const Json& j, Value& v);
void to_json(Json& j, const Samples& s);
void from_json(const Json& j, Samples& s);
void to_json(Json& j, const Sampling& s);
void from_json(const Json& j, Sampling& s);
void to_json(Json& j, const Assignment& a);
void from_json(const Json& j, Assignment& a);
void to_json(Json& j, const Observation& o);
void from_json(const Json& j, Observation& o);
void to_json(Json& j, const Measurement& m);
void from_json(const Json& j, Measurement& m);
void to_json(Json& j, const Record& r);
void from_json(const Json& j, Record& r);
void to_json(Json& j, const Node& n);
void from_json(const Json& j, Node& n);

/// Everything about a test but its body: what judging and reporting need, so that they need files
/// only.
void to_json(Json& j, const Test& t);
void from_json(const Json& j, Test& t);

/// Text for a file or the wire; bytes that are no UTF-8 are replaced, never thrown on.
std::string dump(const Json& j, int indent = -1);

}  // namespace acceptance
