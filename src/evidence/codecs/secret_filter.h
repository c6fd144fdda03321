// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps credentials out of facts. Configurations and command lines hold keys and tokens of services; assay needs none of them,
// and a case is meant to be shown to other people. Whatever becomes a ConfigValue passes here first.

#include <string>
#include <string_view>

namespace assay {

inline constexpr std::string_view kNotRecorded = "(not recorded)";

// The last component of a dotted key names a credential: "wandb_api_key", "hub_token", "db.password". Names of the vocabulary
// ("eos_token", "max_new_tokens") are none.
bool IsSecretName(std::string_view key);

// `value` as it may be recorded under `key`: all of it, "(not recorded)", or with the secret words of a command line or of
// "NAME=VALUE" text replaced. Numbers, truth values and empty values are no secrets, except behind password-like names.
std::string WithoutSecrets(std::string_view key, std::string_view value);

// Free text of a log without the secrets in it. There "token" mostly speaks of text, so behind a name that ends with it only a
// long word of letters and digits counts.
std::string WithoutSecretsInText(std::string_view text);

}  // namespace assay
