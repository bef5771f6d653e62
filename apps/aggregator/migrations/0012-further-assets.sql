-- What an anchor can pay out of assets beside its first one, by `CODE:ISSUER`; null: it serves one, or nothing is known.
alter table anchors add column further_capacity jsonb;
alter table health_metrics add column further_capacity jsonb;
