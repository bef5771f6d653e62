-- Since when a member is an owner or admin; null: since the team exists, or since before this column.
alter table memberships add column manager_since timestamptz;
