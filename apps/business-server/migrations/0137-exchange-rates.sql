-- At which rate a transaction was exchanged: the rate without the anchor's share, that share, where the rate is from and
-- when. Null: it was priced by an earlier release, whose journal has no income from the spread.
alter table transfers add column exchange jsonb;
alter table firm_rates add column exchange jsonb;
alter table journal_entries add column exchange jsonb;
