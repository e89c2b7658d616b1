// Disk: the files of one PersistentVolume (or of an emptyDir), and DiskRack: all of a cluster's.
//
// A simulated disk is smaller than its claim says by kDiskScale: 1 GiB holds 1 MiB, so that nodes
// fill up in minutes of virtual time. What leaves here (total_bytes, available_bytes) is in the
// claim's terms. Disks belong to a volume's name and UID: they outlive pods, claims and nodes, and
// go when the PersistentVolume goes; who still mounts one keeps its files, as on a real node.
//
// One thread: that of the loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/operations.hpp"
#include "standin/blocknode/model/memory_volume.hpp"

namespace davit::sim {

inline constexpr std::uint64_t kDiskScale = 1024;

class Disk {
 public:
  // Capacity in bytes as the claim says; 0: no limit.
  explicit Disk(std::uint64_t capacity);

  [[nodiscard]] standin::MemoryVolume& files() { return files_; }
  void resize(std::uint64_t capacity);
  // Somebody else's data takes up what is free now, or is gone again. Growth gives room.
  void fill(bool full);
  void set_read_only(bool on);
  // As if formatted anew.
  void empty();

  [[nodiscard]] std::uint64_t total_bytes() const { return capacity_; }
  [[nodiscard]] std::uint64_t available_bytes() const;
  // Distinct blocks in whole files and archives; quarantine and work folders do not count.
  [[nodiscard]] std::uint64_t blocks() const;

 private:
  void apply();
  [[nodiscard]] std::uint64_t count_blocks() const;

  standin::MemoryVolume files_;
  std::uint64_t capacity_;
  std::uint64_t ballast_ = 0;  // of simulated size
  bool read_only_ = false;
  // The last count, and of which state of the files.
  mutable std::uint64_t counted_ = 0;
  mutable std::optional<std::uint64_t> counted_at_;
};

class DiskRack {
 public:
  explicit DiskRack(Operations& operations);
  DiskRack(const DiskRack&) = delete;
  DiskRack& operator=(const DiskRack&) = delete;

  // Of a PersistentVolume by name; null: there is no such volume.
  [[nodiscard]] std::shared_ptr<Disk> of_volume(const std::string& volume);
  // Of the volume a claim is bound to; `volume` is set to its name.
  [[nodiscard]] std::shared_ptr<Disk> of_claim(const ObjectKey& claim, std::string& volume);

 private:
  struct Slot {
    std::string uid;
    std::shared_ptr<Disk> disk;
  };
  void on_event(const StoredEvent& event);

  Operations* operations_;
  const ResourceType* volumes_;
  const ResourceType* claims_;
  std::map<std::string, Slot> slots_;
  // The store keeps its listeners for ever: this one falls silent with the rack.
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace davit::sim
