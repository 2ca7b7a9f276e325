#include "suites/core/node_set.h"

#include <gtest/gtest.h>

#include <fstream>

namespace acceptance {
namespace {

using Names = std::vector<std::string>;

TEST(NodeSet, NamesRangesAndTheirProducts) {
  EXPECT_EQ(expand_node_set("n1"), Names{"n1"});
  EXPECT_EQ(expand_node_set("n[08-10,20]"), (Names{"n08", "n09", "n10", "n20"}));
  EXPECT_EQ(expand_node_set("a,b[1-2]-ib,c.d_e"), (Names{"a", "b1-ib", "b2-ib", "c.d_e"}));
  EXPECT_EQ(expand_node_set("r[1-2]n[1-2]").size(), 4u);
  EXPECT_EQ(expand_node_set("n[0001-4096]").size(), 4096u);
}

TEST(NodeSet, RefusesWhatNoHostIsCalled) {
  for (const char* bad : {"",
                          ",",
                          "n1,",
                          "n1,n1",
                          "n[1-2],n2",
                          "n[",
                          "n]",
                          "n[[1]]",
                          "n[2-1]",
                          "n[a-b]",
                          "n[]",
                          "n[1,]",
                          "n[1-99999999]",
                          "-oProxyCommand=x",
                          "n1;rm -rf",
                          "n1 n2",
                          "$(id)",
                          "`id`",
                          "n1|n2",
                          "../x",
                          "n[1-300]m[1-300]",
                          "n1\nn2",
                          "@/nonexistent/file",
                          "@/tmp"})
    EXPECT_THROW(expand_node_set(bad), std::invalid_argument) << bad;
}

struct HostFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "accept-host-file-test";
  explicit HostFile(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  ~HostFile() { std::filesystem::remove(path); }
};

TEST(NodeSet, HostFilesOfEveryUsualForm) {
  const HostFile f("# the cluster\r\nn1 slots=8\r\n\r\n  n2:4  # spare\nn3\tmax_slots=2\nn4");
  EXPECT_EQ(expand_node_set("@" + f.path.string()), (Names{"n1", "n2", "n3", "n4"}));
  EXPECT_EQ(expand_node_set("@" + f.path.string() + ",m[1-2]").size(), 6u);
}

TEST(NodeSet, AFileThatIsNoHostFileIsNamedWithItsLine) {
  const HostFile f("n1\n{\"json\": true}\n");
  try {
    expand_node_set("@" + f.path.string());
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(":2: no host name"), std::string::npos) << e.what();
  }
  const HostFile binary(
      std::string("\x7f"
                  "ELF\0\0\0",
                  7));
  EXPECT_THROW(read_host_file(binary.path), std::invalid_argument);
  const HostFile empty("# nobody\n");
  EXPECT_THROW(read_host_file(empty.path), std::invalid_argument);
}

TEST(NodeSet, Exclusions) {
  EXPECT_EQ(without({"a", "b", "c"}, {"b"}), (Names{"a", "c"}));
  EXPECT_THROW(without({"a"}, {"z"}), std::invalid_argument);
  EXPECT_THROW(without({"a"}, {"a"}), std::invalid_argument);
}

}  // namespace
}  // namespace acceptance
