// Everything Davit generates from its own tables: CRDs, RBAC, references. The command `davit
// generate` calls this; a test compares the result with the committed files.
//
//   for (const Generated& file : generated_files()) fmt::print("{}\n", file.path);
//   int code = generate("crds", "/tmp/out");      // writes out/deploy/crds/…
//
// generated_files is pure; generate writes files and says on stderr what it could not write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace davit::app {

struct Generated {
  std::string what;  // "crds", "rbac", "docs"
  std::string path;  // below the root of the tree: "deploy/crds/…"
  std::string text;
};

[[nodiscard]] std::vector<Generated> generated_files();

// Writes the files of one kind, or of "all", below `root`. 0: done; 1: a file cannot be written; 2:
// no such kind.
[[nodiscard]] int generate(std::string_view what, const std::filesystem::path& root);

}  // namespace davit::app
