-- Where an anchor's fees differ over a rail or for withdrawals, and the rails that it pays out over; null: nowhere.
alter table anchors add column own_terms jsonb;

drop trigger anchors_written on anchors;
create trigger anchors_written
  after insert or delete or update of slug, name, domain, api_url, status, regions, assets, rails, limit_min,
    limit_max, fee_fixed, fee_percentage, settlement, signing_key, summary_secret, domain_verified, external, own_terms
  on anchors for each row execute function tell_registry();
