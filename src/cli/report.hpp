// `kubectl davit report`: a folder to send to somebody who helps: objects, events, logs, metrics.
//
// Secrets are never read; values of settings whose name says secret, key, token or password are
// masked, in objects and in logs. What could not be gathered is listed in problems.txt, never
// silently missing.
#pragma once

#include <filesystem>
#include <string>

#include "kube/client.hpp"

namespace davit::cli {

// Replaces what follows NAME= or "NAME": when NAME looks like a secret.
[[nodiscard]] std::string mask_text(std::string text);
void mask_object(json::value& value);

// The folder that was written.
[[nodiscard]] io::Task<Result<std::filesystem::path>> write_report(kube::Client& client,
                                                                   ObjectKey node,
                                                                   std::filesystem::path folder);

}  // namespace davit::cli
