-- When strangers' refunds last left for an account, by whichever of its addresses: accounts take turns.
create index ledger_payments_refunds_by_account on ledger_payments (substr(destination, 2, 51), paid_at)
  where purpose = 'refund';
