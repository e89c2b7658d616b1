#include "app/generate_command.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "app/generate/generate.hpp"

namespace davit::app {

namespace {

struct Flags {
  std::string what = "all";
  std::string out = ".";
  std::string check;
};

int check(const std::string& what, const std::filesystem::path& root) {
  int stale = 0;
  for (const Generated& file : generated_files()) {
    if (what != "all" && what != file.what) continue;
    std::ifstream in(root / file.path);
    std::ostringstream text;
    text << in.rdbuf();
    if (in && text.str() == file.text) continue;
    fmt::print(stderr, "{} is not what davit generates; run make generate and commit it\n",
               file.path);
    ++stale;
  }
  if (stale == 0) fmt::print("all generated files are up to date\n");
  return stale == 0 ? 0 : 1;
}

}  // namespace

void add_generate_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("generate", "writes CRDs, RBAC and reference from Davit's own tables");
  command->add_option("what", flags->what, "crds, rbac, docs or all")->capture_default_str();
  command->add_option("--out", flags->out, "root of the tree to write into")->capture_default_str();
  command->add_option("--check", flags->check,
                      "root of a tree: only say which files differ, exit 1 if any");
  command->callback([flags, &exit_code] {
    exit_code =
        flags->check.empty() ? generate(flags->what, flags->out) : check(flags->what, flags->check);
  });
}

}  // namespace davit::app
