// SPDX-License-Identifier: Apache-2.0
#pragma once

// YAML files that are no configuration although they look like one. Each has a format of its own, and the general reader of YAML
// leaves them to it, so both ask here.

#include <string_view>

#include "platform/file_system.h"

namespace assay {

// conda's environment.yml: a list of dependencies below the top level.
inline bool LooksLikeCondaEnvironment(std::string_view head) {
  const bool dependencies = head.starts_with("dependencies:") || head.find("\ndependencies:") != std::string_view::npos;
  return dependencies && (head.starts_with("channels:") || head.find("\nchannels:") != std::string_view::npos ||
                          head.starts_with("name:") || head.find("\nname:") != std::string_view::npos);
}

// meta.yaml of a run in MLflow's file store.
inline bool LooksLikeMlflowMeta(std::string_view path, std::string_view head) {
  return BaseName(path) == "meta.yaml" && head.find("artifact_uri:") != std::string_view::npos &&
         head.find("lifecycle_stage:") != std::string_view::npos;
}

}  // namespace assay
