-- XLM that was signed for out of FUNDING_ACCOUNT. The ledger applies one transaction for each sequence number.
create table funding (
  account text not null,
  sequence numeric(20) not null,
  anchor_id text not null references anchors,
  -- The most that was signed with this sequence number: stroops, with the fee.
  xlm numeric(19) not null,
  signed_at timestamptz not null default clock_timestamp(),
  primary key (account, sequence)
);
create index funding_signed on funding (signed_at);
