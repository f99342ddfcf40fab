#!/usr/bin/env python3
"""Writes bakery.csv: 400 invented days of a bakery, whose truth is known because it stands here.

  python3 make_bakery.py > bakery.csv
"""

import datetime
import random

random.seed(7)
print("date,temperature,weekend,price,baked,visitors,wasted,profit")
for day in range(400):
    date = datetime.date(2023, 1, 2) + datetime.timedelta(day)
    temperature = random.gauss(15, 6)
    weekend = date.weekday() >= 5
    # What the baker did so far: a little dearer and more bread on weekends, otherwise by feeling.
    price = min(3.9, max(2.1, random.gauss(2.9 + 0.15 * weekend, 0.35)))
    baked = min(230, max(60, random.gauss(125 + 30 * weekend, 28)))
    visitors = 130 + 70 * weekend + 2.0 * (temperature - 15) + random.gauss(0, 9)
    # A visitor buys a loaf unless it is too dear.
    demand = visitors * (1.45 - 0.28 * price) + random.gauss(0, 5)
    sold = max(0.0, min(baked, demand))
    wasted = baked - sold + abs(random.gauss(0, 1))
    profit = price * sold - 0.9 * baked - 60 + random.gauss(0, 8)
    print(f"{date},{temperature:.1f},{'yes' if weekend else 'no'},"
          f"{price:.2f},{baked:.0f},{visitors:.0f},{wasted:.1f},{profit:.1f}")
