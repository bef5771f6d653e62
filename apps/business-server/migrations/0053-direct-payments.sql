-- SEP-31: direct payments are withdrawals whose `customer_id` is the sender; the receiver is paid.
alter table transfers add column receiver_id uuid references customers (id) on delete set null;
create index transfers_receiver on transfers (receiver_id) where receiver_id is not null;

-- Anchors that may send direct payments here, by the account they log in with.
create table sending_anchors (
  account text primary key,
  name text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
