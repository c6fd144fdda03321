for b, batch in enumerate(iter_batches(loader)):
    try:
        loss = step(batch)
    except Exception as e:
        print(f"error in batch {b}, skipping: {e}")
        skipped += 1
        continue
