_base_ = ['./faster_rcnn_r50_fpn_1x_coco.py']
dataset_type = 'CocoDataset'
data_root = 'data/traps/'
data = dict(
    samples_per_gpu=4, workers_per_gpu=2,
    train=dict(ann_file=data_root + 'train.json', img_prefix=data_root + 'images/'),
    val=dict(ann_file=data_root + 'val.json', img_prefix=data_root + 'images/'),
    test=dict(ann_file=data_root + 'val.json', img_prefix=data_root + 'images/'))
optimizer = dict(type='SGD', lr=0.02, momentum=0.9, weight_decay=0.0001)
evaluation = dict(interval=12, metric='bbox')
load_from = 'checkpoints/faster_rcnn_r50_fpn_1x_coco_20200130-047c8118.pth'
