-- Since when the control plane has an anchor's servers stopped because nobody uses it; null: they run.
alter table anchors add column asleep_since timestamptz;
