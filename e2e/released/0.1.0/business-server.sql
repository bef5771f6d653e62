-- An anchor in the middle of its work: issued, a deposit to be paid, one that waits for a trustline, a withdrawal under
-- way at the bank, a refund to be made, developers' webhooks.
insert into observed (account, cursor) values ('GDISTRIBUTION', '42');
insert into firm_rates (id, sell_asset, buy_asset, amount, fee, fiat_amount, currency, expires_at) values
  ('00000000-0000-4000-8000-0000000000a1', 'stellar:ANC', 'iso4217:INR', 20, 0.6, 1716.9, 'INR', now());
insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, fee, fiat_amount,
  rate, reference, ledger_memo, quote_id) values
  ('00000000-0000-4000-8000-000000000001', '24', 'deposit', 'funded', 'GA', 'GA', 'UPI', 'INR', 100, 1, 8938.5, '88.50', 'R1', null, null),
  ('00000000-0000-4000-8000-000000000002', '6', 'deposit', 'awaiting_trust', 'GB', 'GB', 'UPI', 'INR', 50, 0.75, 4491.38, '88.50', 'R2', null, null),
  ('00000000-0000-4000-8000-000000000003', '24', 'withdrawal', 'paying_out', 'GC', 'GC', 'UPI', 'INR', 20, 0.6, 1716.9, '88.50', null, 7, '00000000-0000-4000-8000-0000000000a1'),
  ('00000000-0000-4000-8000-000000000004', '24', 'deposit', 'completed', 'GA', 'GA', 'UPI', 'INR', 10, 0.55, 933.68, '88.50', 'R4', null, null);
insert into transfer_steps (transfer_id, from_state, to_state, why)
  select id, 'awaiting_funds', 'funded', 'the payment came as agreed' from transfers;
insert into ledger_receipts (id, hash, sender, amount, outcome, why) values
  ('1001', 'h1', 'GISSUER', 1000, 'ignored', 'the anchor''s own'),
  ('1002', 'h2', 'GC', 20, 'accepted', 'as agreed'),
  ('1003', 'h3', 'GD', 5, 'returned', 'no withdrawal has this memo');
insert into ledger_payments (id, cause, transfer_id, purpose, destination, amount, state, hash, paid_at) values
  ('00000000-0000-4000-8000-0000000000b1', 'deposit:4', '00000000-0000-4000-8000-000000000004', 'deposit', 'GA', 10, 'paid', 'h4', now()),
  ('00000000-0000-4000-8000-0000000000b2', 'deposit:1', '00000000-0000-4000-8000-000000000001', 'deposit', 'GA', 100, 'queued', null, null),
  ('00000000-0000-4000-8000-0000000000b3', 'deposit:2', '00000000-0000-4000-8000-000000000002', 'deposit', 'GB', 50, 'queued', null, null),
  ('00000000-0000-4000-8000-0000000000b4', 'refund:receipt:1003', null, 'refund', 'GD', 5, 'queued', null, null);
insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination, state) values
  ('00000000-0000-4000-8000-0000000000c1', 'payout:3', '00000000-0000-4000-8000-000000000003', 'payout', 'UPI', 1716.9, 'INR', '{}', 'sent');
insert into reservations (id, amount) values ('00000000-0000-4000-8000-000000000001', 100);
