#include "reports/run_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runner/run_folder.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / "accept-run-files-test";
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

Json run_json() {
  return run_of({test_of("s.a", {{"m", Unit::count, Better::higher, ""}})}, {}, {}, {}).run;
}

TEST(RunFolder, ATornLastRecordIsDiscardedAndTheNextOneIsWhole) {
  const Folder f;
  const Record one = record_of(assignment_of("s.a", {"n"}), Outcome::ok);
  {
    RunFolder folder = RunFolder::create(f.path);
    folder.write("run.json", run_json());
    folder.append(one);
    folder.append(one);
  }
  const auto size = fs::file_size(f.path / "records.jsonl");
  for (const std::uintmax_t cut :
       {size - 1, size - 7, size / 2 + 1, size / 2, size / 2 - 1, std::uintmax_t{1}}) {
    fs::resize_file(f.path / "records.jsonl", cut);
    const std::size_t whole = read_run(f.path).records.size();
    EXPECT_EQ(whole, cut >= size / 2 ? 1u : 0u) << cut;
    {
      RunFolder folder = RunFolder::reopen(f.path);
      folder.append(one);
      if (whole == 0) folder.append(one);
    }
    EXPECT_EQ(read_run(f.path).records.size(), 2u) << cut;
    EXPECT_EQ(fs::file_size(f.path / "records.jsonl"), size);
  }
}

TEST(RunFolder, OnlyAnEmptyFolderWillDoAndOnlyForOneProcess) {
  const Folder f;
  fs::create_directories(f.path);
  std::ofstream(f.path / "mine") << "precious";
  EXPECT_THROW(RunFolder::create(f.path), std::invalid_argument);
  EXPECT_TRUE(fs::exists(f.path / "mine"));
  EXPECT_THROW(RunFolder::reopen(f.path), std::invalid_argument);
  fs::remove(f.path / "mine");
  const RunFolder first = RunFolder::create(f.path);
  first.write("run.json", run_json());
  EXPECT_THROW(RunFolder::reopen(f.path), std::invalid_argument) << "another is at work";
  EXPECT_THROW(RunFolder::create("/proc/accept"), std::invalid_argument);
}

TEST(ReadRun, SaysFileAndLine) {
  const Folder f;
  EXPECT_THROW(read_run(f.path), std::invalid_argument);
  {
    RunFolder folder = RunFolder::create(f.path);
    folder.write("run.json", run_json());
    folder.append(record_of(assignment_of("s.a", {"n"}), Outcome::ok));
  }
  std::ofstream(f.path / "records.jsonl", std::ios::app) << "{\"nonsense\": 1}\n";
  try {
    read_run(f.path);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("records.jsonl:2:"), std::string::npos) << e.what();
  }
  for (auto spoil :
       {+[](Assignment& a) { a.places.clear(); }, +[](Assignment& a) { a.run = "another"; }}) {
    Record foreign = record_of(assignment_of("s.a", {"n"}), Outcome::ok);
    spoil(foreign.assignment);
    std::ofstream(f.path / "records.jsonl") << dump(Json(foreign)) << "\n";
    EXPECT_THROW(read_run(f.path), std::invalid_argument);
  }
  for (const char* bad : {"", "{}", "[1,2]", "{\"format\": \"accept.run/9\"}", "not json"}) {
    std::ofstream(f.path / "run.json") << bad;
    EXPECT_THROW(read_run(f.path), std::invalid_argument) << bad;
  }
}

TEST(Digest, IsSha256) {
  const Folder f;
  fs::create_directories(f.path);
  std::ofstream(f.path / "abc") << "abc";
  EXPECT_EQ(digest(f.path / "abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest(f.path / "none"), "");
}

}  // namespace
}  // namespace acceptance
