// Reasons: every word a condition or Event of a BlockNode may carry, with its meaning and what to
// do.
//
// The closed table: the runbook and the reference are generated from kReasons. `stalled_after`:
// once a node has been not Ready for this reason that long, Davit says Stalled=True (kstatus: a
// person is needed); it goes on trying all the same. Constants; any thread.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

namespace davit::blocknode {

struct Reason {
  std::string_view name;
  std::string_view meaning;
  std::string_view action;  // what to do; empty: nothing
  std::optional<std::chrono::minutes> stalled_after;
};

namespace reason {

using std::chrono::hours;
using std::chrono::minutes;
inline constexpr auto kNever = std::nullopt;
inline constexpr minutes kAtOnce{0};

// Ready and Serving.
inline constexpr Reason kServing{"Serving", "Every check on the node itself passes.", "", kNever};
inline constexpr Reason kVerifying{
    "Verifying", "Every check passes, but has not yet for the hold time.", "Wait.", minutes{30}};
inline constexpr Reason kCreating{"Creating", "The children of the node are being created.",
                                  "Wait.", minutes{5}};
inline constexpr Reason kConfigurationInvalid{
    "ConfigurationInvalid", "The spec cannot be carried out; nothing was changed.",
    "Correct the fields the message names.", kAtOnce};
inline constexpr Reason kNameTaken{
    "NameTaken", "An object that Davit did not make has the name of a child.",
    "Rename or remove that object, or give the BlockNode another name.", kAtOnce};
inline constexpr Reason kPermissionMissing{
    "PermissionMissing", "Davit lacks a permission that this node needs.",
    "Apply Davit's ClusterRole again (deploy/), or grant the verb the message names.", kAtOnce};
inline constexpr Reason kFieldContested{
    "FieldContested", "Another writer keeps overwriting a field that Davit owns.",
    "Find it (kubectl get -o yaml --show-managed-fields) and stop one of the two.", minutes{5}};
inline constexpr Reason kChangeRefused{
    "ChangeRefused", "The API server refused a change Davit made.",
    "Read the server's message; quota, admission policy or storage class are the usual causes.",
    minutes{5}};
inline constexpr Reason kClaimPending{
    "ClaimPending", "A volume claim is not bound.",
    "Check the storage class and its provisioner: kubectl describe pvc <claim>.", minutes{5}};
inline constexpr Reason kClaimLost{"ClaimLost", "The volume behind a claim is gone.",
                                   "Restore the volume, or replace it with a BlockNodeOperation.",
                                   kAtOnce};
inline constexpr Reason kClaimMissing{"ClaimMissing",
                                      "A claim named by existingClaim does not exist.",
                                      "Create the claim, or correct spec.storage.", kAtOnce};
inline constexpr Reason kClaimForeign{
    "ClaimForeign", "A claim with the name Davit would use belongs to something else.",
    "Name it in existingClaim to use it, or remove it.", kAtOnce};
inline constexpr Reason kClaimAmbiguous{"ClaimAmbiguous",
                                        "Several volumes were kept for one claim.",
                                        "Choose one, as the message says.", kAtOnce};
inline constexpr Reason kClaimTerminating{
    "ClaimTerminating", "A claim of the node is being deleted.",
    "Wait until it is gone; Davit then makes a new one.", minutes{5}};
inline constexpr Reason kPodMissing{
    "PodMissing", "The StatefulSet has no pod.",
    "Look at the StatefulSet's Events: quota and admission are the usual causes.", minutes{5}};
inline constexpr Reason kUnschedulable{
    "Unschedulable", "No Kubernetes node takes the pod.",
    "Free or add what the message says is missing, or lower spec.resources.", minutes{5}};
inline constexpr Reason kImagePullFailed{"ImagePullFailed", "An image cannot be pulled.",
                                         "Check spec.version, spec.image and the pull secrets.",
                                         minutes{5}};
inline constexpr Reason kContainerFailed{"ContainerFailed", "The kubelet cannot start a container.",
                                         "Read the kubelet's message.", minutes{5}};
inline constexpr Reason kStarting{"Starting", "The pod is starting.", "Wait.", minutes{10}};
inline constexpr Reason kRestarting{"Restarting", "The pod is being replaced.", "Wait.",
                                    minutes{10}};
inline constexpr Reason kCrashLoop{
    "CrashLoop", "The server ends soon after each start.",
    "Read the last error and the log: kubectl logs <pod> -c server --previous.", minutes{5}};
inline constexpr Reason kOutOfMemory{"OutOfMemory", "The server was killed at its memory limit.",
                                     "Raise spec.resources.limits.memory or lower the heap.",
                                     minutes{5}};
inline constexpr Reason kVolumeIdentityMismatch{
    "VolumeIdentityMismatch",
    "A volume holds another node's data, or was replaced by an empty one.",
    "Attach the right volume. Nothing on it was touched.", kAtOnce};
inline constexpr Reason kServerNotFound{"ServerNotFound",
                                        "The image does not hold this version of the server.",
                                        "Make spec.version and spec.image agree.", kAtOnce};
inline constexpr Reason kScanning{"Scanning", "The server reads its disks and does not answer yet.",
                                  "Wait: large disks take hours. The log shows progress.",
                                  hours{24}};
inline constexpr Reason kUnhealthy{
    "Unhealthy", "The server runs but says, or shows, that it is not well.",
    "Read its log. The kubelet restarts it after 5 minutes.", minutes{15}};
inline constexpr Reason kPortSilent{"PortSilent",
                                    "A port that should be open does not accept connections.",
                                    "Read the log for 'Failed to start listener'.", minutes{10}};
inline constexpr Reason kVersionMismatch{
    "VersionMismatch", "The server says it is another version than the one wanted.",
    "Check spec.image: the tag or digest holds another version.", minutes{5}};
inline constexpr Reason kBlockUnreadable{
    "BlockUnreadable", "A block inside the advertised range cannot be read.",
    "Check the disk; restore or backfill the range.", minutes{10}};
inline constexpr Reason kHeightWentBack{
    "HeightWentBack", "The node has fewer blocks than it had before.",
    "If that is expected, set the annotation davit.hiero.org/accept-height to the new height.",
    kAtOnce};
inline constexpr Reason kProbeUnreachable{
    "ProbeUnreachable", "Davit cannot reach the pod, but the kubelet can.",
    "Check NetworkPolicies between Davit and the pod. The node is left alone.", kNever};
inline constexpr Reason kAgentFailed{"AgentFailed", "The agent beside the server does not run.",
                                     "Read its log: kubectl logs <pod> -c agent.", minutes{10}};
inline constexpr Reason kDeleting{"Deleting", "The BlockNode is being deleted.", "", kNever};

// StorageHealthy.
inline constexpr Reason kHealthy{"Healthy", "Every claim is bound and every volume takes a write.",
                                 "", kNever};
inline constexpr Reason kVolumeFull{
    "VolumeFull", "A volume has no space left.",
    "Grow spec.storage.<volume>.size now: blocks that arrive are refused.", kAtOnce};
inline constexpr Reason kVolumeNearlyFull{"VolumeNearlyFull", "A volume is filled to 95 % or more.",
                                          "Grow spec.storage.<volume>.size.", kNever};
inline constexpr Reason kVolumeNotWritable{
    "VolumeNotWritable", "A volume does not take a write.",
    "Check the volume: read-only mount, permissions, input/output errors.", kAtOnce};
inline constexpr Reason kGrowing{"Growing", "A claim is being grown.", "Wait.", kNever};
inline constexpr Reason kGrowRefused{
    "GrowRefused", "The cluster refuses to grow a claim.",
    "Use a storage class with allowVolumeExpansion; Davit tries again by itself.", kNever};
inline constexpr Reason kNoReport{"NoReport", "The agent has not reported on the volumes.",
                                  "Wait; see Ready for the pod.", kNever};

// ConfigurationApplied.
inline constexpr Reason kApplied{"Applied", "The running server has the configuration of the spec.",
                                 "", kNever};
inline constexpr Reason kRestartPending{"RestartPending",
                                        "A change waits for a slot to restart the pod.",
                                        "Wait; the message names who holds the slot.", kNever};

// Ingesting.
inline constexpr Reason kIngesting{"Ingesting", "Blocks arrive, are verified and stored.", "",
                                   kNever};
inline constexpr Reason kAwaitingFirstPublisher{
    "AwaitingFirstPublisher", "No block has arrived yet.",
    "Point a consensus node at status.endpoint.", kNever};
inline constexpr Reason kPublishersLost{"PublishersLost",
                                        "Nobody has been connected to publish for 5 minutes.",
                                        "Check the consensus nodes and the way from them.", kNever};
inline constexpr Reason kStandsStill{
    "StandsStill", "A publisher is connected, but no block is added.",
    "Read the log for verification and persistence errors. Davit does not restart the node for it.",
    kNever};
inline constexpr Reason kObserving{"Observing", "Not watched for long enough to say.", "Wait.",
                                   kNever};
inline constexpr Reason kNotServing{"NotServing", "The node does not serve, see Ready.", "",
                                    kNever};
inline constexpr Reason kNotATierOneNode{
    "NotJudged", "Ingest is judged for tier 1 nodes only in this version.", "", kNever};

// DataProtected.
inline constexpr Reason kRetained{"Retained", "The volumes outlive their claims.", "", kNever};
inline constexpr Reason kDeletedWithNode{
    "DeletedWithNode", "policies.deletion is Delete: the data goes with the BlockNode.", "",
    kNever};
inline constexpr Reason kUnprotected{
    "Unprotected", "A volume would be deleted with its claim.",
    "Give Davit get and patch on persistentvolumes, or set Retain by hand.", kNever};
inline constexpr Reason kNotBound{"NotBound", "The claims are not bound yet.", "Wait.", kNever};

// VersionSupported.
inline constexpr Reason kSupported{"Supported", "This Davit knows this version.", "", kNever};
inline constexpr Reason kVersionUnknown{
    "VersionUnknown", "This Davit does not know this version; it treats it as the nearest.",
    "Upgrade Davit, or choose a version of the catalogue.", kNever};
inline constexpr Reason kFormUnknown{"FormUnknown", "The pod was made by a newer Davit.",
                                     "Upgrade Davit; the pod is left alone.", kAtOnce};

// Reconciling and Stalled.
inline constexpr Reason kProgressing{"Progressing", "Davit is bringing the node to its spec.", "",
                                     kNever};
inline constexpr Reason kSettled{"Settled", "Nothing is left to do.", "", kNever};

// Events only.
inline constexpr Reason kPodRestarted{
    "PodRestarted", "Davit deleted the pod so that it takes up a change.", "", kNever};
inline constexpr Reason kClaimGrown{"ClaimGrown", "Davit asked for a larger volume.", "", kNever};
inline constexpr Reason kClaimAdopted{
    "ClaimAdopted", "A claim kept from an earlier BlockNode of this name is used again.", "",
    kNever};
inline constexpr Reason kClaimsKept{"ClaimsKept", "The BlockNode is gone, its claims were kept.",
                                    "Delete the claims by hand if the data is not wanted.", kNever};
inline constexpr Reason kPodLeftRunning{
    "PodLeftRunning", "The BlockNode is gone, its pod goes on running.", "", kNever};
inline constexpr Reason kDataDeleted{"DataDeleted",
                                     "The BlockNode is gone, and its claims with it.", "", kNever};
inline constexpr Reason kBlocksQuarantined{
    "BlocksQuarantined", "Empty or cut block files were moved aside at the start.",
    "They are in .davit-quarantine on the volume.", kNever};

}  // namespace reason

inline constexpr std::array<const Reason*, 65> kReasons{
    &reason::kServing,
    &reason::kVerifying,
    &reason::kCreating,
    &reason::kConfigurationInvalid,
    &reason::kNameTaken,
    &reason::kPermissionMissing,
    &reason::kFieldContested,
    &reason::kChangeRefused,
    &reason::kClaimPending,
    &reason::kClaimLost,
    &reason::kClaimMissing,
    &reason::kClaimForeign,
    &reason::kClaimAmbiguous,
    &reason::kClaimTerminating,
    &reason::kPodMissing,
    &reason::kUnschedulable,
    &reason::kImagePullFailed,
    &reason::kContainerFailed,
    &reason::kStarting,
    &reason::kRestarting,
    &reason::kCrashLoop,
    &reason::kOutOfMemory,
    &reason::kVolumeIdentityMismatch,
    &reason::kServerNotFound,
    &reason::kScanning,
    &reason::kUnhealthy,
    &reason::kPortSilent,
    &reason::kVersionMismatch,
    &reason::kBlockUnreadable,
    &reason::kHeightWentBack,
    &reason::kProbeUnreachable,
    &reason::kAgentFailed,
    &reason::kDeleting,
    &reason::kHealthy,
    &reason::kVolumeFull,
    &reason::kVolumeNearlyFull,
    &reason::kVolumeNotWritable,
    &reason::kGrowing,
    &reason::kGrowRefused,
    &reason::kNoReport,
    &reason::kApplied,
    &reason::kRestartPending,
    &reason::kIngesting,
    &reason::kAwaitingFirstPublisher,
    &reason::kPublishersLost,
    &reason::kStandsStill,
    &reason::kObserving,
    &reason::kNotServing,
    &reason::kNotATierOneNode,
    &reason::kRetained,
    &reason::kDeletedWithNode,
    &reason::kUnprotected,
    &reason::kNotBound,
    &reason::kSupported,
    &reason::kVersionUnknown,
    &reason::kFormUnknown,
    &reason::kProgressing,
    &reason::kSettled,
    &reason::kPodRestarted,
    &reason::kClaimGrown,
    &reason::kClaimAdopted,
    &reason::kClaimsKept,
    &reason::kPodLeftRunning,
    &reason::kDataDeleted,
    &reason::kBlocksQuarantined,
};

}  // namespace davit::blocknode
