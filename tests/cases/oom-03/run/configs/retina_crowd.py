_base_ = ['./retinanet_r50_fpn.py', './schedule_1x.py', './default_runtime.py']
dataset_type = 'CrowdDataset'
data_root = 'data/crowd/'
model = dict(bbox_head=dict(num_classes=1))
data = dict(samples_per_gpu=2, workers_per_gpu=2)
optimizer = dict(type='SGD', lr=0.002, momentum=0.9, weight_decay=0.0001)
log_config = dict(interval=50)
total_epochs = 12
