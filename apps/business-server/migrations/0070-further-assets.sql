-- `CODE:ISSUER` of an asset beside the anchor's first one, which is null: rows of earlier releases mean what they meant.
alter table transfers add column asset text;
alter table firm_rates add column asset text;
alter table reservations add column asset text;
alter table treasury_settings add column asset text;
alter table velocity_movements add column asset text;
-- These have `native` for XLM.
alter table ledger_payments drop constraint ledger_payments_asset_check;
alter table ledger_receipts drop constraint ledger_receipts_asset_check;
alter table unrecorded_payments drop constraint unrecorded_payments_asset_check;
