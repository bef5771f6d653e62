-- A rotation of the anchor's own secrets that is not finished: which of them, and whether the new ones are stored.
alter table anchors add column rotation jsonb;
