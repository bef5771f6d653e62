-- What customers were emailed of their accounts at anchors: evidence for the anchor.
create table customer_emails (
  id text primary key,
  anchor_id text not null references anchors (id),
  account text not null,
  memo text,
  template text not null,
  language text not null,
  -- Under PLATFORM_KEY; null: the customer deleted their account.
  sealed_address bytea,
  -- Null: nobody proved yet that the mailbox is theirs.
  customer_id text,
  at timestamptz not null,
  delivered_at timestamptz
);
create index customer_emails_by_account on customer_emails (anchor_id, account, at);
create index customer_emails_by_customer on customer_emails (customer_id);
