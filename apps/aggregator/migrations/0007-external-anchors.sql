-- Anchors of other platforms, registered by their home domain: `external` has what they serve and what is not known of
-- them, and is null for our own. Terms that differ from asset to asset are in `assets`.
alter table anchors
  add column external jsonb,
  drop constraint anchors_settlement_check,
  add constraint anchors_settlement_check check (settlement in ('instant', 'under_60_minutes', 'unknown'));
create unique index anchors_external_domain on anchors (domain) where external is not null;

drop trigger anchors_written on anchors;
create trigger anchors_written
  after insert or delete or update of slug, name, domain, api_url, status, regions, assets, rails, limit_min,
    limit_max, fee_fixed, fee_percentage, settlement, signing_key, summary_secret, domain_verified, external
  on anchors for each row execute function tell_registry();

-- What a wallet would do at an external anchor, step by step, each with its latency.
alter table health_metrics add column steps jsonb;
