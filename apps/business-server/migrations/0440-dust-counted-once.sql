-- The newest payment that was counted as dust: what is read again is not counted again (docs/adr/0199).
alter table observed add column dust_cursor text;
update observed set dust_cursor = cursor;
