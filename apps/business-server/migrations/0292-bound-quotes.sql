-- What a firm quote says is bound, as what is agreed is (docs/adr/0176). One of an earlier release holds for minutes.
alter table firm_rates add column bound bytea;
