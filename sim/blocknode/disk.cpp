#include "sim/blocknode/disk.hpp"

#include <algorithm>

#include "kube/resource.hpp"
#include "standin/blocknode/model/block_paths.hpp"
#include "standin/blocknode/model/range_set.hpp"
#include "standin/blocknode/model/zip.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

std::uint64_t capacity_of(const json::object& volume) {
  const auto size = wire::Quantity::parse(wire::find_string(volume, "spec.capacity.storage"));
  return size && size->value() > 0 ? static_cast<std::uint64_t>(size->value()) : 0;
}

// Ours and the server's own folders that hold no block of record.
bool is_aside(std::string_view path) {
  return path.starts_with("/.davit-quarantine/") || path.find("/links/") != path.npos ||
         path.find("/zipwork/") != path.npos || path.find("/corrupted/") != path.npos;
}

}  // namespace

Disk::Disk(std::uint64_t capacity) : capacity_(capacity) {
  (void)files_.make_directories("");
  apply();
}

void Disk::apply() {
  const std::uint64_t size = capacity_ / kDiskScale;
  if (capacity_ == 0) {
    files_.unlimit("");
  } else {
    files_.limit("", size - std::min(ballast_, size));
  }
  files_.set_read_only("", read_only_);
}

void Disk::resize(std::uint64_t capacity) {
  if (capacity == capacity_) return;
  capacity_ = capacity;
  apply();
}

void Disk::fill(bool full) {
  const std::uint64_t size = capacity_ / kDiskScale;
  ballast_ = full ? size - std::min(files_.used(""), size) : 0;
  apply();
}

void Disk::set_read_only(bool on) {
  read_only_ = on;
  apply();
}

void Disk::empty() {
  files_ = standin::MemoryVolume();
  (void)files_.make_directories("");
  counted_at_.reset();
  apply();
}

std::uint64_t Disk::available_bytes() const {
  const std::uint64_t taken = (files_.used("") + ballast_) * kDiskScale;
  return capacity_ - std::min(capacity_, taken);
}

std::uint64_t Disk::blocks() const {
  if (counted_at_ != files_.changes()) {
    counted_ = count_blocks();
    counted_at_ = files_.changes();
  }
  return counted_;
}

std::uint64_t Disk::count_blocks() const {
  standin::RangeSet blocks;
  files_.for_each_file([&](const std::string& path, const std::string& bytes) {
    if (bytes.empty() || is_aside(path)) return;
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (const auto block = standin::block_of_file(name)) {
      blocks.add(*block);
    } else if (name.ends_with(".zip")) {
      const auto index = standin::read_zip_index(files_, path);
      if (!index) return;
      for (const auto& [entry, place] : *index) {
        if (const auto inside = standin::block_of_file(entry)) blocks.add(*inside);
      }
    }
  });
  return blocks.count();
}

DiskRack::DiskRack(Operations& operations)
    : operations_(&operations),
      volumes_(operations.registry().find(kube::kPersistentVolumes)),
      claims_(operations.registry().find(kube::kPersistentVolumeClaims)) {
  operations.store().on_event([this, alive = std::weak_ptr<int>(alive_)](const StoredEvent& event) {
    if (!alive.expired()) on_event(event);
  });
}

void DiskRack::on_event(const StoredEvent& event) {
  if (event.type != volumes_) return;
  const auto slot = slots_.find(event.key.name);
  if (slot == slots_.end()) return;
  if (!event.after) {
    slots_.erase(slot);
  } else {
    slot->second.disk->resize(capacity_of(*event.after));
  }
}

std::shared_ptr<Disk> DiskRack::of_volume(const std::string& volume) {
  const Object object = operations_->store().get(*volumes_, {"", volume});
  if (!object) return nullptr;
  Slot& slot = slots_[volume];
  const std::string uid = kube::uid_of(*object).value;
  if (!slot.disk || slot.uid != uid) {
    slot = {uid, std::make_shared<Disk>(capacity_of(*object))};
  }
  return slot.disk;
}

std::shared_ptr<Disk> DiskRack::of_claim(const ObjectKey& claim, std::string& volume) {
  const Object object = operations_->store().get(*claims_, claim);
  if (!object) return nullptr;
  volume = wire::find_string(*object, "spec.volumeName");
  return volume.empty() ? nullptr : of_volume(volume);
}

}  // namespace davit::sim
