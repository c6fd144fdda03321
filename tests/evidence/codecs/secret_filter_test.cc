// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/secret_filter.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(SecretFilter, KnowsNamesOfCredentials) {
  for (const std::string_view name : {"token", "hub_token", "HF_TOKEN", "wandb_api_key", "WANDB_API_KEY", "apiKey", "db.password",
                                      "secret", "aws.secret_access_key", "credentials", "push_to_hub_token", "auth-token"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
}

TEST(SecretFilter, LeavesNamesOfTheVocabularyAlone) {
  for (const std::string_view name : {"max_new_tokens", "bos_token_id", "pad_token", "eos_token", "tokenizer",
                                      "num_input_tokens_seen", "key", "key_padding_mask", "lr", "tokens_per_second"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(SecretFilter, HidesValuesBehindSuchNames) {
  EXPECT_EQ(WithoutSecrets("hub_token", "abc"), kNotRecorded);
  EXPECT_EQ(WithoutSecrets("password", "12345"), kNotRecorded);
  EXPECT_EQ(WithoutSecrets("use_auth_token", "true"), "true");
  EXPECT_EQ(WithoutSecrets("hub_token", "null"), "null");
  EXPECT_EQ(WithoutSecrets("hub_token", "$HF_TOKEN"), "$HF_TOKEN");
}

TEST(SecretFilter, HidesSecretWordsInsideText) {
  EXPECT_EQ(WithoutSecrets("command", "python a.py --hub_token abcd1 --lr 0.1"),
            "python a.py --hub_token (not recorded) --lr 0.1");
  EXPECT_EQ(WithoutSecrets("command", "WANDB_API_KEY=abcd python a.py"), "WANDB_API_KEY=(not recorded) python a.py");
  EXPECT_EQ(WithoutSecrets("args", "['--password', 'x1']"), "['--password', '(not recorded)']");
  EXPECT_EQ(WithoutSecrets("note", "hf_abcdefghijklmnop123456"), kNotRecorded);
  EXPECT_EQ(WithoutSecrets("url", "https://me:word@host/x"), "https://me:(not recorded)@host/x");
  EXPECT_EQ(WithoutSecrets("lr", "0.1"), "0.1");
  EXPECT_EQ(WithoutSecrets("data", "a, b  c"), "a, b  c");
  EXPECT_EQ(WithoutSecrets("note", R"x({"password": "x1", "lr": 1})x"), R"x({"password": "(not recorded)", "lr": 1})x");
  EXPECT_EQ(WithoutSecrets("note", "password = x1"), "password = (not recorded)");
}

TEST(SecretFilter, HidesSecretsOfALogAndLeavesItsWordsAlone) {
  EXPECT_EQ(WithoutSecretsInText("Authorization: Bearer abcdefgh12345678"), "Authorization: Bearer (not recorded)");
  EXPECT_EQ(WithoutSecretsInText("using token: abcdefgh12345678"), "using token: (not recorded)");
  EXPECT_EQ(WithoutSecretsInText("key hf_abcdefghijklmnop1234…"), "key (not recorded)");
  EXPECT_EQ(WithoutSecretsInText("it is hf_abcdefghijklmnop1234."), "it is (not recorded)");
  for (const std::string_view plain :
       {"unknown token: <pad>", "pwd: /home/me/run", "unexpected token = 5", "bearer of bad news"}) {
    EXPECT_EQ(WithoutSecretsInText(plain), plain);
  }
  const std::string once = WithoutSecretsInText("password: x1, token=abcdefgh12345678 --api-key k1");
  EXPECT_EQ(once, "password: (not recorded), token=(not recorded) --api-key (not recorded)");
  EXPECT_EQ(WithoutSecretsInText(once), once);
}

}  // namespace
}  // namespace assay
