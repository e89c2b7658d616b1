// The stand-in's chain: how a block is made, hashed and verified. Pure functions.
//
// A real block is proven by a threshold (TSS) or RSA signature over a Merkle root. The stand-in
// keeps the shape (header first, footer with the previous root, proof last, all of it a valid Block
// message) and replaces the cryptography by hashes of its own:
//
//   root(N)   = SHA-384 over every item but the proofs, each with its length in front (4 bytes,
//               big endian); the footer among them carries root(N-1), which chains the blocks
//   proof(N)  = SHA-384("davit stand-in proof" | ledger id | root(N)), in place of the signature
//
// As on a real network, a verifier needs trust material from outside the block: the ledger id.
// Block 0 publishes it, in its first transaction.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "blocknode/block.pb.h"
#include "blocknode/messages.pb.h"
#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

using Block = com::hedera::hapi::block::stream::Block;
using BlockItem = com::hedera::hapi::block::stream::BlockItem;
using TssData = org::hiero::block::api::TssData;
using Hash = std::array<std::uint8_t, 48>;

Hash sha384(std::string_view bytes);
std::string to_bytes(const Hash& hash);
std::string to_hex(const Hash& hash);
// The root that block 0 names as its predecessor: the hash of one zero byte.
Hash genesis_root();

struct ChainRecipe {
  std::uint64_t seed = 1;
  std::uint64_t block_bytes = 2048;  // of transactions in one block
};

// A pure function of its arguments; nothing else goes in.
Block make_block(const ChainRecipe& recipe, BlockNumber number, const Hash& previous_root);
TssData network_trust(const ChainRecipe& recipe);

// Root of a block whose items are complete.
Hash block_root(const Block& block);
// Number in the header, if there is a header.
std::optional<BlockNumber> block_number(const Block& block);
// Trust material that a block publishes, if it does.
std::optional<TssData> published_trust(const Block& block);

// Checks shape, number, link (when the previous root is known) and proof; gives the root.
std::expected<Hash, std::string> verify_block(const Block& block, BlockNumber number,
                                              const std::optional<Hash>& previous_root,
                                              const TssData& trust);

}  // namespace davit::standin
