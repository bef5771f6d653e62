-- A payment is compared with the refunds to its sender before it is refunded (docs/adr/0088).
create index ledger_payments_refunds on ledger_payments (created_at) where purpose = 'refund';
