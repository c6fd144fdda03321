// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

// The kind of file system that holds the data. A network mount is no evidence of slowness; it says where to look.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"mount-network", "mount-fuse"};
constexpr std::array<std::string_view, 12> kDataKeys{"data_dir",    "data_path",   "data_root",  "dataset_path",
                                                     "dataset_dir", "train_dir",   "train_data", "root",
                                                     "train_path",  "train_files", "image_root", "data"};

bool IsNetwork(std::string_view type, std::string_view device) {
  for (const std::string_view known : {"nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "wekafs", "afs"}) {
    if (type.starts_with(known)) return true;
  }
  return type.empty() && device.find(":/") != std::string_view::npos;  // "server:/export", as df prints it
}

void Evaluate(const FactView& facts, Findings& out) {
  const ConfigValue* data = nullptr;
  for (const std::string_view name : kDataKeys) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (data == nullptr && value->value.starts_with('/')) data = value;
    }
  }
  // The mount with the longest path that the data lie below.
  struct Mount {
    std::string path;
    std::string type;
    std::string device;
    Citation cite;
  };
  std::optional<Mount> best;
  for (const Reading& reading : facts.All<Reading>()) {
    if (data == nullptr || !reading.name.starts_with("disk.")) continue;
    const std::size_t dot = reading.name.rfind('.');
    const std::string path = reading.name.substr(5, dot - 5);
    const std::string_view part = std::string_view(reading.name).substr(dot + 1);
    if (part != "type" && part != "size") continue;
    const bool below = data->value.starts_with(path) &&
                       (path.ends_with('/') || data->value.size() == path.size() || data->value[path.size()] == '/');
    if (!below || (best && best->path.size() > path.size())) continue;
    if (!best || best->path != path) best = Mount{.path = path, .cite = reading.cite};
    (part == "type" ? best->type : best->device) = reading.text;
  }
  if (!best) {
    for (const std::string_view id : kYields) out.NotChecked(id, "the path of the data or the mount below it is not known");
    return;
  }
  if (IsNetwork(best->type, best->device)) {
    out.Add("data-mounts", "mount-network",
            fmt::format("The data lie on the network mount {} ({}).", Printable(best->path, 80),
                        Printable(best->type.empty() ? best->device : best->type, 60)),
            {best->cite, data->cite});
  } else if (best->type.starts_with("fuse")) {
    out.Add(
        "data-mounts", "mount-fuse",
        fmt::format("The data pass through the user-space mount {} ({}).", Printable(best->path, 80), Printable(best->type, 60)),
        {best->cite, data->cite});
  }
}

}  // namespace

extern const Rule data_mounts;
constinit const Rule data_mounts{
    .id = "data-mounts",
    .title = "The file system that holds the data",
    .looks_at = "the data's path in the config, and mounts from df or the mount table",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
