// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// fairseq: "epoch 001:     10 / 500 loss=9.1, nll_loss=…, num_updates=…" inside an epoch, "epoch 001 | loss 9.1 | …" at its end,
// "epoch 001 | valid on 'valid' subset | loss 9.1 | …", and overflow notes, each a row with the new scale and skipped = 1. The
// step is num_updates.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"num_updates", "gradient overflow detected", "epoch 0"};

Parsed Overflow(std::string_view text, MetricLine& out) {
  constexpr std::string_view kScale = "setting loss scale to: ";
  const std::size_t at = text.find(kScale);
  if (at == std::string_view::npos) return Parsed::kNotMine;
  const auto scale = ParseNumberPrefix(text.substr(at + kScale.size()));
  if (!scale) return Parsed::kNotMine;
  out.Add("loss_scale", scale->value);
  out.Add("skipped", 1);
  return Parsed::kRow;
}

// "train | epoch 001 | …" and "valid | epoch 001 | …" are how newer versions put it.
Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  if (text.find("gradient overflow detected, ignoring gradient") != std::string_view::npos) return Overflow(text, out);
  const std::size_t begin = text.find("epoch ");
  if (begin == std::string_view::npos) return Parsed::kNotMine;
  bool validation = text.substr(0, begin).find("valid") != std::string_view::npos;
  text.remove_prefix(begin + 6);
  const auto epoch = ParseNumberPrefix(text);
  if (!epoch || epoch->length < 3) return Parsed::kNotMine;
  text.remove_prefix(epoch->length);
  const bool inside = text.starts_with(':');
  const bool ended = text.starts_with(" | ");
  if (!inside && !ended) return Parsed::kNotMine;
  if (inside) {
    const auto position = ReadPositionOfTotal(text.substr(1));
    if (!position) return Parsed::kNotMine;
    text.remove_prefix(1 + position->length);
  } else {
    text.remove_prefix(3);
    validation = validation || text.starts_with("valid on ");
  }
  out.epoch = epoch->value;
  DelimitedFieldReader fields(text, inside ? ", " : "|",
                              inside ? DelimitedFieldReader::Between::kSign : DelimitedFieldReader::Between::kBlank);
  while (const auto field = fields.Next()) {
    if (field->name == "num_updates") {
      out.SetStep(field->value);
    } else if (validation) {
      out.Add(out.Keep("valid/" + std::string(field->name)), field->value);
    } else {
      out.Add(field->name, field->value);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect fairseq;
constinit const Dialect fairseq{
    .id = "fairseq",
    .title = "fairseq: simple and tqdm log formats",
    .triggers = kTriggers,
    .precedence = 21,
    .sample =
        "epoch 001:     10 / 500 loss=9.113, nll_loss=8.954, ppl=495.9, wps=41022, ups=2.31, wpb=17740, bsz=640, num_updates=10, "
        "lr=1.5e-06, gnorm=3.21, loss_scale=128, train_wall=5, wall=12",
    .parse = Parse,
};

}  // namespace assay::dialects
