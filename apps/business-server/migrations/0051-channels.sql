-- Accounts whose sequence numbers payments use beside the distribution account's, so that many are in one ledger.
create table ledger_channels (
  account text primary key,
  state text not null default 'open' check (state in ('open', 'closing', 'closed')),
  -- A server with another state of this database may have signed with it.
  foreign_use boolean not null default false,
  opened_at timestamptz not null default clock_timestamp()
);
create index ledger_envelopes_open_sources on ledger_envelopes (source) where state = 'open';

alter table ledger_payments drop constraint ledger_payments_purpose_check;
alter table ledger_payments add constraint ledger_payments_purpose_check check (purpose in ('deposit', 'refund',
  'reclaim', 'redelivery', 'sweep', 'open-channels', 'close-channels'));
