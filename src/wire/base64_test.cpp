#include "wire/base64.hpp"

#include <gtest/gtest.h>

namespace davit::wire {
namespace {

TEST(Base64, FollowsTheVectorsOfRfc4648) {
  const std::pair<std::string_view, std::string_view> kVectors[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text).value(), bytes);
  }
}

TEST(Base64, EveryByteGoesThereAndBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(base64_decode(base64_encode(all)).value(), all);
}

TEST(Base64, SkipsLineBreaksAndTakesMissingPadding) {
  EXPECT_EQ(base64_decode("Zm9v\r\n YmE").value(), "fooba");
}

TEST(Base64, RefusesWhatIsCutOrForeign) {
  for (const std::string_view text :
       {"Z", "Zm9vY", "Zg=", "Zg===", "=", "Zg==Zg==", "Zm-v", "Zm9v!", "Zh==", "Zm9="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

}  // namespace
}  // namespace davit::wire
