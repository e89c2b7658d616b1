#include "standin/blocknode/model/chain.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

namespace davit::standin {
namespace {

constexpr std::string_view kTrustMark = "STANDIN-TSS-DATA:";
constexpr std::string_view kProofMark = "davit stand-in proof";
constexpr std::uint64_t kTransactionBytes = 64 * 1024;
constexpr std::int64_t kEpochSeconds = 1'767'225'600;  // 2026-01-01; block N is N seconds later

class Sha384 {
 public:
  Sha384() : context_(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(context_.get(), EVP_sha384(), nullptr);
  }
  void update(std::string_view bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  Hash finish() {
    Hash out{};
    EVP_DigestFinal_ex(context_.get(), out.data(), nullptr);
    return out;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

// SplitMix64: small, fixed, and good enough to be incompressible.
std::string noise(std::uint64_t state, std::uint64_t length) {
  std::string out;
  out.reserve(length + 8);
  while (out.size() < length) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    for (unsigned shift = 0; shift < 64; shift += 8) {
      out.push_back(static_cast<char>((z >> shift) & 0xffU));
    }
  }
  out.resize(length);
  return out;
}

Hash proof_of(const std::string& ledger_id, const Hash& root) {
  Sha384 hash;
  hash.update(kProofMark);
  hash.update(ledger_id);
  hash.update(to_bytes(root));
  return hash.finish();
}

std::string ledger_id(const ChainRecipe& recipe) {
  return to_bytes(sha384("ledger " + std::to_string(recipe.seed))).substr(0, 32);
}

}  // namespace

Hash sha384(std::string_view bytes) {
  Sha384 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_bytes(const Hash& hash) { return {hash.begin(), hash.end()}; }

std::string to_hex(const Hash& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : hash) {
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 0xfU]);
  }
  return out;
}

Hash genesis_root() { return sha384(std::string_view("\0", 1)); }

TssData network_trust(const ChainRecipe& recipe) {
  TssData trust;
  trust.set_ledger_id(ledger_id(recipe));
  trust.set_wraps_verification_key(noise(recipe.seed ^ 0x77U, 1480));
  for (std::uint64_t node = 0; node < 4; ++node) {
    auto* entry = trust.mutable_current_roster()->add_roster_entries();
    entry->set_node_id(node);
    entry->set_weight(1000);
    entry->set_schnorr_public_key(noise(recipe.seed ^ (node + 1), 64));
  }
  return trust;
}

Block make_block(const ChainRecipe& recipe, BlockNumber number, const Hash& previous_root) {
  Block block;
  auto* header = block.add_items()->mutable_block_header();
  header->mutable_hapi_proto_version()->set_minor(72);
  header->mutable_software_version()->set_minor(72);
  header->set_number(number);
  header->mutable_block_timestamp()->set_seconds(kEpochSeconds + static_cast<std::int64_t>(number));
  block.add_items()->mutable_round_header()->set_round_number(number + 1);
  if (number == 0) {
    block.add_items()->set_signed_transaction(std::string(kTrustMark) +
                                              network_trust(recipe).SerializeAsString());
  }
  std::uint64_t left = recipe.block_bytes;
  for (std::uint64_t index = 0; left > 0; ++index) {
    const std::uint64_t length = std::min(left, kTransactionBytes);
    block.add_items()->set_signed_transaction(
        noise(recipe.seed * 0x10001U + number * 0x1000003U + index * 0x5bd1e995U, length));
    left -= length;
  }
  auto* footer = block.add_items()->mutable_block_footer();
  footer->set_previous_block_root_hash(to_bytes(previous_root));
  footer->set_root_hash_of_all_block_hashes_tree(to_bytes(genesis_root()));
  footer->set_start_of_block_state_root_hash(to_bytes(genesis_root()));

  const Hash proof = proof_of(ledger_id(recipe), block_root(block));
  auto* last = block.add_items()->mutable_block_proof();
  last->set_block(number);
  last->mutable_signed_block_proof()->set_block_signature(to_bytes(proof));
  return block;
}

Hash block_root(const Block& block) {
  Sha384 hash;
  std::string bytes;
  for (const BlockItem& item : block.items()) {
    if (item.has_block_proof()) continue;
    item.SerializeToString(&bytes);
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const std::array<char, 4> length = {
        static_cast<char>(size >> 24U), static_cast<char>((size >> 16U) & 0xffU),
        static_cast<char>((size >> 8U) & 0xffU), static_cast<char>(size & 0xffU)};
    hash.update({length.data(), length.size()});
    hash.update(bytes);
  }
  return hash.finish();
}

std::optional<BlockNumber> block_number(const Block& block) {
  if (block.items().empty() || !block.items(0).has_block_header()) return std::nullopt;
  return block.items(0).block_header().number();
}

std::optional<TssData> published_trust(const Block& block) {
  for (const BlockItem& item : block.items()) {
    if (!item.has_signed_transaction()) continue;
    const std::string& bytes = item.signed_transaction();
    TssData trust;
    if (bytes.starts_with(kTrustMark) && trust.ParseFromString(bytes.substr(kTrustMark.size()))) {
      return trust;
    }
  }
  return std::nullopt;
}

std::expected<Hash, std::string> verify_block(const Block& block, BlockNumber number,
                                              const std::optional<Hash>& previous_root,
                                              const TssData& trust) {
  if (block_number(block) != number) return std::unexpected("header does not name this block");
  const BlockItem* footer = nullptr;
  const BlockItem* proof = nullptr;
  for (const BlockItem& item : block.items()) {
    if (item.has_block_footer()) footer = &item;
    if (item.has_block_proof()) proof = &item;
  }
  if (footer == nullptr) return std::unexpected("no footer");
  if (proof == nullptr) return std::unexpected("no proof");
  if (previous_root &&
      footer->block_footer().previous_block_root_hash() != to_bytes(*previous_root)) {
    return std::unexpected("previous block hash does not match");
  }
  if (trust.ledger_id().empty()) return std::unexpected("MISSING_VERIFICATION_DATA");
  const Hash root = block_root(block);
  if (proof->block_proof().block() != number ||
      proof->block_proof().signed_block_proof().block_signature() !=
          to_bytes(proof_of(trust.ledger_id(), root))) {
    return std::unexpected("proof does not verify");
  }
  return root;
}

}  // namespace davit::standin
