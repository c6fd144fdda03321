import torch
total_loss = 0
for step, (x, y) in enumerate(loader):
    out = model(x.cuda())
    loss = criterion(out, y.cuda())
    loss.backward()
    opt.step(); opt.zero_grad()
    total_loss += loss
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} mem_alloc {torch.cuda.memory_allocated()/2**30:.2f}GiB")
