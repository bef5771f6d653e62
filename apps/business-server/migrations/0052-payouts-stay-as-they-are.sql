-- What a payout is does not change once it is queued, nor who made its file, when, and for which rail.
create trigger kept before delete or update of id, code, kind, rail, amount, currency, transfer_id, line_id on bank_payouts
  for each row execute function keep_bank_records();
create trigger maker_kept before update of rail, created_by, created_at on payout_files
  for each row execute function keep_bank_records();
