#include "wire/percent.hpp"

#include <gtest/gtest.h>

namespace davit::wire {
namespace {

TEST(Percent, EncodesEverythingButUnreserved) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/c?d=e&f%g+h"), "a%20b%2Fc%3Fd%3De%26f%25g%2Bh");
  EXPECT_EQ(percent_encode(std::string_view("\0\xff\n", 3)), "%00%FF%0A");
}

TEST(Percent, DecodesWhatItEncodesForEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(all)).value(), all);
}

TEST(Percent, RefusesBrokenEscapes) {
  for (const std::string_view text : {"%", "%4", "a%4", "%g0", "%0g", "%%41"}) {
    EXPECT_FALSE(percent_decode(text)) << text;
  }
  EXPECT_EQ(percent_decode("%41+%2f").value(), "A+/");
}

TEST(Percent, QueriesGoThereAndBack) {
  const Query query{{"labelSelector", "a in (b,c),!d"}, {"limit", "5"}, {"empty", ""}};
  const std::string text = encode_query(query);
  EXPECT_EQ(text, "?labelSelector=a%20in%20%28b%2Cc%29%2C%21d&limit=5&empty=");
  EXPECT_EQ(decode_query(std::string_view(text).substr(1)).value(), query);
  EXPECT_EQ(encode_query({}), "");
  EXPECT_EQ(decode_query("watch&&a=b=c").value(), (Query{{"watch", ""}, {"a", "b=c"}}));
  EXPECT_FALSE(decode_query("a=%zz"));
}

}  // namespace
}  // namespace davit::wire
