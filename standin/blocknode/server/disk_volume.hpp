// The Volume of the server: real files, POSIX calls, errno kept. Thread safe (it has no state).
#pragma once

#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

class DiskVolume final : public Volume {
 public:
  VolumeResult<void> make_directories(const std::string& path) override;
  VolumeResult<std::vector<Entry>> list(const std::string& path) const override;
  VolumeResult<std::uint64_t> size(const std::string& path) const override;
  VolumeResult<std::string> read(const std::string& path) const override;
  VolumeResult<std::string> read_at(const std::string& path, std::uint64_t offset,
                                    std::uint64_t length) const override;
  VolumeResult<void> write(const std::string& path, std::string_view bytes) override;
  VolumeResult<void> append(const std::string& path, std::string_view bytes) override;
  VolumeResult<void> link(const std::string& from, const std::string& to) override;
  VolumeResult<void> rename(const std::string& from, const std::string& to) override;
  VolumeResult<void> remove(const std::string& path) override;
};

}  // namespace davit::standin
