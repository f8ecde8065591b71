"""Speed and memory against what a user would take instead, as ratios in one run on one machine."""
