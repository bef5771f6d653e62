-- Payments through channel accounts: each account has sequence numbers of its own.
alter table payments add column source text not null default '';
alter table payments drop constraint payments_pkey;
alter table payments add primary key (anchor_id, source, sequence);

-- What its fee may come to, in stroops: of the transaction or of its largest fee bump.
alter table payments add column fee numeric(19) not null default 0;
-- A claimable balance, which holds a reserve until it is claimed.
alter table payments add column claimable boolean not null default false;
