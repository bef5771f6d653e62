-- The contract of an asset is deployed by the anchor where a payment to a contract account lacks it.
alter table ledger_payments drop constraint ledger_payments_purpose_check;
alter table ledger_payments add constraint ledger_payments_purpose_check check (purpose in ('deposit', 'refund',
  'reclaim', 'redelivery', 'sweep', 'open-channels', 'close-channels', 'deploy-contract'));
