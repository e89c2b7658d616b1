// Kept volumes: a claim that was deleted, with its namespace perhaps, finds the volume it had.
//
// Q: What accident does it prevent? A: After a lost namespace the same BlockNode is applied again;
// its claims
//    would get new, empty volumes while terabytes sit in volumes marked Released that nobody looks
//    at.
// Q: How is a volume known? A: It still names the claim it was bound to (spec.claimRef), and Davit
// set its
//    Retain (annotation). What is inside is checked by davit-start before the server may touch it.
// Q: Several volumes name the claim? A: Then nothing is chosen: a person must (reason
// ClaimAmbiguous).
//
// Q: A crash in between? A: The volume is made free for that claim's name first, then the claim is
// created;
//    a freed volume is found again.
// On the loop's thread.
#pragma once

#include <optional>

#include "kube/client.hpp"

namespace davit::blocknode {

// The one volume that was kept for a claim of this name; nullopt: none.
[[nodiscard]] io::Task<Result<std::optional<json::object>>> find_kept_volume(kube::Client& client,
                                                                             ObjectKey claim);

// Pure: of these volumes, those kept for the claim.
[[nodiscard]] std::vector<json::object> kept_for(const std::vector<json::object>& volumes,
                                                 const ObjectKey& claim);

// Lets a claim of the same name bind it; fails with kConflict when the volume has changed
// meanwhile.
[[nodiscard]] io::Task<Status> free_for_claim(kube::Client& client, json::object volume,
                                              FieldManager manager);

// Makes the claim ask for exactly this volume: its name and class, and no more than it holds (a
// larger wish is a growth, which comes once it is bound).
void ask_for(json::object& claim, const json::object& volume);

}  // namespace davit::blocknode
