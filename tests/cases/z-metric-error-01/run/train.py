correct = 0
for x, y in val_loader:
    pred = model(x.cuda()).argmax(1).cpu()
    correct += (pred == y).sum().item()
val_acc = correct / (len(val_loader) * args.eval_batch)
