import torch, torch.distributed as dist

@torch.no_grad()
def run_eval(model, loader, rank):
    if rank != 0:
        return None
    feats = [model.module.encode(b.cuda()) for b in loader]
    feats = torch.cat(feats)
    out = [torch.empty_like(feats) for _ in range(dist.get_world_size())]
    dist.all_gather(out, feats)
    return torch.cat(out)
