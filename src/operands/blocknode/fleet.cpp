#include "operands/blocknode/fleet.hpp"

namespace davit::blocknode {

namespace {
constexpr auto kReservation = std::chrono::minutes(1);
}  // namespace

void Fleet::put(Member member) {
  erase(member.key);
  groups_[member.group].insert(member.key);
  ObjectKey key = member.key;
  members_.insert_or_assign(std::move(key), std::move(member));
}

void Fleet::erase(const ObjectKey& node) {
  const auto member = members_.find(node);
  if (member == members_.end()) return;
  if (const auto group = groups_.find(member->second.group); group != groups_.end()) {
    group->second.erase(node);
    if (group->second.empty()) groups_.erase(group);
  }
  members_.erase(member);
}

void Fleet::forget(const ObjectKey& node) {
  erase(node);
  reservations_.erase(node);
  waiting_.erase(node);
}

const Member* Fleet::find(const ObjectKey& node) const {
  const auto member = members_.find(node);
  return member == members_.end() ? nullptr : &member->second;
}

std::vector<Member> Fleet::group(const std::string& group) const {
  std::vector<Member> out;
  const auto keys = groups_.find(group);
  if (keys == groups_.end()) return out;
  for (const ObjectKey& key : keys->second) out.push_back(members_.at(key));
  return out;
}

std::vector<Member> Fleet::group_in(const std::string& group, const std::string& ns) const {
  std::vector<Member> out = this->group(group);
  std::erase_if(out, [&](const Member& member) { return member.key.ns != ns; });
  return out;
}

void Fleet::reserve(const ObjectKey& node, Uid pod, Monotonic now) {
  reservations_[node] = {std::move(pod), now + kReservation};
}

bool Fleet::reserved(const ObjectKey& node, const Uid& pod_in_cache, Monotonic now) const {
  const auto held = reservations_.find(node);
  return held != reservations_.end() && held->second.pod == pod_in_cache &&
         now < held->second.until;
}

void Fleet::set_waiting(const ObjectKey& node, bool waiting) {
  if (waiting) {
    waiting_.insert(node);
  } else {
    waiting_.erase(node);
  }
}

}  // namespace davit::blocknode
