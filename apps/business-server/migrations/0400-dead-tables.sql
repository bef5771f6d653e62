-- Nothing has written it since the platform alone has the identity provider's keys, which is before the first release.
drop table kyc_deliveries;

-- One table says until when a server of the release before may run beside the new one.
alter table terms_binding disable trigger filled_once;
insert into terms_binding select until from order_binding where not exists (select from terms_binding);
alter table terms_binding enable trigger filled_once;
-- order_binding goes a release later: the one before this reads it while both run (docs/adr/0131).
