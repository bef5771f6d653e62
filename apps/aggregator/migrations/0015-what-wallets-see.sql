-- What a wallet saw of an anchor of ours that differs from what the anchor says, and when it was last looked at.
alter table anchors add column seen jsonb;
alter table anchors add column seen_at timestamptz;
