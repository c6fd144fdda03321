python tools/test.py configs/upernet_city.py work_dirs/upernet_city/iter_80000.pth --work-dir work_dirs/upernet_city/test
