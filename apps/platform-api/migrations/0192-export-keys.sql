-- The public key for which the export of a removed anchor is sealed; its founder keeps the private one.
alter table anchors add column export_key text check (export_key ~ '^[A-Za-z0-9_-]{43}$');
