-- Nothing reads when a reset was noticed: it ends once its anchor is restored.
alter table ledger_resets drop column seen_at;
