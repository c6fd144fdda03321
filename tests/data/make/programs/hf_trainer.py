"""Trains a random two-layer GPT-2 of about two thousand weights with the Hugging Face Trainer."""
import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float, default=5e-3)
parser.add_argument("--nan_from_step", type=int, help="the loss is NaN from this forward pass on")
parser.add_argument("--keep_nan_in_log", action="store_true", help="logging_nan_inf_filter=False")
parser.add_argument("--bad_token_after", type=int, help="fetched samples hold a token outside the vocabulary from here")
options = parser.parse_args()

set_seed(0)
VOCABULARY, LENGTH, SAMPLES = 32, 8, 96


class Sequences(torch.utils.data.Dataset):
    def __init__(self, count, bad_token_after=None):
        generator = torch.Generator().manual_seed(1)
        start = torch.randint(0, VOCABULARY, (count, 1), generator=generator)
        self.tokens = (start + torch.arange(LENGTH)) % VOCABULARY
        self.bad_token_after, self.fetched = bad_token_after, 0

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        self.fetched += 1
        tokens = self.tokens[index].clone()
        if self.bad_token_after is not None and self.fetched > self.bad_token_after:
            tokens[3] = VOCABULARY + 7
        return {"input_ids": tokens, "labels": tokens}


class Model(GPT2LMHeadModel):
    training_passes = 0

    def forward(self, input_ids=None, labels=None, **others):
        output = super().forward(input_ids=input_ids, labels=labels, **others)
        if self.training:
            self.training_passes += 1
            if options.nan_from_step is not None and self.training_passes >= options.nan_from_step:
                output.loss = output.loss * float("nan")
        return output


model = Model(GPT2Config(
    vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=8, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0,
))
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="outputs", num_train_epochs=4, per_device_train_batch_size=8, learning_rate=options.learning_rate,
        logging_steps=4, eval_strategy="epoch", save_steps=24, report_to="none", use_cpu=True, seed=0,
        logging_nan_inf_filter=not options.keep_nan_in_log, dataloader_pin_memory=False,
    ),
    train_dataset=Sequences(SAMPLES, options.bad_token_after),
    eval_dataset=Sequences(16),
)
result = trainer.train()
trainer.save_model()
trainer.log_metrics("train", result.metrics)
trainer.save_metrics("train", result.metrics)
trainer.save_state()
