-- The settings of an anchor as its business server, which owns them, last reported; null: those of the plan.
alter table anchors add column settings jsonb;
alter table anchors add column settings_version bigint not null default 0;
